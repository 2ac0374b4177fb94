"""p, q and the residual: at a real place of a run, or on a few tokens with laws set by hand."""

import streamlit as st
from charts.hand_laws import hand_figure, hand_sentence
from charts.laws import laws_figure, laws_sentence
from content.widget_options import PQResidual
from speculation.rule import residual

from widgets.figures.parts import chart, hand_laws, rejections, sliders
from widgets.lesson_run import badge, run_of


def p_q_residual(options: PQResidual, key: str) -> None:
    """By hand if a law is given, else at the rejections of a run."""
    if options.p is None and options.q is None:
        _real(options, key)
    else:
        _by_hand(options, key)


def _real(options: PQResidual, key: str) -> None:
    shown = run_of(options.preset)
    places = rejections(shown.trace) if shown else []
    if shown is None or not places:
        st.info("This run has no rejection to show.")
        return
    badge(shown)
    number = 1
    if len(places) > 1:
        number = st.slider("Rejection", 1, len(places), 1, key=f"place-{key}-{len(places)}")
    cycle, position = places[number - 1]
    place = position.index - cycle.start
    figure = laws_figure(shown.trace, cycle, place)
    if figure is not None:
        figure.update_layout(dragmode=False)
        chart(figure, laws_sentence(shown.trace, cycle, place), key)


def _by_hand(options: PQResidual, key: str) -> None:
    start_p, start_q, names = hand_laws(options)
    figure, controls = st.columns([3, 2], gap="large", vertical_alignment="center")
    with controls:
        with st.container(key=f"pair-{key}"):
            left, right = st.columns(2, gap="medium")
            with left:
                p = sliders("p", start_p, names, key)
            with right:
                q = sliders("q", start_q, names, key)
        st.markdown("Each law is scaled so that it sums to 1.")
    with figure:
        chart(hand_figure(names, p, q, residual(p, q)), hand_sentence(names, p, q), key)
