"""p against q at the place the stepper stands on, the residual under it, and what to see."""

import streamlit as st

from charts.run.laws import laws_figure, laws_sentence
from components.stepper import Cursor
from speculation.trace import Trace
from widgets.markdown_text import plain


def laws_view(trace: Trace, cursor: Cursor | None) -> None:
    """Heading, figure and sentence for one place of one cycle."""
    if cursor is None:
        st.info("No cycle was finished, so there is nothing to compare yet.")
        return
    cycle = trace.cycles[cursor.cycle]
    place = cursor.position
    what = (
        "p at the bonus position"
        if place >= len(cycle.drafted)
        else "p against q, and the residual"
    )
    st.header(f"{what}: token {cycle.start + place + 1}, cycle {cycle.index + 1}", anchor=False)
    figure = laws_figure(trace, cycle, place)
    if figure is not None:
        st.plotly_chart(figure, key="laws", config={"displayModeBar": False})
    st.caption(plain(laws_sentence(trace, cycle, place)))
