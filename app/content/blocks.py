"""What a content file becomes: typed blocks, in order."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from content.checked_numbers import Check
from content.quiz import (
    Body,
    CaseGate,
    Choice,
    LiveGate,
    Numeric,
    Order,
    Prose,
    Slug,
)
from content.widget_options import WidgetOptions


@dataclass(frozen=True)
class Text:
    """Markdown. `heading` is its level-two heading, if it begins with one (which it includes)."""

    markdown: str
    heading: str | None
    line: int


@dataclass(frozen=True)
class WidgetBlock:
    """A figure, by name."""

    name: str
    options: WidgetOptions
    line: int


@dataclass(frozen=True)
class QuizBlock:
    """A checkpoint question. The id is its key in the store, so it never changes."""

    id: str
    quiz: Choice | Numeric | Order
    line: int


@dataclass(frozen=True)
class GateBlock:
    """A prediction before an answer; it can be skipped."""

    id: str
    gate: LiveGate | CaseGate
    line: int


Block = Text | WidgetBlock | QuizBlock | GateBlock


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it. `anchor` is what a link to it ends with."""

    title: str
    anchor: str
    blocks: tuple[Block, ...]


class LessonFront(Body):
    """The front matter of a lesson. Prerequisites are slugs of earlier lessons.

    minutes  may be left out: what is shown is counted from the lesson (minutes.py), and a test
             holds a stated number to that
    """

    title: Prose
    minutes: Annotated[int, Field(ge=1, le=120)] | None = None
    outcomes: Annotated[tuple[Prose, ...], Field(min_length=1, max_length=6)]
    prerequisites: tuple[Slug, ...] = ()


class PageFront(Body):
    """The front matter of a page that is not a lesson."""

    title: Prose
    summary: Prose
    audience: Prose = "everyone"


@dataclass(frozen=True)
class Document:
    """A file, read: its blocks, and the numbers in it that a test recomputes."""

    path: Path
    slug: str
    blocks: tuple[Block, ...]
    checks: tuple[Check, ...]

    @property
    def quizzes(self) -> tuple[QuizBlock, ...]:
        """The checkpoint questions, in order."""
        return tuple(block for block in self.blocks if isinstance(block, QuizBlock))

    @property
    def gates(self) -> tuple[GateBlock, ...]:
        """The predictions, in order."""
        return tuple(block for block in self.blocks if isinstance(block, GateBlock))

    @property
    def sections(self) -> tuple[Section, ...]:
        """The blocks, grouped under level-two headings; what precedes the first has no title."""
        groups: list[tuple[str, list[Block]]] = []
        for block in self.blocks:
            heading = block.heading if isinstance(block, Text) else None
            if heading is not None or not groups:
                groups.append((heading or "", []))
            groups[-1][1].append(block)
        return tuple(Section(title, anchor(title), tuple(blocks)) for title, blocks in groups)


@dataclass(frozen=True)
class Lesson(Document):
    """A lesson. `number` is the one its file name begins with."""

    number: int
    front: LessonFront

    @property
    def required(self) -> tuple[str, ...]:
        """The ids that must have a right answer for the lesson to be done."""
        return tuple(block.id for block in self.quizzes)

    def is_done(self, right: Collection[str]) -> bool:
        """Whether every checkpoint question is among those answered right."""
        return set(self.required) <= set(right)


@dataclass(frozen=True)
class Page(Document):
    """A page that is not a lesson: glossary, references, questions and answers, a guide."""

    front: PageFront


def anchor(title: str) -> str:
    """The end of a link to a heading, as GitHub makes it.

    >>> anchor("Why not draw from p?")
    'why-not-draw-from-p'
    """
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip())
