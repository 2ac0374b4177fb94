"""Domain objects drawn as Plotly figures. Pure: no state, no models, no Streamlit.

A room a page: `run/` draws a run and its laws (the Lab and the lessons share it), `lessons/`,
`testing/`, `pays/` and `audit/` the figures of theirs. `palette.py` names every color once,
`style.py`, `token_bars.py` and `labels.py` are shared; each figure has a function that says it in
a sentence.
"""
