"""A prediction about a real cycle: the figure stops before the verdict, asks, and goes on.

The question is built from the run on the page, so another prompt or seed asks another question.
"""

import streamlit as st

from charts.labels import token_label
from charts.lessons.hand_laws import hand_figure, table_laws
from charts.run.cycle_rows import cycle_rows
from charts.run.laws import laws_sentence
from content.blocks import GateBlock, Lesson
from content.live_questions import LiveQuestion, live_question
from content.quiz import LiveGate
from recordings.trace_files import recorded
from speculation.trace import Cycle, Trace, digest
from widgets.figure_parts import chart
from widgets.lessons.gate import predicted
from widgets.lessons.shown_run import badge, run_of
from widgets.markdown_text import plain
from widgets.state import Shown

FALLBACKS = ("code", "story", "question", "list", "poem")
Case = tuple[Cycle, LiveQuestion]


def live_gate_view(block: GateBlock, lesson: Lesson) -> None:
    """Draw the gate; it is a fragment of its own."""
    with st.container(key=f"gate-{block.id}", gap="small"):
        st.fragment(_live)(block, lesson)


def _live(block: GateBlock, lesson: Lesson) -> None:
    gate = block.gate
    if not isinstance(gate, LiveGate):
        raise TypeError(f"{block.id} asks about a reported case; use case_gate")
    found = _cases(gate)
    if found is None:
        st.info("No recorded run has a case for this question.")
        return
    shown, cases = found
    place = f"case-{block.id}"
    index = st.session_state.get(place, 0) % len(cases)
    cycle, question = cases[index]
    st.markdown(gate.before)
    badge(shown)
    figure = st.container()  # drawn when it is known how much may be seen
    key = f"{block.id}-{digest(shown.trace.tokens)[-4:]}-{cycle.index}"
    told = predicted(key, block.id, lesson, question.question, question.options)
    with figure:
        _figure(gate, shown.trace, cycle, question, told, block.id)
    if told and len(cases) > 1:

        def another() -> None:
            st.session_state[place] = index + 1

        st.button("Ask about another cycle", key=f"another-{block.id}", on_click=another)


def _cases(gate: LiveGate) -> tuple[Shown, list[Case]] | None:
    """The cycles that have a question: of the run on the page, else of a recorded one."""
    runs = [run_of("code")]
    for name in FALLBACKS:
        trace = recorded(name)
        runs.append(None if trace is None else Shown(trace, "recorded"))
    for shown in runs:
        if shown is None:
            continue
        pieces = shown.trace.pieces
        asked = [
            (cycle, live_question(gate.ask, cycle, lambda t: plain(token_label(pieces[t]))))  # noqa: B023
            for cycle in shown.trace.cycles
        ]
        cases = [(cycle, question) for cycle, question in asked if question is not None]
        if cases:  # the plain case, all accepted, is not the first to ask about
            return shown, sorted(cases, key=_is_extreme)
    return None


def _is_extreme(case: Case) -> bool:
    """Whether all or none of the drafts were accepted: such a case comes later."""
    cycle = case[0]
    return cycle.n_accepted in (0, len(cycle.drafted))


def _figure(
    gate: LiveGate, trace: Trace, cycle: Cycle, question: LiveQuestion, told: bool, key: str
) -> None:
    """The cycle, up to what is asked about; all of it once there is a prediction."""
    if gate.ask in ("verdict", "committed"):
        known = len(cycle.drafted) if told else question.place or 0
        st.html(cycle_rows(cycle, trace.pieces, known, None if told else question.place))
        if told:
            st.markdown(plain(_outcome(trace, cycle)))
        return
    position = cycle.drafted[question.place or 0]
    if position.table is None:
        return
    names, p, q, left = table_laws(position.table, trace.pieces)
    what = laws_sentence(trace, cycle, question.place or 0)
    sentence = what if told else "p and q at this place; the residual is not shown yet."
    chart(hand_figure(names, p, q, left if told else None), sentence, key, show=told)


def _outcome(trace: Trace, cycle: Cycle) -> str:
    """What the cycle committed, in words."""
    names = [token_label(trace.pieces[token]) for token in cycle.committed]
    count = f"{len(names)} token{'s' * (len(names) > 1)}"
    return f"This cycle committed {count}: {' '.join(names)}"
