"""A run with two switches: temperature 0, and the target as its own draft."""

import streamlit as st

from charts.run.committed import bars_of, committed_figure, committed_sentence
from charts.run.ratios import ratios_figure, ratios_sentence
from content.widget_options import GreedyAndSame
from recordings.trace_files import recorded
from widgets.figure_parts import chart
from widgets.lessons.shown_run import badge
from widgets.state import Shown

CYCLES = 8


def greedy_and_same(options: GreedyAndSame, key: str) -> None:
    """Eight cycles, and the ratio at every position that was checked in them."""
    first, second = st.columns(2, gap="large")
    with first:
        greedy = st.toggle("Temperature 0 (greedy)", options.start == "greedy", key=f"g-{key}")
    with second:
        same = st.toggle("The target as its own draft", options.start == "same", key=f"s-{key}")
    name = "code" + "-greedy" * greedy + "-same" * same
    trace = recorded(name)
    if trace is None:
        st.info("This run is not recorded.")
        return
    badge(Shown(trace, "recorded"))
    cycles = trace.cycles[:CYCLES]
    left, right = st.columns(2, gap="large")
    with left:
        chart(ratios_figure(cycles), ratios_sentence(cycles), f"ratios-{key}")
    with right:
        bars = bars_of(cycles)
        k = trace.settings.k
        chart(committed_figure(bars, k, CYCLES), committed_sentence(bars, k), f"bars-{key}")
