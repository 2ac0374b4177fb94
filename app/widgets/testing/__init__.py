"""The page "Test it yourself": break the rule on purpose, and catch it.

`cases.py` are the laws on offer, `trial.py` and `draw.py` draw from one position and judge,
`sabotage.py`, `blind.py`, `exactly.py`, `whole.py` (with `texts.py`) and `real.py` are the
sections, `table.py` is the kill table; `sentences.py` says what numbers mean.
"""
