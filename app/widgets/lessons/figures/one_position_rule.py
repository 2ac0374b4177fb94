"""The rule at one position: sliders for p(x) and q(x), a button that draws u, and a tally."""

import numpy as np
import streamlit as st

from charts.lessons.one_position import rule_figure, rule_sentence
from content.widget_options import OnePositionRule
from widgets.figure_parts import chart

MANY = 100


def one_position_rule(options: OnePositionRule, key: str) -> None:
    """Draw it. The tally begins anew when p or q is moved: it is about these two numbers."""
    figure, controls = st.columns([3, 2], gap="large", vertical_alignment="center")
    with controls:
        p = st.slider("p(x), the target's probability", 0.0, 1.0, options.p, 0.01, key=f"p-{key}")
        q = st.slider("q(x), the draft's probability", 0.01, 1.0, options.q, 0.01, key=f"q-{key}")
        drawn = _tally(p, q, key)
        with st.container(horizontal=True):
            if st.button("Draw u", key=f"u-{key}", type="primary"):
                drawn.extend(np.random.default_rng().random(1).tolist())
            if st.button(f"Draw {MANY}", key=f"many-{key}"):
                drawn.extend(np.random.default_rng().random(MANY).tolist())
    u = drawn[-1] if drawn else None
    with figure:
        chart(rule_figure(p, q, u), rule_sentence(p, q, u), key)
        a = min(1.0, p / q)
        kept = sum(x < a for x in drawn)
        share = f", a share of {kept / len(drawn):.2f}" if drawn else ""
        st.markdown(f"Drawn {len(drawn)} times, accepted {kept}{share}. Expected: {a:.2f}.")


def _tally(p: float, q: float, key: str) -> list[float]:
    """The numbers drawn for this p and q."""
    name = f"tally-{key}"
    if st.session_state.get(f"{name}-for") != (p, q):
        st.session_state[name] = []
        st.session_state[f"{name}-for"] = (p, q)
    drawn: list[float] = st.session_state[name]
    return drawn
