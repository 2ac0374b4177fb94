"""What a learner has answered and how far they are. No names, no login, no Streamlit.

`tables.py` and `class_tables.py` are the tables, made by `migrations/` (`migrate.py`);
`database.py` opens them and `transactions.py` does work on them, a piece at a time. `learners.py`,
`classes.py` and `votes.py` are that work; `identity.py` is the cookie that tells learners apart,
`codes.py` what they type to come back.
"""
