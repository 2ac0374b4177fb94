"""A conformance kit: any engine against the exact distributions of tiny models, row by row.

Begin with `rows.py`: what is asked, and how the distribution of the answers is enumerated (the
target is read by `whole_passes.py`; `conventions.py` knows other meanings of a setting).
`anytime.py` is the test, which may be ended at any time; `check.py` samples and looks, `report.py`
says what came out, `command.py` is `python -m engines conformance`. `tiny_pairs.py` lists the
models, `model_files.py` writes them, and `kill_table.py` records which broken rules the kit finds.
"""
