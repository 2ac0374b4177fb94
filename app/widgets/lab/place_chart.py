"""The place the stepper stands on as a Plotly chart: to zoom, to save, and as a table of numbers.

The stepper draws the same numbers in the browser; here they are explored. Only while this is open
does the server hear of moves.
"""

import streamlit as st

from charts.run.laws import laws_figure, laws_numbers, laws_sentence
from components.stepper import Cursor
from speculation.trace import Trace
from widgets.markdown_text import plain
from widgets.state import Key

_CONFIG = {"displaylogo": False, "toImageButtonOptions": {"filename": "place", "scale": 2}}


def place_chart_open() -> bool:
    """Whether somebody looks at it."""
    return bool(st.session_state.get(Key.PLACE_CHART))


def place_chart(trace: Trace, cursor: Cursor | None) -> None:
    """A box that opens; what is in it is made only then."""
    box = st.expander(
        "Open this place as a chart: zoom, save, and its numbers as a table",
        key=Key.PLACE_CHART,
        on_change="rerun",
    )
    if not place_chart_open():
        return
    with box:
        if cursor is None:
            st.info("No cycle was finished, so there is nothing to compare yet.")
            return
        cycle = trace.cycles[cursor.cycle]
        sentence = laws_sentence(trace, cycle, cursor.position)
        figure = laws_figure(trace, cycle, cursor.position)
        st.caption(f"Token {cycle.start + cursor.position + 1}, cycle {cycle.index + 1}.")
        if figure is not None:
            st.plotly_chart(figure, key="laws", config=_CONFIG, alt=sentence)
        st.caption(plain(sentence))
        numbers = laws_numbers(trace, cycle, cursor.position)
        if numbers is not None:
            st.table({name: [plain(x) for x in column] for name, column in numbers.items()})
