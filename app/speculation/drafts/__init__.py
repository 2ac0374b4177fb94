"""The kinds of draft: whatever proposes tokens cheaply, under the target's tokenizer.

From the plainest to the best: `lookup.py` copies from the text, `bigram.py` is a table of counts
(all that the two have read is a text, `text_context.py`),
`early_exit.py` takes the target's first layers as they are, `short_head.py` reads the layers that
were trained to imitate the target. `assistant.py` lets transformers' `generate` use such a draft.
"""
