"""A model as the decoder needs it: it reads tokens, scores the next one, and can be cut back.

Read `language_model.py` first (the two protocols, and transformers behind them), then the lean pass
of our own: `llama.py`, the ways its weights can lie in memory (`matrices.py`, `four_bits.py`),
which of them is fastest here (`choice.py`), and how a file's weights get there (`lean.py`).
`passes.py` keeps passes so that they need not be made twice, `blocks.py` reads a text a block at a
time. Nothing here knows what a draft, a pair or a cycle is.
"""
