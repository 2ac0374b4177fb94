"""What drafts cost and what they earn: measured, with intervals, and kept as files.

Begin with `run_record.py` (what one run adds), `intervals.py` (sums with an interval) and
`ladder_cells.py` (from records to cells); `ladder_file.py` is the shape of the file they end in,
`shipped.py` reads what is shipped, and `ladder/` is the measurement behind `make measure`.
`block_cost.py` and `curve_here.py` measure on a visitor's wish, `lesson_measurements.py` for the
lessons, and `engine_numbers.py` reads an engine's own numbers backwards.
"""
