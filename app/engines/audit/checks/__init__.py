"""What an audit asks of its evidence: each check is a function from `Evidence` to `Check`.

`law.py` holds the checks of the target's law, `promises.py` those of what was asked for (seeds,
ends, biases, penalties, greedy text), `two_samples.py` those between two endpoints, `speed.py`
whether drafts are kept as often as they should be, and `notes.py` what is said for information.
"""
