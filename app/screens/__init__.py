"""One flat script a page: read settings, call the core, draw with widgets.

`home.py`, `lesson.py` and `page.py` are the course, `lab.py` the Lab, `test_it.py`,
`when_it_pays.py`, `audit.py`, `rounding.py` and `classes.py` the rooms beside it. `main.py` above
names them all.
"""
