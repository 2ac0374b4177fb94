"""The curve measured on this machine: a button, its progress, and what is kept for the session."""

import streamlit as st

from jobs.job import View
from jobs.worker import worker
from measuring.curve_here import Here, MeasureHere
from measuring.ladder_file import DraftMeasurements, Rung, SpeedCell
from speculation.settings import Precision, Settings
from widgets import state
from widgets.markdown_text import plain
from widgets.notices import notice, noting
from widgets.watch import waiting_words, watch

LENGTH = 32
_PART = "pays"
_KEPT, _NOTICE, _SEEN = "pays-here-kept", "pays-here-notice", "pays-here-seen"
Curve = tuple[str, str, float, str]


def kept(rung: str, kind: str, temperature: float, precision: str) -> list[SpeedCell] | None:
    """The curve that was measured here in this session, if any."""
    curves: dict[Curve, list[SpeedCell]] = st.session_state.get(_KEPT, {})
    return curves.get((rung, kind, temperature, precision))


def measure_here(
    found: DraftMeasurements, rung: Rung, kind: str, temperature: float, precision: Precision
) -> None:
    """Draw the button, or how far it is."""
    why = worker().unavailable()
    if why is not None:
        st.caption(plain(f"Measuring here needs the live models. {why}"))
        return
    view = worker().look(state.visitor(_PART), "work")
    if view is not None and not view.final:
        watch(lambda: worker().look(state.visitor(_PART), "work"), _running)
        return
    _collect(view)
    if st.button("Measure this curve on this machine", key="pays-measure"):
        work = MeasureHere(
            rung=rung.name,
            kind=kind,
            prompt=found.prompts[kind][0],
            mode="chat",
            temperature=temperature,
            precision=precision,
            length=LENGTH,
        )
        settings = Settings(pair=rung.pair, precision=precision)
        with noting(_NOTICE):
            worker().submit(state.visitor(_PART), settings, "work", fresh=True, work=work)
        st.rerun()
    st.caption("Seven runs on one prompt, about 15 seconds; kept until this page is closed.")
    notice(_NOTICE)


def _running(view: View) -> None:
    """One tick: progress, and Stop."""
    now = view.published
    done = now.done if isinstance(now, Here) else 0.0
    st.progress(done, waiting_words(view) or "Measuring, plain decoding in between ...")
    if st.button("Stop", key="pays-stop"):
        worker().stop(state.visitor(_PART), "work")
        st.rerun()


def _collect(view: View | None) -> None:
    """Keep a finished curve, or a stopped one as far as it got."""
    if view is None:
        return
    if view.error:
        st.session_state[_NOTICE] = view.error
    now = view.published
    if not isinstance(now, Here) or st.session_state.get(_SEEN) is now:
        return
    st.session_state[_SEEN] = now
    cells = now.cells
    if not cells:
        st.session_state[_NOTICE] = "Stopped before there was anything to compare."
        return
    first = cells[0]
    key = (first.rung, first.kind, first.temperature, first.precision)
    st.session_state[_KEPT] = st.session_state.get(_KEPT, {}) | {key: cells}
    st.rerun()
