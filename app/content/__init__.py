"""Lessons, pages and questions as files: reading, checking, marking, exporting.

`reader.py` makes typed blocks (`blocks.py`) of Markdown and says file and line of every mistake;
`library.py` is all lessons and pages at once. `quiz.py` and `gates.py` are the questions,
`marking.py` marks answers, `qti.py` takes the question bank to other platforms.
"""
