"""A run on the page: the stepper, its numbers, and the laws at the place one stands on.

While a run streams, text and bars follow it; its trace is handed over once, at the end. Both live
in fragments, so that neither a step nor a tick of the stream draws the rest of the page again.
"""

from functools import partial

import streamlit as st

from components.stepper import Cursor, Progress, presenting, stepper
from jobs.job import State, View
from jobs.worker import worker
from speculation.trace import Trace
from widgets import state
from widgets.lab.departure_strip import departure_strip
from widgets.lab.laws_view import laws_view
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


def _streaming(drawn_large: bool, view: View) -> None:
    """One tick of a run that goes on."""
    if _present() != drawn_large:
        st.rerun()  # the whole page
    with st.container(key="status-running"):  # in the place and height of a finished one's words
        run_progress(view)
        if view.state is State.WAITING:
            offer_recording(view)
    stepper(
        None,
        key=Key.STEPPER,
        progress=Progress.of(view.cycles, view.pieces, view.settings.k, view.settings.length),
        present=_present(),
        on_present=_presenting,
    )


def _finished(drawn_large: bool) -> None:
    """A whole run, to be stepped through."""
    if _present() != drawn_large:
        st.rerun()  # the whole page
    shown = state.shown()
    if shown is None:
        return
    cursor = stepper(
        shown.trace,
        key=Key.STEPPER,
        present=_present(),
        on_present=_presenting,
    )
    if _present():
        return
    _beside(shown.trace, cursor)


def _beside(trace: Trace, cursor: Cursor | None) -> None:
    laws, numbers = st.columns([3, 2], gap="large")
    with laws:
        laws_view(trace, cursor)
    with numbers:
        st.header("Numbers of this run", anchor=False)
        run_numbers(trace)
        before = state.previous()
        if before is not None:
            st.header("Beside the run before", anchor=False)
            departure_strip(trace, before)


def _present() -> bool:
    return bool(st.session_state.get(Key.PRESENT))


def _presenting() -> None:
    """The person asked for large type, or to leave it, with a key in the stepper."""
    st.session_state[Key.PRESENT] = presenting(Key.STEPPER)
