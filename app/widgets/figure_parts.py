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
    """One slider a token. When one is moved the others make room, so that they say what is used."""
    keys = [f"{label}-{key}-{name}" for name in names]
    for one, value in zip(keys, start, strict=True):
        st.session_state.setdefault(one, float(value))

    def moved(place: int) -> None:
        shares = [round(100 * st.session_state[one]) for one in keys]
        for one, share in zip(keys, made_room(shares, place), strict=True):
            st.session_state[one] = share / 100

    values = [
        st.slider(f"{label}({name})", 0.0, 1.0, step=0.01, key=one, on_change=moved, args=(i,))
        for i, (name, one) in enumerate(zip(names, keys, strict=True))
    ]
    return np.array(values) / sum(values)


def made_room(shares: Sequence[int], moved: int) -> list[int]:
    """Hundredths that sum to 100: the moved one stays, the others share the rest as they did.

    >>> made_room([90, 30, 50], 0), made_room([20, 30, 50], 1), made_room([40, 0, 0], 0)
    ([90, 4, 6], [20, 30, 50], [40, 30, 30])
    """
    rest = 100 - shares[moved]
    others = [i for i in range(len(shares)) if i != moved]
    weights = {i: shares[i] for i in others}
    if not any(weights.values()):
        weights = dict.fromkeys(others, 1)
    exact = {i: rest * weight / sum(weights.values()) for i, weight in weights.items()}
    found = {i: int(value) for i, value in exact.items()} | {moved: shares[moved]}
    for i in sorted(others, key=lambda i: found[i] - exact[i])[: 100 - sum(found.values())]:
        found[i] += 1
    return [found[i] for i in range(len(shares))]


def rejections(trace: Trace) -> list[tuple[Cycle, Position]]:
    """The places of a run where a token was rejected and something was left over."""
    return [
        (cycle, cycle.drafted[cycle.n_accepted])
        for cycle in trace.cycles
        if cycle.replacement is not None
        and not cycle.replacement.bonus
        and cycle.n_accepted < len(cycle.drafted)
    ]
