"""Which pairs of target and draft exist, where their weights come from, and how they are loaded.

Read `catalog.py` (the pairs in words), `pair.py` (one that is loaded) and `shelf.py` (loading and
keeping them). `weights.py` finds the target's weights and converts them once, `vocabulary.py`
refuses two models that do not mean the same by a token, `four_bit_target.py` reads the target's own
4-bit codes, `assets.py` says where shipped files lie.
"""
