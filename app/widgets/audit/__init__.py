"""The pages that put engines to the test: an audit, and the question of rounding.

`audit_form.py` and `rounding_form.py` ask, `jobs.py` has it done, `report_view.py` and
`rounding_view.py` show what came; `on_record.py` shows the engines on record and
`recorded_audits.py` the reports that ship. `page_frame.py` and `style.py` are what both pages have
in common.
"""
