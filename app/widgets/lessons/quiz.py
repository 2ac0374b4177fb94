"""A checkpoint question on the page: answered, marked at once, tried again, kept.

Each question is a fragment, so an answer draws nothing but itself again. What was answered lives
in the store alone, so two tabs of one learner show the same.
"""

import streamlit as st

from content.blocks import Lesson, QuizBlock
from content.marking import Marked, NotAnAnswer, mark
from content.quiz import Choice, Numeric, Order
from store.learners import store
from store.records import AnswerRecord
from store.streamlit_identity import learner_id
from widgets.lessons.option_buttons import options_view
from widgets.markdown_text import one_line

_DONE_NOW = "lesson_done_now"


def quiz_view(block: QuizBlock, lesson: Lesson) -> None:
    """Draw one question of a lesson."""
    with st.container(key=f"quiz-{block.id}", gap="small"):
        st.fragment(_question)(block, lesson)


def _question(block: QuizBlock, lesson: Lesson) -> None:
    if st.session_state.pop(_DONE_NOW, False):
        st.rerun()  # the whole page: the sidebar says that the lesson is done
    before = store().answers(learner_id()).get(block.id)
    number = lesson.required.index(block.id) + 1
    st.markdown(f"**{number} of {len(lesson.required)}.** {one_line(block.quiz.question)}")

    def answer(text: str) -> None:
        _answer(block, lesson, text)

    if isinstance(block.quiz, Choice):
        chosen = before.final_answer if before else None
        options_view(block.id, block.quiz.options, chosen, answer)
    elif isinstance(block.quiz, Numeric):
        _numeric(block.id, block.quiz, before, answer)
    else:
        _order(block.id, block.quiz, before, answer)
    with st.container(key=f"said-{block.id}"):
        _said(block, before)


def _numeric(quiz_id: str, quiz: Numeric, before: AnswerRecord | None, answer: object) -> None:
    key = f"answer-{quiz_id}"

    def typed() -> None:
        text = str(st.session_state[key]).strip()
        if text:
            answer(text)  # type: ignore[operator]

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            f"Your number{f' ({quiz.unit})' if quiz.unit else ''}",
            value=before.final_answer if before else "",
            max_chars=30,
            key=key,
            width=220,
            on_change=typed,
        )
        st.button("Check", key=f"check-{quiz_id}", on_click=typed)


def _order(quiz_id: str, quiz: Order, before: AnswerRecord | None, answer: object) -> None:
    """Rows that move up by a button, and a button that asks for the verdict."""
    steps = {step.key: step for step in quiz.steps}
    place = f"order-{quiz_id}"
    if place not in st.session_state:
        kept = before.final_answer.split(",") if before else []
        fits = sorted(kept) == sorted(steps)
        st.session_state[place] = kept if fits else [step.key for step in quiz.shuffled()]
    order: list[str] = st.session_state[place]

    def up(i: int) -> None:
        order[i - 1], order[i] = order[i], order[i - 1]

    for i, key in enumerate(order):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(
                "Up",
                icon=":material/arrow_upward:",
                key=f"up-{quiz_id}-{key}",
                on_click=up,
                args=(i,),
                disabled=i == 0,
                help=f"Move step {i + 1} up",
            )
            st.markdown(f"{i + 1}. {one_line(steps[key].text)}")
    st.button(
        "Check the order",
        key=f"check-{quiz_id}",
        on_click=answer,  # type: ignore[arg-type]
        args=(",".join(order),),
    )


def _answer(block: QuizBlock, lesson: Lesson, text: str) -> None:
    """Mark a try and keep it, if it is another one than before."""
    refused = f"refused-{block.id}"
    st.session_state.pop(refused, None)
    me = learner_id()
    try:
        marked = mark(block.quiz, text)
    except NotAnAnswer as refusal:
        st.session_state[refused] = str(refusal)
        return
    before = store().answers(me).get(block.id)
    if before is not None and before.final_answer == text:
        return
    store().record(me, block.id, lesson.slug, text, marked.correct)
    store().reached(me, lesson.slug, section_of(lesson, block.id))
    right = [key for key, kept in store().answers(me).items() if kept.final_correct]
    if lesson.is_done(right) and store().progress(me)[lesson.slug].done_at is None:
        store().done(me, lesson.slug)
        st.session_state[_DONE_NOW] = True


def section_of(lesson: Lesson, block_id: str) -> int:
    """In which section, from 0, a question stands."""
    for i, section in enumerate(lesson.sections):
        if any(getattr(block, "id", None) == block_id for block in section.blocks):
            return i
    return 0


def _said(block: QuizBlock, before: AnswerRecord | None) -> None:
    """What is said about the last try."""
    refused = st.session_state.get(f"refused-{block.id}")
    if refused:
        st.warning(str(refused))
        return
    if before is None:
        return
    stale = isinstance(block.quiz, Order) and before.final_answer != ",".join(
        st.session_state[f"order-{block.id}"]
    )
    if not stale:
        _say(mark(block.quiz, before.final_answer), before)


def _say(marked: Marked, record: AnswerRecord) -> None:
    if marked.correct:
        tries = "" if record.first_correct else " Your first try was another one; both are kept."
        st.success(f"Right. {marked.feedback}{tries}", icon=":material/check:")
    else:
        lead = "" if marked.feedback.startswith("Not ") else "Not quite. "
        st.error(f"{lead}{marked.feedback}{idea_behind(marked)}", icon=":material/close:")


def idea_behind(marked: Marked) -> str:
    """The misconception that a wrong answer comes from, as one more sentence."""
    return f" The idea behind it: {marked.misconception}." if marked.misconception else ""
