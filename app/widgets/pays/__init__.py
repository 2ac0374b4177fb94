"""The page "When it pays", a section a file.

`choice.py` is what is looked at, `dials.py`, `curve.py`, `heat.py`, `time_parts.py`, `meters.py`
and `engine.py` are the sections in order; `here.py` measures on this machine, `names.py` and
`table.py` are shared.
"""
