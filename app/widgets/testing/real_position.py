"""A real position: a text, a place in it, and the two models' whole laws there, scored live."""

import streamlit as st

from charts.labels import axis_label
from jobs.job import View
from jobs.worker import worker
from recordings.trace_files import recorded_presets
from speculation.schemes import Spot
from speculation.scored_place import Scored
from speculation.settings import Settings
from speculation.text import join
from speculation.trace import Trace
from widgets import state
from widgets.markdown_text import plain
from widgets.notices import notice, noting
from widgets.testing.cases import Case
from widgets.watch import waiting_words, watch

REAL = "real"
_PART = "test"
_CASE, _NOTICE, _SEEN = "test-real-case", "test-real-notice", "test-real-seen"


def real_case() -> Case | None:
    """The real position that was scored last, if any."""
    case = st.session_state.get(_CASE)
    return case if isinstance(case, Case) else None


def real_controls() -> None:
    """Choose a text and a place, and have the models score it."""
    why = worker().unavailable()
    if why is not None:
        st.caption(
            plain(f"Real positions need whole distributions, so live models: disabled here. {why}")
        )
        return
    with st.expander("A real position, live"):
        runs = _runs()
        name = st.selectbox("Text", list(runs), key="test-real-run")
        trace = runs[name]
        tokens = [token for cycle in trace.cycles for token in cycle.committed]
        last = max(2, len(tokens) - 1)
        place: int = st.slider(
            "After how many tokens", 1, last, min(8, last), key=f"test-real-place-{name}"
        )
        before = join(trace.pieces[token] for token in tokens[:place])
        st.caption(f"{plain(tail(before))} **?**")
        view = _look()
        running = view is not None and not view.final
        if st.button("Score it", key="test-real-score", disabled=running):
            _ask(trace.settings.model_copy(update={"length": place}))
            st.rerun()
        if running:
            watch(_look, _progress, 0.3)
        notice(_NOTICE)
    _collect()


def _runs() -> dict[str, Trace]:
    """The run in the Lab, and the recorded ones."""
    found: dict[str, Trace] = {}
    shown = state.shown()
    if shown is not None and shown.trace.cycles:
        found["The run in the Lab"] = shown.trace
    return found | {preset.title: trace for preset, trace in recorded_presets()}


def _ask(settings: Settings) -> None:
    with noting(_NOTICE):
        worker().submit(state.visitor(_PART), settings, "score")
        worker().settle(state.visitor(_PART), 0.2, "score")


def _look() -> View | None:
    return worker().look(state.visitor(_PART), "score")


def _progress(view: View) -> None:
    st.markdown(waiting_words(view) or "Reading the text, then the whole vocabulary ...")


def _collect() -> None:
    """Take over a position that has been scored."""
    view = _look()
    if view is None or not view.final:
        return
    if view.error and st.session_state.get(_NOTICE) != view.error:
        st.session_state[_NOTICE] = view.error
        st.rerun()
    scored = view.scored
    if scored is not None and st.session_state.get(_SEEN) is not scored:
        st.session_state[_SEEN] = scored
        st.session_state[_CASE] = case_of(scored)
        st.session_state["test-case-wanted"] = REAL
        st.rerun()


def case_of(scored: Scored) -> Case:
    """A scored place as a position under test."""
    settings = scored.settings
    text = join(scored.text)
    return Case(
        REAL,
        f"Real: token {len(scored.text) + 1} after “{tail(text, 24)}”",
        f"The shipped models after “{tail(text)}” (prompt: {tail(settings.prompt, 60)}), "
        f"temperature {settings.temperature:g}, {len(scored.target_logits):,} tokens. Scored "
        "live on this machine.",
        Spot(scored.target_logits, scored.draft_logits, settings.sampling),
        {token: axis_label(piece) for token, piece in scored.pieces.items()},
    )


def tail(text: str, most: int = 60) -> str:
    """The end of a text on one line, line breaks visible.

    >>> tail("one\\ntwo", 5)
    '…↵two'
    """
    line = text.replace("\n", "↵")
    return line if len(line) <= most else "…" + line[1 - most :]
