"""A lesson asks for what its page can do, and answers nothing there; sources say what they are."""

import re
from collections.abc import Iterator

import pytest

from content.blocks import GateBlock, Lesson, Text, WidgetBlock
from content.library import library
from content.quiz import CaseGate, Choice, Numeric
from widgets import places

LESSONS = library().lessons
NUMBER = r"-?\d+(?:\.\d+)?"
TUPLE = re.compile(rf"\({NUMBER}(?:, {NUMBER})+\)")
TELLING = re.compile(r"\d+\.\d{2,}")  # a shorter number stands in a text by chance
GITHUB = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+")
PAGES = {places.LAB, places.TEST, places.PAYS, places.AUDIT, places.ROUNDING, places.CLASSES}


def each_lesson(test: object) -> object:
    return pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)(test)


def laws(text: str) -> set[tuple[float, ...]]:
    """Every list of numbers in parentheses."""
    return {tuple(map(float, re.findall(NUMBER, found))) for found in TUPLE.findall(text)}


def said(lesson: Lesson) -> Iterator[str]:
    """What can be read before the checkpoint."""
    for block in lesson.blocks:
        if isinstance(block, Text):
            yield block.markdown
        elif isinstance(block, WidgetBlock):
            yield block.options.see
        elif isinstance(block, GateBlock) and isinstance(block.gate, CaseGate):
            yield block.gate.question + block.gate.reveal


def answers(quiz: object) -> str:
    """The right answer, as it would be printed."""
    if isinstance(quiz, Choice):
        return quiz.right.text
    return f"{quiz.answer:g}" if isinstance(quiz, Numeric) else ""


@each_lesson
def test_no_answer_is_printed_on_the_page(lesson: Lesson) -> None:
    text = " ".join(" ".join(said(lesson)).split())
    printed, shown = set(TELLING.findall(text)), laws(text)
    for block in lesson.quizzes:
        right = answers(block.quiz)
        assert not laws(right) & shown, block.id
        assert not (set(TELLING.findall(TUPLE.sub("", right))) & printed), block.id


@each_lesson
def test_no_figure_works_a_question_out(lesson: Lesson) -> None:
    """A figure that begins with the p and q of a question would show its answer."""
    drawn = {
        (tuple(p), tuple(q))
        for block in lesson.blocks
        if isinstance(block, WidgetBlock)
        and isinstance(p := getattr(block.options, "p", None), tuple)
        and isinstance(q := getattr(block.options, "q", None), tuple)
    }
    for block in lesson.quizzes:
        asked = laws(block.quiz.question)
        assert not [pair for pair in drawn if set(pair) <= asked], block.id


@each_lesson
def test_a_gate_is_told_nothing_of_its_answer(lesson: Lesson) -> None:
    """What is said of a reported case before it is revealed does not hold its numbers."""
    for block in lesson.gates:
        if isinstance(block.gate, CaseGate):
            right = next(option.text for option in block.gate.options if option.right)
            numbers = set(re.findall(r"\d{2,}", right)) - {"10"}
            before = lesson.blocks[: lesson.blocks.index(block)]
            text = " ".join(x.markdown for x in before if isinstance(x, Text))
            assert not numbers & set(re.findall(r"\d{2,}", text)), block.id


@each_lesson
def test_a_source_says_what_it_is(lesson: Lesson) -> None:
    """An issue, a pull request, and what became of it: in the paragraph that cites it."""
    for block in lesson.blocks:
        if isinstance(block, Text):
            for paragraph in block.markdown.split("\n\n"):
                words = paragraph.replace("\n", " ")
                for kind in GITHUB.findall(words):
                    wanted = "issue|asked" if kind == "issues" else "pull request|merged|a test for"
                    assert re.search(wanted, words), paragraph
        if isinstance(block, GateBlock) and isinstance(block.gate, CaseGate):
            assert block.gate.reveal.startswith("Reported"), block.id


@each_lesson
def test_pages_that_are_named_exist(lesson: Lesson) -> None:
    text = " ".join(said(lesson))
    assert set(re.findall(r"\]\(/([\w-]+)\)", text)) <= PAGES


def test_lessons_ask_for_nothing_that_no_figure_can_do() -> None:
    """No figure has a handle for k or a temperature, and none runs on command without models."""
    for lesson in LESSONS:
        for block in lesson.blocks:
            if isinstance(block, WidgetBlock):
                assert not re.search(r"(?i)\b(change|move|raise|lower) (k|the temperature)\b",
                                     " ".join(block.options.see.split())), block.line  # fmt: skip


def test_the_negative_control() -> None:
    """The reader sees an answer that is printed."""
    assert laws("It gives (0.44, 0.42, 0.14).") == laws("(0.44, 0.420, 0.14)")
    assert TELLING.findall("at 0.92 or 1.5") == ["0.92"]
