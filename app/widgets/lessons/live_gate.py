"""A prediction about a real cycle: the figure stops before what decides, asks, and goes on.

Which cycle it is about says case_pool.py: one that this learner has met nowhere before.
"""

import streamlit as st

from charts.labels import token_label
from charts.lessons.hand_laws import hand_figure, table_laws
from charts.run.cycle_rows import cycle_rows, drafted_rows
from charts.run.laws import laws_sentence
from content.blocks import GateBlock, Lesson
from content.cases import Case, kept_under
from content.quiz import LiveGate
from speculation.trace import Trace
from widgets.figure_parts import chart
from widgets.lessons.case_pool import another_case, case_for, unmet_case
from widgets.lessons.gate import predicted
from widgets.lessons.shown_run import badge, own_trace
from widgets.markdown_text import plain
from widgets.state import Shown

TOKENS_BEFORE = 24


def live_gate_view(block: GateBlock, lesson: Lesson) -> None:
    """Draw the gate; it is a fragment of its own."""
    with st.container(key=f"gate-{block.id}", gap="small"):
        st.fragment(_live)(block, lesson)


def _live(block: GateBlock, lesson: Lesson) -> None:
    gate = block.gate
    if not isinstance(gate, LiveGate):
        raise TypeError(f"{block.id} asks about a reported case; use case_gate")
    case = case_for(block.id, gate.ask)
    if case is None:
        st.info("You have met every cycle that could be asked about here.")
        return
    trace, question = case.trace, case.question
    st.markdown(gate.before)
    badge(Shown(trace, "live" if trace is own_trace() else "recorded"))
    figure = st.container()  # drawn when it is known how much may be seen
    key = kept_under(block.id, case.key)
    missed = "There was a better bet." if gate.ask == "bet" else "It went another way."
    told = predicted(key, block.id, lesson, question.question, question.options, missed)
    with figure:
        _figure(gate, case, told, block.id)
    if told and unmet_case(gate.ask) is not None:

        def another() -> None:
            another_case(block.id, gate.ask)

        st.button("Ask about another cycle", key=f"another-{block.id}", on_click=another)


def _figure(gate: LiveGate, case: Case, told: bool, key: str) -> None:
    """The cycle, up to what is asked about; all of it once there is a prediction."""
    trace, cycle, place = case.trace, case.cycle, case.question.place
    if gate.ask in ("bet", "committed"):
        if gate.ask == "committed":
            st.html(drafted_rows(cycle, trace.pieces, _text_before(case), shown=told))
        else:
            known = len(cycle.drafted) if told else place or 0
            st.html(cycle_rows(cycle, trace.pieces, known, None if told else place))
        if told:
            st.markdown(plain(_outcome(case)))
        return
    position = cycle.drafted[place or 0]
    if position.table is None:
        return
    names, p, q, left = table_laws(position.table, trace.pieces)
    what = laws_sentence(trace, cycle, place or 0)
    sentence = what if told else "p and q at this place; the residual is not shown yet."
    chart(hand_figure(names, p, q, left if told else None), sentence, key, show=told)


def _text_before(case: Case) -> str:
    """The end of what was committed before the cycle; the prompt where that is nothing."""
    tokens = case.trace.tokens[: case.cycle.start]
    text = _text(case.trace, tokens[-TOKENS_BEFORE:])
    return f"{'…' * (len(tokens) > TOKENS_BEFORE)}{text}" or case.trace.settings.prompt


def _text(trace: Trace, tokens: list[int]) -> str:
    pieces = [trace.pieces[token] for token in tokens]
    text = "".join(x if isinstance(x, str) else token_label(x) for x in pieces)
    return text.replace("\n", "↵")


def _outcome(case: Case) -> str:
    """What the cycle committed, in words."""
    names = [token_label(case.trace.pieces[token]) for token in case.cycle.committed]
    count = f"{len(names)} token{'s' * (len(names) > 1)}"
    return f"This cycle committed {count}: {' '.join(names)}"
