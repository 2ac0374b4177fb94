"""Measurements in a lesson: the recorded ones, until somebody measures on this machine."""

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from jobs.job import View
from jobs.worker import Full, worker
from speculation.settings import Settings
from widgets import state
from widgets.markdown_text import plain
from widgets.watch import waiting_words, watch

if TYPE_CHECKING:  # it loads torch, which takes seconds
    from measuring.block_cost import Measurement


def measurements(precisions: tuple[str, ...], key: str) -> "list[Measurement]":
    """What is to be shown, with a badge that says where it comes from, and a button to measure."""
    from measuring.shipped import recorded_measurements  # loads torch: no other page waits for it

    live = [m for m in (_live(precision) for precision in precisions) if m is not None]
    recording = recorded_measurements()
    kept = [] if recording is None else recording.measurements
    found = live or [m for m in kept if m.precision in precisions]
    if live:
        st.markdown(f":green-badge[live: measured here]  \n{plain(live[0].machine)}")
    elif found:
        when = plain(found[0].recorded_at[:10])
        st.markdown(f":gray-badge[recorded {when} on another machine]  \n{plain(found[0].machine)}")
    why = worker().unavailable()
    if why is None:
        _button(precisions, key)
    return found


def _button(precisions: tuple[str, ...], key: str) -> None:
    if _running(precisions) is not None:
        watch(lambda: _running(precisions), partial(_progress, precisions))
        return
    if st.button("Measure it here", key=f"measure-{key}"):
        for precision in precisions:
            settings = Settings(precision="bfloat16" if precision == "bfloat16" else "float32")
            try:
                worker().submit(_who(precision), settings, "measure", fresh=True)
            except Full as full:
                st.warning(str(full))
        st.rerun()


def _running(precisions: tuple[str, ...]) -> View | None:
    """The first that goes on or waits; all are looked at, so that none is dropped."""
    views = [worker().look(_who(precision), "measure") for precision in precisions]
    return next((view for view in views if view is not None and not view.final), None)


def _progress(precisions: tuple[str, ...], running: View) -> None:
    views = [worker().look(_who(precision), "measure") for precision in precisions]
    done = sum(_done(view) for view in views) / len(views)
    doing = f"Measuring {running.settings.precision}: about ten seconds each"
    st.progress(done, waiting_words(running) or doing)


def _done(view: View | None) -> float:
    return view.measurement.done if view is not None and view.measurement is not None else 0.0


def _live(precision: str) -> "Measurement | None":
    view = worker().look(_who(precision), "measure")
    if view is not None and view.error:
        st.warning(plain(view.error))
    return view.measurement if view is not None and view.final else None


def _who(precision: str) -> str:
    """A name of its own in the worker for each precision, so that one does not end the other."""
    return state.visitor(precision)
