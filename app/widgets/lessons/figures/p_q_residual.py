"""p, q and the residual: at a real place of a run, or on a few tokens with laws drawn by hand."""

import streamlit as st

from charts.lessons.hand_laws import hand_sentence
from charts.run.laws import laws_figure, laws_sentence
from components.hand_laws import hand_drawn
from content.widget_options import PQResidual
from widgets.figure_parts import chart, hand_laws, rejections
from widgets.lessons.shown_run import badge, run_of
from widgets.markdown_text import plain


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
    p, q = hand_drawn(names, start_p, start_q, key=f"laws-{key}")
    st.markdown(plain(hand_sentence(names, p, q)))
