"""Part 5: the meter that moves, the meter that does not, and what does change the law."""

import streamlit as st

from charts.pays.meters import changes_figure, changes_sentence, meter_figure, meter_sentence
from widgets.figure_parts import chart
from widgets.pays.choice import Choice


def meters(choice: Choice) -> None:
    """Two meters side by side, over all prompts, in the chosen precision."""
    some = [m for m in choice.found.meters if m.precision == choice.precision]
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Time a token: it moves", anchor=False)
        chart(meter_figure(some, "tpot_ms"), meter_sentence(some, "tpot_ms"), "pays-tpot")
    with right:
        st.subheader("Quality: it does not", anchor=False)
        chart(meter_figure(some, "log_prob"), meter_sentence(some, "log_prob"), "pays-quality")
    st.subheader("What does change the distribution, and by how much", anchor=False)
    changes = choice.found.changes
    chart(changes_figure(changes), changes_sentence(changes), "pays-changes")
