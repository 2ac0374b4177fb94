"""A prediction before an answer. It can be skipped, and is kept like an answer."""

from collections.abc import Sequence

import streamlit as st

from content.blocks import GateBlock, Lesson
from content.marking import mark_option
from content.quiz import CaseGate, Option
from store.learners import store
from store.streamlit_identity import learner_id
from widgets.lessons.option_buttons import options_view
from widgets.lessons.quiz import idea_behind, section_of
from widgets.markdown_text import one_line

SKIPPED = "skipped"


def case_gate(block: GateBlock, lesson: Lesson) -> None:
    """A reported case: the question, then what happened."""
    with st.container(key=f"gate-{block.id}", gap="small"):
        st.fragment(_case)(block, lesson)


def _case(block: GateBlock, lesson: Lesson) -> None:
    gate = block.gate
    if not isinstance(gate, CaseGate):
        raise TypeError(f"{block.id} asks about a live cycle; use live_gate_view")
    if predicted(block.id, block.id, lesson, gate.question, gate.options):
        st.info(f"{one_line(gate.reveal)} ([source]({gate.source}))")


def predicted(
    key: str,
    block_id: str,
    lesson: Lesson,
    question: str,
    options: Sequence[Option],
    missed: str = "It went another way.",
) -> bool:
    """Ask -> whether there is a prediction, or it was skipped, so that the answer can be shown.

    missed  what a wrong prediction is told first
    """
    key = key[:60]
    me = learner_id()
    kept = store().answers(me).get(key)
    chosen = kept.final_answer if kept else None

    def keep(answer: str) -> None:
        if answer == chosen:
            return
        correct = None if answer == SKIPPED else mark_option(options, answer).correct
        store().record(me, key, lesson.slug, answer, correct)
        store().reached(me, lesson.slug, section_of(lesson, block_id))

    st.markdown(f"**Predict first.** {one_line(question)}")
    options_view(key, options, chosen, keep, reveal=chosen is not None)
    if chosen is None:
        st.button(
            "Skip, and show me", key=f"skip-{key}", type="tertiary", on_click=keep, args=(SKIPPED,)
        )
        return False
    if chosen != SKIPPED:
        marked = mark_option(options, chosen)
        word = "You predicted right." if marked.correct else missed
        st.markdown(f"**{word}** {marked.feedback}{idea_behind(marked)}")
    return True
