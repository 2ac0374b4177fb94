"""The audit: do an engine's texts follow the target's law, and are its promises kept?

`plan.py` says what is asked, `samples.py` keeps what came, `target_law.py` and `scoring.py` say
what the target thinks of it (`outcome_tree.py` counts beginnings, `greedy_text.py` follows greedy
ones); `evidence.py` is all of that in one place, `checks/` are the questions to it, and `report.py`
the answers. `audit.py` runs the whole, `audit_work.py` makes one from a person's settings, and
`report_text.py` writes reports for terminals and for a CI.
"""
