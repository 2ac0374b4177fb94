"""Part 4: where the time goes in a cycle, and the drafts that were made for nothing."""

import streamlit as st

from charts.pays.time_parts import fates_figure, fates_sentence, time_figure, time_sentence
from widgets.figure_parts import chart
from widgets.pays.choice import Choice


def time_parts(choice: Choice) -> None:
    """Time a token on the left, drafts a cycle on the right."""
    if not choice.cells:
        st.info("Speed was not measured at this temperature: choose T = 0 or 1, or measure above.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Time", anchor=False)
        chart(time_figure(choice.cells), time_sentence(choice.cells, choice.k), "pays-time")
    with right:
        st.subheader("Drafts", anchor=False)
        chart(fates_figure(choice.cells), fates_sentence(choice.cells, choice.k), "pays-fates")
