"""The measurement of the whole ladder of drafts: `make measure`.

`command.py` runs it: stages (`stages.py`: agreement, long contexts, presets, beside transformers)
and then the runs of `plan.py`, made by `runs.py` on `heldout_prompts.py` and kept by `log.py`, so
that it goes on where it was interrupted. `assemble.py` makes the file of it, `summary.py` says what
was reached, `model_cards.py` writes the numbers onto the drafts' cards.
"""
