"""How the shipped drafts were made, runnable again: ``python -m training all``.

The stages, each in a file of its own and each resumable:

1. ``prompts``  templates and topics become token ids (``texts/prompts.py``, ``prompts.json``)
2. ``sample``   the target writes the training texts (``texts/sample.py``)
3. ``score``    the target's law at every position, as its last hidden state (``texts/score.py``)
4. ``distill``  the target's first layers learn that law (``distill.py``, ``draft.py``)
5. ``bigram``   counts become a law (``bigram.py``)
6. ``card``     alpha on held-out prompts, and a model card a rung (``evaluate.py``, ``card.py``)
"""
