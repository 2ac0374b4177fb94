"""Figures that only lessons show: small laws, and what a rule does to them.

`one_position.py` and `doors.py` are one position under a rule, `hand_laws.py` laws drawn by hand,
`tries.py` retrying against one shot, `temperature.py` the overlap against temperature.
"""
