"""One more question for a part: about its run, or from a lesson's checkpoint."""

import streamlit as st

from charts.labels import token_label
from classroom.errors import BadPlan
from classroom.plans.plan import Item
from classroom.plans.question import Question
from classroom.plans.questions import put
from content.library import library
from content.quiz import Order
from speculation.trace import Cycle, Trace
from widgets.classes import state
from widgets.markdown_text import one_line, plain

_KINDS = {
    "verdict": "Accepted or rejected?",
    "count": "How many tokens will this cycle commit?",
    "replacement": "Which token ends the cycle?",
    "quiz": "A checkpoint question",
}


def add_question(index: int, item: Item) -> None:
    """Draw the choice and its button."""
    run = item.run()
    box = st.popover("Add a question", key=_box(index), on_change="rerun")
    if not box.open:
        return
    with box:
        kind = st.selectbox(
            "Question", list(_KINDS), format_func=_KINDS.__getitem__, key=f"class-kind-{index}"
        )
        question = _quiz(index) if kind == "quiz" else _about_run(str(kind), index, run)
        if question is None:
            return
        try:
            asked = put(question, run)
        except BadPlan as bad:
            st.error(plain(str(bad)))
            return
        st.markdown(plain(asked.text))
        st.button("Add it", key=f"class-add-q-now-{index}", on_click=_add, args=(index, question))


def _box(index: int) -> str:
    return f"class-add-q-{index}"


def _add(index: int, question: Question) -> None:
    st.session_state[_box(index)] = False  # it closes, and what was added is seen
    state.edit(state.draft().with_question(index, question))


def _about_run(kind: str, index: int, run: Trace) -> Question | None:
    cycle = st.selectbox(
        "Cycle", range(len(run.cycles)), format_func=lambda c: _cycle_label(run, run.cycles[c]),
        key=f"class-cycle-{index}",
    )  # fmt: skip
    if kind != "verdict":
        return Question(kind=kind, cycle=cycle)  # type: ignore[arg-type]
    checked = run.cycles[cycle].checked
    if not checked:
        st.markdown("Nothing is decided in this cycle.")
        return None
    position = st.selectbox(
        "Position", range(len(checked)),
        format_func=lambda p: f"{p + 1}: {token_label(run.pieces[checked[p].token])}",
        key=f"class-position-{index}-{cycle}",
    )  # fmt: skip
    return Question(kind="verdict", cycle=cycle, position=position)


def _cycle_label(run: Trace, cycle: Cycle) -> str:
    tokens = " ".join(token_label(run.pieces[x.token]) for x in cycle.drafted)
    return f"{cycle.index + 1}: {tokens}"


def _quiz(index: int) -> Question | None:
    """Those that can be voted on: an order cannot."""
    blocks = {b.id: b for b in library().quizzes if not isinstance(b.quiz, Order)}
    chosen = st.selectbox(
        "Checkpoint question", list(blocks),
        format_func=lambda id: one_line(blocks[id].quiz.question)[:90],
        key=f"class-quiz-{index}",
    )  # fmt: skip
    return Question(kind="quiz", quiz=chosen) if chosen else None
