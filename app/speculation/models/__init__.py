"""A model as the decoder needs it: it reads tokens, scores the next one, and can be cut back.

Read `language_model.py` first (the two protocols, and transformers behind them), then `passes.py`,
which keeps passes so that they need not be made twice, and `blocks.py`, which reads a text a block
at a time. Nothing here knows what a draft, a pair or a cycle is.
"""
