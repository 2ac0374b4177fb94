"""The figures of "Audit an engine" and "Rounding or bug?".

`effects.py` lays all checks on one scale; `rounding.py` shows the likeliest tokens where two texts
part, and how far rounding can carry them.
"""
