"""A run on the page: the stepper with its distributions, and under it what is said of the whole.

While a run streams, text and bars follow it; it is handed over once, at the end, and from then on
the browser draws every place by itself. Both live in fragments, so that neither a tick of the
stream nor a chart that follows draws the rest of the page again.
"""

from functools import partial

import streamlit as st

from components.stepper import Progress, presenting, stepper
from jobs.job import State, View
from jobs.worker import worker
from speculation.trace import Trace
from widgets import state
from widgets.lab.departure_strip import departure_strip
from widgets.lab.place_chart import place_chart, place_chart_open
from widgets.lab.run_numbers import run_numbers
from widgets.lab.waiting import offer_recording
from widgets.state import Key
from widgets.watch import run_progress, watch

TICK_SECONDS = 0.3


def run_view(view: View | None) -> None:
    """Draw what is there: a streaming run, a finished one, or why there is none."""
    if view is not None and not view.final:
        watch(lambda: worker().look(state.visitor()), partial(_streaming, _present()), TICK_SECONDS)
        return
    shown = state.shown()
    if shown is None:
        st.info("Nothing to show yet: press Run.")
        return
    st.fragment(_finished)(_present())
    if not _present():
        _below(shown.trace)


def _streaming(drawn_large: bool, view: View) -> None:
    """One tick of a run that goes on."""
    if _present() != drawn_large:
        st.rerun()  # the whole page
    with st.container(key="status-running", gap=None):  # in the place of a finished one's words
        run_progress(view)
        if view.state is State.WAITING:
            offer_recording(view)
    stepper(
        None,
        key=Key.STEPPER,
        progress=Progress.of(view.cycles, view.pieces, view.settings.k, view.settings.length),
        present=_present(),
        screen=True,
        on_present=_presenting,
    )


def _finished(drawn_large: bool) -> None:
    """A whole run, to be stepped through; the server hears where, only while a chart follows."""
    if _present() != drawn_large:
        st.rerun()  # the whole page
    shown = state.shown()
    if shown is None:
        return
    cursor = stepper(
        shown.trace,
        key=Key.STEPPER,
        present=_present(),
        screen=True,
        follow=place_chart_open(),
        on_present=_presenting,
    )
    if not _present():
        place_chart(shown.trace, cursor)


def _below(trace: Trace) -> None:
    """Under the run: its numbers, and where it parts from the one before."""
    before = state.previous()
    numbers, beside = st.columns([3, 2], gap="large") if before else (st.container(), None)
    with numbers:
        st.header("Numbers of this run", anchor=False)
        run_numbers(trace)
    if before is not None and beside is not None:
        with beside:
            st.header("Beside the run before", anchor=False)
            departure_strip(trace, before)


def _present() -> bool:
    return bool(st.session_state.get(Key.PRESENT))


def _presenting() -> None:
    """The person asked for large type, or to leave it, with a key in the stepper."""
    st.session_state[Key.PRESENT] = presenting(Key.STEPPER)
