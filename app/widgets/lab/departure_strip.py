"""Where a new run parts from the one before it: one cell a token, laid side by side."""

import streamlit as st

from charts.run.departure import departure_figure, departure_sentence
from speculation.trace import Trace
from widgets.markdown_text import plain


def departure_strip(trace: Trace, before: Trace) -> None:
    """The strip and its sentence; nothing when the two runs are one."""
    changed = _changed(trace, before)
    st.caption(plain(departure_sentence(trace, before, changed)))
    st.plotly_chart(
        departure_figure(trace, before), config={"displayModeBar": False}, key="departure"
    )


def _changed(trace: Trace, before: Trace) -> list[str]:
    """The settings that differ, as "temperature 1.0 to 0.7"."""
    now, then = trace.settings.model_dump(), before.settings.model_dump()
    return [
        f"{name.replace('_', '-')} {then[name]} to {now[name]}"
        for name in now
        if now[name] != then[name]
    ]
