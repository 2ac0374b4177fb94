"""The page "Test it yourself": break the rule on purpose, and catch it.

`cases.py` are the laws on offer (`real_position.py` scores one live), `trial.py` draws from one
position and judges, `trial_view.py` shows it. The sections in order: `position_exactly.py`,
`position_by_sampling.py`, `sabotage.py`, `whole_texts.py` (with `drawn_texts.py`),
`blind_round.py`, `kill_table_view.py`; `sentences.py` says what numbers mean.
"""
