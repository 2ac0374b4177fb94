"""Which cycle a prediction is about: hard ones first, and none twice for the same learner.

A case is a cycle with a question. It is known by the end of its run's digest and the cycle's
number, and an answer is kept under the gate's id and that. So the store, too, tells which cases a
learner has met, in whatever lesson.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from content.blocks import Lesson, WidgetBlock
from content.live_questions import LiveQuestion, Name, live_question
from content.quiz import Ask
from speculation.trace import Cycle, Trace, digest

_KEPT = re.compile(r"^(?P<gate>.+)-(?P<case>.{4}-\d+)$")


@dataclass(frozen=True)
class Case:
    """A cycle of a run, and what is asked about it."""

    trace: Trace
    cycle: Cycle
    question: LiveQuestion

    @property
    def key(self) -> str:
        """The name that the cycle has in every gate."""
        return f"{digest(self.trace.tokens)[-4:]}-{self.cycle.index}"


def cases_of(ask: Ask, trace: Trace, name: Name) -> list[Case]:
    """The cycles of a run that have a question: hard ones first, else mixed.

    At temperature 0 distributions are one-hot, and p and q leave nothing to predict.
    """
    if trace.settings.temperature == 0.0 and ask != "committed":
        return []
    asked = ((cycle, live_question(ask, cycle, name)) for cycle in trace.cycles)
    return in_order(Case(trace, cycle, question) for cycle, question in asked if question)


def in_order(cases: Iterable[Case]) -> list[Case]:
    """Hard ones first; among equals an order that looks random, and is always the same."""
    return sorted(cases, key=lambda case: (not case.question.hard, _mixed(case.key)))


def next_case(pool: Iterable[Case], met: Collection[str]) -> Case | None:
    """The first case that was not met before."""
    return next((case for case in pool if case.key not in met), None)


def kept_under(gate: str, case: str) -> str:
    """The id under which the answer to a gate about a case is kept."""
    return f"{gate}-{case}"


def met_before(answered: Iterable[str], gate: str | None = None) -> list[str]:
    """The keys of the cases among the ids of kept answers; of one gate alone, if it is named.

    >>> met_before(["l1-average-of-five", "l2-a-gate-aB_--12", "l1-a-gate-zzzz-3"])
    ['aB_--12', 'zzzz-3']
    """
    found = (_KEPT.match(answer) for answer in answered)
    return [match["case"] for match in found if match and gate in (None, match["gate"])]


def runs_on_figures(lessons: Iterable[Lesson]) -> Callable[[str], bool]:
    """Whether a recorded run, by its name, can be seen in a figure of these lessons.

    A figure that has switches shows variants of its run, which are named `code-greedy`.
    """
    blocks = (block for lesson in lessons for block in lesson.blocks)
    options = (block.options for block in blocks if isinstance(block, WidgetBlock))
    shown = {str(preset) for x in options if (preset := getattr(x, "preset", None))}
    return lambda name: name in shown or any(name.startswith(f"{run}-") for run in shown)


def _mixed(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
