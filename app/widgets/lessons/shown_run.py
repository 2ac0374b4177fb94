"""The run that a lesson's figures show: the learner's own, if there is one, or a recorded one."""

import streamlit as st
from pydantic import ValidationError

from jobs.job import View
from jobs.worker import worker
from recordings.trace_files import recorded
from speculation.settings import Settings, complaints
from speculation.trace import Trace
from widgets import state
from widgets.markdown_text import plain, shortened
from widgets.notices import notice, noting
from widgets.state import Shown
from widgets.watch import run_progress, watch

_OWN, _NOTICE, _PART = "lesson_own_run", "lesson_own_notice", "lesson"
LENGTH = 40  # eight cycles at k = 4 commit at most that many


def run_of(preset: str) -> Shown | None:
    """The learner's own run, or the recording of a preset; None if that is missing."""
    own = own_trace()
    if own is not None:
        return Shown(own, "live")
    trace = recorded(preset) or recorded("code")
    return None if trace is None else Shown(trace, "recorded")


def own_trace() -> Trace | None:
    """The learner's own run of this session."""
    own = st.session_state.get(_OWN)
    return own.trace if isinstance(own, Shown) else None


def badge(shown: Shown) -> None:
    """Which run a figure shows, and where it comes from."""
    short = shortened(shown.trace.settings.prompt)
    if shown.source == "live":
        st.markdown(f":green-badge[live: computed here]  \n{plain(short)}")
    else:
        when = shown.trace.timings.recorded_at[:10]
        st.markdown(f":gray-badge[recorded {when} by the same code]  \n{plain(short)}")


def own_run(key: str) -> None:
    """A prompt, a seed and a button; the run then replaces the recording in every figure."""
    why = worker().unavailable()
    if why is not None:
        st.caption(plain(why))
        return
    prompt, seed = st.columns([4, 1], vertical_alignment="bottom")
    with prompt:
        text = st.text_input(
            "Your own prompt", "Name three uses of a paper clip.", key=f"prompt-{key}",
            max_chars=500,
        )  # fmt: skip
    with seed:
        number = st.number_input("Seed", 0, 9999, 1, key=f"seed-{key}")
    with st.container(horizontal=True):
        if st.button("Run it", key=f"run-{key}", type="primary"):
            _submit(text, int(number))
        if isinstance(st.session_state.get(_OWN), Shown) and st.button(
            "Back to the recording", key=f"back-{key}", type="tertiary"
        ):
            worker().leave(state.visitor(_PART))
            st.session_state.pop(_OWN)
            st.rerun()
    _follow()


def _submit(prompt: str, seed: int) -> None:
    with noting(_NOTICE):
        try:
            settings = Settings(prompt=prompt, seed=seed, k=4, length=LENGTH)
        except ValidationError as error:
            st.session_state[_NOTICE] = "; ".join(complaints(error).values())
            return
        worker().submit(state.visitor(_PART), settings)


def _follow() -> None:
    """How far the run is; when it is done, every figure of the lesson takes it."""
    view = _look()
    notice(_NOTICE)
    if view is None:
        return
    if not view.final:
        watch(_look, run_progress)
        return
    if view.error:
        st.warning(plain(view.error))
    elif view.trace is not None and not _shows(view.trace):
        st.session_state[_OWN] = Shown(view.trace, "live")
        st.rerun()


def _look() -> View | None:
    return worker().look(state.visitor(_PART))


def _shows(trace: Trace) -> bool:
    own = st.session_state.get(_OWN)
    return isinstance(own, Shown) and own.trace is trace
