"""The interactive pieces that screens are made of; a room a page, and what they share.

`lab/`, `lessons/`, `testing/`, `pays/`, `audit/` and `classes/` know nothing of each other;
`around/` is what every page has around it. Shared: `state.py` (every key of the session),
`places.py` (links to pages), `markdown_text.py` (text as it stands), `watch.py` (work that goes
on), `notices.py` (what stood in its way), `figure_parts.py` and `reading_style.py`.
"""
