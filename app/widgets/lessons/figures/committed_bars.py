"""Tokens committed by each cycle: given numbers, a recorded run, or a run on one's own prompt."""

import streamlit as st

from charts.run.committed import (
    Bar,
    bars_given,
    bars_of,
    committed_figure,
    committed_sentence,
)
from content.widget_options import CommittedBars
from widgets.figure_parts import chart
from widgets.lessons.shown_run import badge, own_run, run_of

EIGHT = 8


def committed_bars(options: CommittedBars, key: str) -> None:
    """The bars; `twin` puts eight cycles of a real run beside the given ones."""
    if options.given is None:
        _real(options, key, None)
        return
    given = bars_given(options.given, options.k)
    if not options.twin:
        _bars(given, options.k, key)
        return
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(":gray-badge[an example]  \nThe eight cycles of the text")
        _bars(given, options.k, key)
    with right:
        _real(options, f"{key}-twin", EIGHT)
    own_run(key)


def _real(options: CommittedBars, key: str, most: int | None) -> None:
    shown = run_of(options.preset)
    if shown is None:
        st.info("There is no recorded run to show.")
        return
    badge(shown)
    _bars(bars_of(shown.trace.cycles[:most]), shown.trace.settings.k, key)


def _bars(bars: list[Bar], k: int, key: str) -> None:
    chart(committed_figure(bars, k), committed_sentence(bars, k), key)
