"""Marking: right, wrong, nearly, and what is no answer at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from content.library import library
from content.marking import NotAnAnswer, mark, parse_number
from content.quiz import Choice, Numeric, Order, RightWrong, Step

BANK = {block.id: block.quiz for block in library().quizzes}


def test_a_choice_gives_the_feedback_of_its_option() -> None:
    quiz = BANK["l2-drawing-from-p"]
    assert isinstance(quiz, Choice)
    for option in quiz.options:
        marked = mark(quiz, option.key)
        assert (marked.correct, marked.feedback) == (option.right, option.feedback)
        assert marked.misconception == option.misconception
    with pytest.raises(NotAnAnswer):
        mark(quiz, "no-such-option")


@pytest.mark.parametrize("typed", ["0.75", ".75", "75%", "3/4", " 0,75 ", "0.7451"])
def test_a_number_may_be_typed_in_many_ways(typed: str) -> None:
    assert mark(BANK["l1-chance-of-being-kept"], typed).correct


def test_a_near_miss_is_told_what_happened() -> None:
    marked = mark(BANK["l1-chance-of-being-kept"], "0.3")
    assert not marked.correct
    assert marked.misconception == "kept with the target's probability"
    assert mark(BANK["l1-chance-of-being-kept"], "0.5").misconception is None


@pytest.mark.parametrize("typed", ["", "many", "1/0", "nan", "inf", "1e99", "0.4.2", "--1", "½"])
def test_what_is_no_number_is_not_marked(typed: str) -> None:
    with pytest.raises(NotAnAnswer):
        mark(BANK["l1-chance-of-being-kept"], typed)


@given(st.text(max_size=30))
def test_whatever_is_typed_is_a_number_or_a_polite_refusal(typed: str) -> None:
    try:
        value = parse_number(typed)
    except NotAnAnswer:
        return
    assert abs(value) <= 1e9


def test_the_first_misplaced_step_is_explained() -> None:
    quiz = BANK["l1-cycle-order"]
    assert isinstance(quiz, Order)
    keys = [step.key for step in quiz.steps]
    assert mark(quiz, ",".join(keys)).correct
    keys[1], keys[2] = keys[2], keys[1]
    marked = mark(quiz, ", ".join(keys))
    assert not marked.correct
    assert quiz.steps[1].why in marked.feedback
    for bad in ("", "draft", ",".join(keys + keys[:1])):
        with pytest.raises(NotAnAnswer):
            mark(quiz, bad)


@given(st.integers(3, 6), st.text(min_size=1, max_size=20).filter(str.strip))
def test_steps_are_never_shown_in_the_right_order(n: int, question: str) -> None:
    steps = tuple(Step(key=f"s{i}", text=f"Step {i}", why="So.") for i in range(n))
    feedback = RightWrong(right="Yes.", wrong="No.")
    quiz = Order(kind="order", question=question, steps=steps, feedback=feedback)
    assert quiz.shuffled() != quiz.steps
    assert set(quiz.shuffled()) == set(quiz.steps)
    assert quiz.shuffled() == quiz.shuffled()


def test_a_near_miss_within_the_tolerance_of_the_answer_is_refused() -> None:
    near = {"value": 0.51, "formula": "0.51", "misconception": "off", "feedback": "No."}
    body = {
        "kind": "numeric",
        "question": "What?",
        "answer": 0.5,
        "tolerance": 0.01,
        "formula": "0.5",
        "feedback": {"right": "Yes.", "wrong": "No."},
    }
    Numeric.model_validate(body)
    with pytest.raises(ValidationError, match="within the tolerance"):
        Numeric.model_validate({**body, "near": [near]})
