"""Lessons, pages and questions as files: reading, checking, marking, exporting.

`reader.py` makes typed blocks (`blocks.py`) of Markdown and says file and line of every mistake,
those in YAML (`yaml_bodies.py`) too; `library.py` is all lessons and pages at once. `quiz.py` and
`live_questions.py` are the questions, `cases.py` says which cycle a prediction is about,
`marking.py` marks answers, `qti.py` takes the question bank to other platforms.
`checked_numbers.py` holds printed numbers to their formulas, `minutes.py` counts how long a lesson
takes.
"""
