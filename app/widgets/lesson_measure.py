"""Measurements in a lesson: the recorded ones, until somebody measures on this machine."""

import streamlit as st
from jobs.worker import Full, worker
from measurements import recorded_measurements
from settings import Settings
from speculation.measure import Measurement

from widgets import state
from widgets.plain import plain

TICK_SECONDS = 0.5


def measurements(precisions: tuple[str, ...], key: str) -> list[Measurement]:
    """What is to be shown, with a badge that says where it comes from, and a button to measure."""
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
    running = [p for p in precisions if (v := worker().look(_who(p), "measure")) and not v.final]
    if running:
        views = [worker().look(_who(p), "measure") for p in precisions]
        done = sum(_done(view) for view in views) / len(views)
        st.progress(done, f"Measuring {running[0]}: about ten seconds each")
        st.fragment(_tick, run_every=TICK_SECONDS)(precisions, key)
        return
    if st.button("Measure it here", key=f"measure-{key}"):
        for precision in precisions:
            settings = Settings(precision="bfloat16" if precision == "bfloat16" else "float32")
            try:
                worker().submit(_who(precision), settings, "measure", fresh=True)
            except Full as full:
                st.warning(str(full))
        st.rerun()


def _done(view: object) -> float:
    measurement = getattr(view, "measurement", None)
    return measurement.done if isinstance(measurement, Measurement) else 0.0


def _tick(precisions: tuple[str, ...], key: str) -> None:
    views = [worker().look(_who(precision), "measure") for precision in precisions]
    now = [(view.state, _done(view)) for view in views if view is not None]
    if now != st.session_state.get(f"measured-{key}"):
        st.session_state[f"measured-{key}"] = now
        st.rerun()


def _live(precision: str) -> Measurement | None:
    view = worker().look(_who(precision), "measure")
    if view is not None and view.error:
        st.warning(plain(view.error))
    return view.measurement if view is not None and view.final else None


def _who(precision: str) -> str:
    """A name of its own in the worker for each precision, so that one does not end the other."""
    return f"{state.visitor()}-{precision}"
