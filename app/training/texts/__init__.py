"""The texts that drafts learn from: prompts, what the target writes to them, and its law there.

In order: `prompts.py` (templates and topics become token ids), `sample.py` (the target writes),
`passages.py` (what it wrote is quoted in later prompts), `adopt.py` (earlier texts are taken over)
and `score.py` (the target's law at every position).
"""
