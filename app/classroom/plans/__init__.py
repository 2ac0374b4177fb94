"""What a teacher brings: a plan of runs with notes, and questions about them.

`question.py` is the shape of a question, `questions.py` makes one from a place in a run with its
right answer, `plan.py` reads, checks and writes the whole plan as a file.
"""
