"""A whole checkpoint, answered wrong and right on the page, and the rows it leaves."""

import pytest
from streamlit.testing.v1 import AppTest

from content.library import library
from content.quiz import Choice, Numeric
from helpers.patience import patience
from store import learners


@pytest.fixture(autouse=True)
def _own_store(fresh_server: object) -> None:
    """A store of its own."""


def checkpoint() -> None:
    import streamlit as st

    from content.blocks import GateBlock, QuizBlock
    from content.library import library
    from content.quiz import CaseGate
    from store.streamlit_identity import learner_id
    from widgets.lessons.gate import case_gate
    from widgets.lessons.quiz import quiz_view

    lesson = library().lessons[0]
    st.text(learner_id())
    for block in lesson.blocks:
        if isinstance(block, GateBlock) and isinstance(block.gate, CaseGate):
            case_gate(block, lesson)
        if isinstance(block, QuizBlock):
            quiz_view(block, lesson)


def test_wrong_then_right_and_what_is_kept() -> None:
    app = AppTest.from_function(checkpoint, default_timeout=patience(60)).run()
    assert not app.exception
    me = app.text[0].value
    lesson = library().lessons[0]
    for block in lesson.quizzes:
        quiz, key = block.quiz, f"answer-{block.id}"
        if isinstance(quiz, Choice):
            wrong = next(option for option in quiz.options if not option.right)
            app.button(f"option-{block.id}-{wrong.key}").click().run()
            assert wrong.feedback in app.error[-1].value
            assert str(wrong.misconception) in app.error[-1].value
            app.button(f"option-{block.id}-{quiz.right.key}").click().run()
        elif isinstance(quiz, Numeric):
            app.text_input(key).set_value("many").run()
            assert "Type a number" in app.warning[0].value
            app.text_input(key).set_value(str(quiz.answer + 5)).run()
            app.text_input(key).set_value(str(quiz.answer)).run()
        else:
            app.button(f"check-{block.id}").click().run()
            assert "Not yet." in app.error[-1].value
            for place, step in enumerate(quiz.steps):
                at = app.session_state[f"order-{block.id}"].index(step.key)
                for _ in range(at - place):
                    app.button(f"up-{block.id}-{step.key}").click().run()
            app.button(f"check-{block.id}").click().run()
        assert not app.exception
        kept = learners.store().answers(me)[block.id]
        assert (kept.first_correct, kept.final_correct, kept.tries) == (False, True, 2), block.id
    assert len(app.success) == len(lesson.quizzes)
    assert learners.store().progress(me)[lesson.slug].done_at is not None


def test_a_case_is_revealed_after_a_prediction_or_a_skip() -> None:
    app = AppTest.from_function(checkpoint, default_timeout=patience(60)).run()
    me = app.text[0].value
    assert not app.info
    app.button("skip-l1-case-longer-drafts").click().run()
    assert "170" in app.info[0].value
    assert learners.store().answers(me)["l1-case-longer-drafts"].first_answer == "skipped"
    app.button("option-l1-case-longer-drafts-less").click().run()
    kept = learners.store().answers(me)["l1-case-longer-drafts"]
    assert (kept.first_correct, kept.final_correct) == (None, True)
