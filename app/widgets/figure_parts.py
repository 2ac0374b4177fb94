"""What several figures use: a chart with its words, laws set by hand, places of a run."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from charts.style import CONFIG
from content.widget_options import TwoLaws
from speculation.rule import Law
from speculation.trace import Cycle, Position, Trace
from widgets.markdown_text import plain

DEFAULT_P = (0.5, 0.2, 0.2, 0.1)
DEFAULT_Q = (0.3, 0.4, 0.1, 0.2)


def chart(figure: go.Figure, sentence: str, key: str, show: bool = True) -> None:
    """A figure; its sentence is what a screen reader hears, and is shown under it."""
    st.plotly_chart(figure, key=f"chart-{key}", config=CONFIG, alt=sentence)
    if show:
        st.markdown(plain(sentence))


def hand_laws(options: TwoLaws) -> tuple[tuple[float, ...], tuple[float, ...], list[str]]:
    """The laws that the options give, and the tokens' names."""
    p = options.p or DEFAULT_P
    q = options.q or DEFAULT_Q
    return p, q, list(options.names[: len(p)])


def sliders(label: str, start: Sequence[float], names: Sequence[str], key: str) -> Law:
    """One slider a token; whatever they say is scaled so that it sums to 1."""
    weights = [
        st.slider(f"{label}({name})", 0.0, 1.0, float(value), 0.05, key=f"{label}-{key}-{name}")
        for name, value in zip(names, start, strict=True)
    ]
    total = sum(weights)
    if total <= 0.0:
        return np.full(len(weights), 1.0 / len(weights))
    return np.array(weights) / total


def rejections(trace: Trace) -> list[tuple[Cycle, Position]]:
    """The places of a run where a token was rejected and something was left over."""
    return [
        (cycle, cycle.drafted[cycle.n_accepted])
        for cycle in trace.cycles
        if cycle.replacement is not None
        and not cycle.replacement.bonus
        and cycle.n_accepted < len(cycle.drafted)
    ]
