"""A classical rejection sampler beside the rule: how many draws a committed token takes."""

import numpy as np
import streamlit as st

from charts.lessons.tries import tries_figure
from content.widget_options import ClassicalRejection
from speculation.exactness.two_doors import classical_tries, sample
from widgets.figure_parts import chart, hand_laws, sliders


def classical_rejection(options: ClassicalRejection, key: str) -> None:
    """Both methods on the same laws, simulated with as many runs as the options say."""
    start_p, start_q, names = hand_laws(options)
    p = np.array(start_p)
    figure, controls = st.columns([3, 2], gap="large", vertical_alignment="center")
    with controls:
        q = sliders("q", start_q, names, key)
        again = f"again-{key}"
        if st.button("Draw again", key=f"button-{again}"):
            st.session_state[again] = st.session_state.get(again, 0) + 1
    with figure:
        if np.any((q <= 0.0) & (p > 0.0)):
            st.info(
                "With q = 0 at a token that p wants, the classical sampler never ends: it can only "
                "keep what q draws. The rule does not mind."
            )
            return
        rng = np.random.default_rng(st.session_state.get(again, 0))
        tries, classical = classical_tries(p, q, options.draws, rng)
        rule = sample(p, q, "exact", options.draws, rng)
        sentence = (
            f"Simulated here, {options.draws:,} tokens each: retrying took {tries.mean():.2f} "
            f"draws a token (M = {float((p / q).max()):.2f} is expected) and at most "
            f"{tries.max()}; the rule took one each time."
        )
        chart(tries_figure(tries, options.draws), sentence, key)
    st.table(
        {
            "": ["p, wanted", "retry until kept", "one shot"],
            **{
                name: [
                    f"{p[i]:.3f}",
                    f"{classical[i] / options.draws:.3f}",
                    f"{rule[i] / options.draws:.3f}",
                ]
                for i, name in enumerate(names)
            },
        }
    )
