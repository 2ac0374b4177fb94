"""A run drawn: for the Lab, the lessons and the class.

`committed.py` are the bars, a cycle each; `laws.py` p against q at one position with the residual;
`cycle_rows.py` a cycle as a table, `ratios.py` all ratios of a run, `departure.py` two runs laid
side by side.
"""
