"""While the models are busy: a recorded run, at once, for those who do not want to wait."""

import streamlit as st

from jobs.job import View
from jobs.worker import worker
from recordings.trace_files import recorded_presets
from speculation.settings import Settings
from speculation.trace import Trace
from widgets import state


def recording_for(settings: Settings) -> Trace | None:
    """The shipped run that is nearest to what was asked: these settings, this prompt, or any."""
    shipped = [trace for _, trace in recorded_presets()]
    same = [trace for trace in shipped if trace.settings == settings]
    prompt = [trace for trace in shipped if trace.settings.prompt == settings.prompt]
    return next(iter([*same, *prompt, *shipped]), None)


def offer_recording(view: View) -> None:
    """One line and a button, drawn while somebody waits for their turn."""
    trace = recording_for(view.settings)
    if trace is None:
        return
    same = trace.settings.prompt == view.settings.prompt
    with st.container(horizontal=True, vertical_alignment="center", key="offer-recording"):
        st.caption("The models are busy with the runs of others. A recorded run needs no models.")
        st.button(
            "Show the recording" if same else "Show a recorded run",
            key="show-recording",
            on_click=_show,
            args=(trace,),
        )


def _show(trace: Trace) -> None:
    worker().leave(state.visitor())
    state.show(trace, "recorded")
    state.fill_controls(trace.settings)
