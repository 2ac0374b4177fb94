"""Questions, as their files write them. Every body is frozen and knows no field but its own."""

import hashlib
import re
from collections.abc import Iterable
from typing import Annotated, Literal, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

_ID = r"^[a-z0-9]+(-[a-z0-9]+)*$"
Slug = Annotated[str, StringConstraints(pattern=_ID, max_length=60)]
Prose = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Body(BaseModel):
    """What stands inside a fence."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Option(Body):
    """One choice. A wrong one names the misconception that leads to it."""

    key: Slug
    text: Prose
    right: bool = False
    misconception: Prose | None = None
    feedback: Prose

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.right and self.misconception:
            raise ValueError(f"option {self.key} is right, so it has no misconception")
        if not self.right and not self.misconception:
            raise ValueError(f"option {self.key} is wrong, so it names its misconception")
        return self


class Question(Body):
    """What all questions have.

    question  the text, as Markdown without blocks
    computes  whether it asks for a computation on given p and q
    again     the id of an earlier question whose idea this one asks once more
    """

    question: Prose
    computes: bool = False
    again: Slug | None = None


class Choice(Question):
    """Three options, one of them right."""

    kind: Literal["choice"]
    options: Annotated[tuple[Option, ...], Field(min_length=3, max_length=3)]

    @model_validator(mode="after")
    def _one_right(self) -> Self:
        _check_options(self.options)
        return self

    @property
    def right(self) -> Option:
        """The right option."""
        return next(option for option in self.options if option.right)


class Near(Body):
    """A wrong number that people arrive at, how, and what to tell them."""

    value: Finite
    formula: Prose
    misconception: Prose
    feedback: Prose


class RightWrong(Body):
    """Feedback where there are no options: for the right answer, and for any other."""

    right: Prose
    wrong: Prose


class Numeric(Question):
    """A number, right within a tolerance. `formula` is how a test recomputes it."""

    kind: Literal["numeric"]
    answer: Finite
    tolerance: Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
    formula: Prose
    unit: str = ""
    feedback: RightWrong
    near: tuple[Near, ...] = ()

    @model_validator(mode="after")
    def _apart(self) -> Self:
        values = [self.answer, *(near.value for near in self.near)]
        for i, one in enumerate(values):
            for other in values[i + 1 :]:
                if abs(one - other) <= 2 * self.tolerance:
                    raise ValueError(f"{one} and {other} are both within the tolerance of a number")
        return self


class Step(Body):
    """One step of an order question, and why it stands where it does."""

    key: Slug
    text: Prose
    why: Prose


class Order(Question):
    """Steps to be put in order; the file lists them in the right one."""

    kind: Literal["order"]
    steps: Annotated[tuple[Step, ...], Field(min_length=3, max_length=6)]
    feedback: RightWrong

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        keys = [step.key for step in self.steps]
        if len(set(keys)) < len(keys):
            raise ValueError("two steps have the same key")
        return self

    def shuffled(self) -> tuple[Step, ...]:
        """The steps as they are shown at first: always the same order, never the right one."""
        mixed = sorted(
            self.steps, key=lambda s: hashlib.sha256((self.question + s.key).encode()).digest()
        )
        if [s.key for s in mixed] == [s.key for s in self.steps]:
            mixed = mixed[1:] + mixed[:1]
        return tuple(mixed)


Quiz = Annotated[Choice | Numeric | Order, Field(discriminator="kind")]

Ask = Literal["bet", "committed", "residual", "replacement"]
"""What a live gate asks about a cycle; live_questions.py builds it."""


class LiveGate(Body):
    """A prediction about a cycle of a real run, asked before the figure shows the answer."""

    kind: Literal["live"]
    widget: Slug
    ask: Ask
    before: Prose


class CaseGate(Body):
    """A prediction about a reported case; `reveal` is shown after any answer, or when skipped."""

    kind: Literal["case"]
    question: Prose
    options: Annotated[tuple[Option, ...], Field(min_length=2, max_length=4)]
    reveal: Prose
    source: Annotated[str, StringConstraints(pattern=r"^https://")]

    @model_validator(mode="after")
    def _one_right(self) -> Self:
        _check_options(self.options)
        return self


Gate = Annotated[LiveGate | CaseGate, Field(discriminator="kind")]


class Keyed(Protocol):
    """What has a key, such as an option."""

    @property
    def key(self) -> str: ...


One = TypeVar("One", bound=Keyed)


def mixed(options: Iterable[One], salt: str) -> tuple[One, ...]:
    """Options in an order that depends on the case alone, so that the right one's place varies."""
    return tuple(sorted(options, key=lambda o: hashlib.sha256(f"{salt}|{o.key}".encode()).digest()))


def is_id(name: str) -> bool:
    """Whether `name` can be the id of a question: lower case letters and digits, with hyphens."""
    return bool(re.match(_ID, name)) and len(name) <= 60


def _check_options(options: tuple[Option, ...]) -> None:
    for what, values in (("key", [o.key for o in options]), ("text", [o.text for o in options])):
        if len(set(values)) < len(values):
            raise ValueError(f"two options have the same {what}")
    right = sum(option.right for option in options)
    if right != 1:
        raise ValueError(f"{right} options are right, expected exactly one")
