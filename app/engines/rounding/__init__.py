"""Rounding or bug? Two greedy texts that should be equal, and where they part.

`texts.py` makes tokens of the two texts, `scores.py` makes the passes, `found.py` holds what was
seen and the verdict, and `check.py` puts them together; `sentences.py` says it in words.
`command.py` is the command line, `endpoints.py` fetches the texts from servers, `example.py`
records the worked examples.
"""
