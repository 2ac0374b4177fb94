"""The page "When it pays", a section a file.

`choice.py` is what is looked at, `dials.py`, `curve.py`, `alpha_map.py`, `time_parts.py`,
`meters.py` and `your_engine.py` (with `engine_names.py`) are the sections in order;
`measured_here.py` measures on this machine, `html_table.py` is shared.
"""
