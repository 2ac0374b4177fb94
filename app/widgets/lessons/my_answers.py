"""What this learner has answered: a table, files to take along, and how to continue elsewhere."""

import streamlit as st

from components.identity import identity_forms
from content.library import Library
from content.qti import qti_package
from content.quiz import CaseGate, Choice
from store.learners import store
from store.records import AnswerRecord
from store.streamlit_identity import learner_id
from widgets.markdown_text import one_line, plain


def my_answers(library: Library) -> None:
    """Draw the section."""
    me = learner_id()
    answers = store().answers(me)
    questions = _questions(library)
    st.header("My answers", anchor="my-answers")
    kept, elsewhere = st.columns([3, 2], gap="large")
    with kept:
        if answers:
            _table(answers, questions, _texts(library))
        else:
            st.markdown("Nothing answered yet. Answers are kept under a random number in a cookie.")
        _files(me, library, questions, bool(answers))
    with elsewhere:
        if answers:
            st.markdown("To continue on another device, note this code:")
            st.code(store().resume_code(me), language=None)
        identity_forms("identity")
        if answers:
            _delete(me)


def _table(
    answers: dict[str, AnswerRecord], questions: dict[str, str], texts: dict[tuple[str, str], str]
) -> None:
    """One row a question: the first try, and the last one."""
    rows = [
        {
            "question": plain(questions.get(key, "A prediction about a run's own cycle")),
            "first try": _said(record.first_answer, record.first_correct, key, texts),
            "last": _said(record.final_answer, record.final_correct, key, texts),
            "tries": str(record.tries),
        }
        for key, record in answers.items()
    ]
    with st.container(height=330 if len(rows) > 4 else "content", border=False):
        st.table(rows)


def _said(answer: str, correct: bool | None, key: str, texts: dict[tuple[str, str], str]) -> str:
    if correct is None:
        return "skipped"
    return f"{'right' if correct else 'wrong'}: {plain(texts.get((key, answer), answer))}"


def _questions(library: Library) -> dict[str, str]:
    """The text of every question, by id."""
    found = {block.id: one_line(block.quiz.question) for block in library.quizzes}
    for document in library.documents:
        for block in document.gates:
            if isinstance(block.gate, CaseGate):
                found[block.id] = one_line(block.gate.question)
    return found


def _texts(library: Library) -> dict[tuple[str, str], str]:
    """The text of every option, by question and key."""
    found = {}
    for document in library.documents:
        choices = [(b.id, b.quiz.options) for b in document.quizzes if isinstance(b.quiz, Choice)]
        cases = [(b.id, b.gate.options) for b in document.gates if isinstance(b.gate, CaseGate)]
        for key, options in (*choices, *cases):
            found.update({(key, option.key): one_line(option.text) for option in options})
    return found


def _files(me: str, library: Library, questions: dict[str, str], any_answers: bool) -> None:
    """Downloads; the files are made when they are asked for."""
    with st.container(horizontal=True):
        if any_answers:
            st.download_button(
                "My answers, CSV", lambda: store().export_csv(me, questions), "answers.csv",
                "text/csv", on_click="ignore",
            )  # fmt: skip
            st.download_button(
                "My answers, JSON", lambda: store().export_json(me, questions), "answers.json",
                "application/json", on_click="ignore",
            )  # fmt: skip
        st.download_button(
            "All questions, QTI 2.1", lambda: qti_package(library), "questions.zip",
            "application/zip", on_click="ignore",
            help="The question bank, for systems that import QTI 2.1. Moodle by itself does not.",
        )  # fmt: skip


def _delete(me: str) -> None:
    with st.popover("Delete my answers"):
        st.markdown("Answers, progress and resume code are removed for good.")
        if st.button("Delete them now", key="delete-answers"):
            store().forget(me)
            st.rerun()
