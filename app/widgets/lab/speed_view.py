"""The same target decoded plainly on the same prompt: measured on request, side by side."""

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from jobs.job import View
from jobs.worker import Full, worker
from speculation.settings import Settings
from widgets import state
from widgets.markdown_text import plain as as_it_stands
from widgets.watch import waiting_words, watch

if TYPE_CHECKING:  # it loads torch, which takes seconds
    from speculation.compare import Comparison


def speed_view(settings: Settings) -> None:
    """A button, its progress, and the ratio: also where it is below 1."""
    with st.expander("Is it faster here? Measure it against plain decoding"):
        if _look() is None:
            st.fragment(_panel)(settings)
        else:
            watch(_look, partial(_panel, settings), also_finished=True)


def _look() -> View | None:
    return worker().look(state.visitor(), "compare")


def _panel(settings: Settings, view: View | None = None) -> None:
    st.caption(
        "Runs this prompt both ways, taking turns, with every pass really made. Plain decoding is "
        "one target pass a token."
    )
    running = view is not None and not view.final
    if worker().unavailable():
        st.caption("This needs the live models.")
        return
    if running:
        if st.button("Stop measuring"):
            worker().stop(state.visitor(), "compare")
    elif st.button("Measure", key="measure"):
        try:
            worker().submit(state.visitor(), settings, "compare", fresh=True)
        except Full as full:
            st.warning(str(full))
        st.rerun()
    if view is not None:
        _result(view, settings)


def _result(view: View, settings: Settings) -> None:
    if view.error:
        st.warning(as_it_stands(view.error))
    comparison = view.comparison
    if not view.final:
        done = comparison.done if comparison else 0.0
        st.progress(done, waiting_words(view) or "Measuring")
    if comparison is None:
        return
    if view.settings != settings:
        st.caption("This was measured with other settings than those of the run above.")
    spec, plain, ratio = st.columns(3)
    spec.metric("speculative", f"{comparison.speculative.tokens_per_second:.1f} tokens/s")
    plain.metric("plain", f"{comparison.plain.tokens_per_second:.1f} tokens/s")
    ratio.metric("ratio", f"{comparison.speedup:.2f}x")
    st.caption(_verdict(view.settings, comparison))


def _verdict(settings: Settings, comparison: "Comparison") -> str:
    where = f"in {settings.precision} on {comparison.machine}"
    if comparison.speedup < 0.98:
        return (
            f"Slower here, {where}: the drafts that were thrown away cost more time than the "
            "accepted ones saved. The text's distribution is the same either way."
        )
    if comparison.speedup <= 1.02:
        return f"No difference worth the name, {where}."
    return f"Faster here, {where}, by this much on this prompt. One run each: expect some noise."
