"""The cycles that predictions are made about, and which of them this learner has met.

Recorded runs come first, of those that no figure of a lesson shows; then the learner's own run. A
case is met when a gate shows it: the session remembers that, and the store once it is answered.
"""

from functools import lru_cache, partial

import streamlit as st

from charts.labels import token_label
from content.cases import Case, cases_of, in_order, met_before, next_case, runs_on_figures
from content.library import library
from content.quiz import Ask
from recordings.trace_files import recorded, recorded_names
from speculation.trace import Trace
from store.learners import store
from store.streamlit_identity import learner_id
from widgets.lessons.shown_run import own_trace
from widgets.markdown_text import plain

_MET = "lesson_cases_met"  # the keys of the cases that each gate has shown, in order


def case_for(gate: str, ask: Ask) -> Case | None:
    """The case that a gate shows: the last one it has shown, or a new one; None if all are met."""
    pool = case_pool(ask)
    shown = _shown(gate)
    here = next((case for case in pool if shown and case.key == shown[-1]), None)
    return here or another_case(gate, ask)


def another_case(gate: str, ask: Ask) -> Case | None:
    """A case that no gate has shown to this learner; from now on it is this gate's."""
    case = unmet_case(ask)
    if case is not None:
        _shown(gate).append(case.key)
    return case


def unmet_case(ask: Ask) -> Case | None:
    """The case that would come next."""
    return next_case(case_pool(ask), _met())


def case_pool(ask: Ask) -> tuple[Case, ...]:
    """Every case there is for a question, in the order in which they are asked."""
    own = own_trace()
    return (*_recorded(ask), *([] if own is None else cases_of(ask, own, _namer(own))))


@lru_cache(maxsize=8)
def _recorded(ask: Ask) -> tuple[Case, ...]:
    on_figures = runs_on_figures(library().lessons)
    traces = [recorded(name) for name in recorded_names() if not on_figures(name)]
    return tuple(
        in_order(
            case
            for trace in traces
            if trace is not None
            for case in cases_of(ask, trace, _namer(trace))
        )
    )


def _namer(trace: Trace) -> partial[str]:
    return partial(_name, trace)


def _name(trace: Trace, token: int) -> str:
    return plain(token_label(trace.pieces[token]))


def _shown(gate: str) -> list[str]:
    """The keys of the cases that a gate has shown, the last one last."""
    by_gate: dict[str, list[str]] = st.session_state.setdefault(_MET, {})
    if gate not in by_gate:
        by_gate[gate] = met_before(store().answers(learner_id()), gate)
    return by_gate[gate]


def _met() -> set[str]:
    """The keys of all cases that this learner has met, in any lesson."""
    by_gate: dict[str, list[str]] = st.session_state.setdefault(_MET, {})
    session = {key for keys in by_gate.values() for key in keys}
    return session | set(met_before(store().answers(learner_id())))
