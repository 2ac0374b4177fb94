"""The page Class: a teacher makes a plan, starts a class, and sees how it goes.

`choose.py` and `build.py` make the plan (`add_question.py`, `record.py`, kept in `draft.py`),
`running.py` and `card.py` show a class that goes on; `state.py` names what the session holds.
"""
