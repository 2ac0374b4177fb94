"""The page Class: a teacher makes a plan, starts a class, and sees how it goes.

`choose_plan.py` and `build_plan.py` make the plan (`add_run.py`, `add_question.py`, kept in
`plan_draft.py`), `running_classes.py` and `class_card.py` show a class that goes on; `state.py`
names what the session holds.
"""
