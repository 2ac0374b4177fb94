"""Is an answer right, and what to say. Pure: the store and the page are elsewhere."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from content.quiz import CaseGate, Choice, Numeric, Option, Order

_FRACTION = re.compile(r"^(?P<over>[+-]?[\d.]+)/(?P<under>[\d.]+)$")


class NotAnAnswer(ValueError):
    """What was typed cannot be marked; the message says what is expected."""


@dataclass(frozen=True)
class Marked:
    """The outcome of one try."""

    correct: bool
    feedback: str
    misconception: str | None = None


def mark(quiz: Choice | Numeric | Order | CaseGate, answer: str) -> Marked:
    """Mark one try: the key of an option, a number as typed, or keys of steps with commas.

    Raises NotAnAnswer for what is none of these.
    """
    if isinstance(quiz, Numeric):
        return _number(quiz, parse_number(answer))
    if isinstance(quiz, Order):
        return _order(quiz, [key.strip() for key in answer.split(",")])
    return mark_option(quiz.options, answer)


def mark_option(options: Sequence[Option], key: str) -> Marked:
    """Mark the choice of one option; also for the questions of live gates."""
    for option in options:
        if option.key == key:
            return Marked(option.right, option.feedback, option.misconception)
    raise NotAnAnswer("Choose one of the options.")


def parse_number(text: str) -> float:
    """A number as people type it: 0.4, .4, 0,4, 40% or 2/5.

    >>> [parse_number(text) for text in ("0.4", " .4", "0,4", "40%", "2/5")]
    [0.4, 0.4, 0.4, 0.4, 0.4]
    """
    plain = text.strip().replace(" ", "").replace(",", ".").replace("−", "-")
    scale = 0.01 if plain.endswith("%") else 1.0
    plain = plain.removesuffix("%").removesuffix("x")
    fraction = _FRACTION.match(plain)
    try:
        value = float(fraction["over"]) / float(fraction["under"]) if fraction else float(plain)
    except (ValueError, ZeroDivisionError):
        raise NotAnAnswer("Type a number, such as 0.4, 40% or 2/5.") from None
    if abs(value) > 1e9 or value != value:
        raise NotAnAnswer("Type an ordinary number, such as 0.4.")
    return value * scale


def _number(quiz: Numeric, value: float) -> Marked:
    within = quiz.tolerance + 1e-12
    if abs(value - quiz.answer) <= within:
        return Marked(True, quiz.feedback.right)
    for near in quiz.near:
        if abs(value - near.value) <= within:
            return Marked(False, near.feedback, near.misconception)
    return Marked(False, quiz.feedback.wrong)


def _order(quiz: Order, keys: list[str]) -> Marked:
    wanted = [step.key for step in quiz.steps]
    if sorted(keys) != sorted(wanted):
        raise NotAnAnswer("Put every step in its place once.")
    for step, key in zip(quiz.steps, keys, strict=True):
        if step.key != key:
            return Marked(False, f"{quiz.feedback.wrong} {step.why}")
    return Marked(True, quiz.feedback.right)
