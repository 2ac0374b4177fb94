"""What lessons are made of, a piece a file.

`prose.py` and `figure.py` draw what is read, `quiz.py`, `gate.py` and `live_gate.py` ask
(`option_buttons.py` are their options), `contents_rail.py` and `progress.py` say where one is;
`shown_run.py` is the run that figures show, `case_pool.py` the cycles that predictions are about,
`figures/` the figures by name. `my_answers.py` is what a learner takes along.
"""
