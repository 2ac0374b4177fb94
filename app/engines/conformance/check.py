"""One engine against every row, as long as there is time: who is wrong shows within seconds.

Each row is sampled in rounds, twice as many texts in each, and looked at after every round. A row
ends when its e-value (by the convention that explains the texts best) reaches rows / alpha: with
Bonferroni over rows and Ville over looks, the chance that any row of a right engine ever does is at
most alpha. It also ends when it would have seen the deviation that is aimed for, or when its share
of the time is over.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engines.base import Continuation, Engine, EngineUnavailable, SampleRequest
from engines.conformance.anytime import log_e, smallest_seen
from engines.conformance.conventions import conventions_of
from engines.conformance.report import Checked, Report
from engines.conformance.rows import (
    ROWS,
    SECOND,
    Outcomes,
    Row,
    lacking,
    outcomes_of,
    request_of,
)
from speculation.exactness.counts import pearson
from speculation.models.language_model import LanguageModel

ALPHA = 0.01
"""The chance that a right engine is ever called wrong, over all rows and looks together."""
AIM = 0.01
"""Total variation: a row that would have seen so little is done."""
ENOUGH = 0.15
"""A row that would not even have seen this much says nothing."""
FIRST = 64
LARGEST = 4096
"""Texts of one round at most, so that a look comes every few seconds."""

Clock = Callable[[], float]


class Reading:
    """A row's counts against its distribution by one convention.

    evidence  the highest logarithm of the e-value at any look so far
    """

    def __init__(self, words: str, outcomes: Outcomes) -> None:
        self.words = words
        self.outcomes = outcomes
        self.evidence = -np.inf
        self._law = np.append(outcomes.probabilities, 0.0)  # the last for what cannot be
        self._counts = np.zeros(len(self._law), dtype=np.int64)

    def add(self, texts: Sequence[Continuation]) -> None:
        """Count further texts, and look."""
        self._counts += self.outcomes.counts(texts)
        self.evidence = max(self.evidence, float(log_e(self._counts, self._law)[0]))

    def checked(self, row: str, threshold: float, texts: int) -> Checked:
        """How large the deviation is, and what would have been seen."""
        sees = smallest_seen(self._law, int(self._counts.sum()), threshold)
        size = pearson(self._counts, self._law)
        strange = int(self._counts[-1])
        return Checked(
            row=row,
            verdict="passes" if sees <= ENOUGH else "too few",
            texts=texts,
            outcomes=len(self.outcomes.law),
            effect=round(max(size.effect, strange / self._counts.sum()), 4),
            low=round(size.low, 4),
            high=round(min(1.0, size.high), 4),
            sees=round(sees, 4),
            p_value=float(min(1.0, np.exp(-self.evidence))),
            impossible=strange,
            convention=self.words,
        )


@dataclass
class Check:
    """The rows of one engine, one after the other.

    yardstick  the target, read another way than the engine reads it
    letters    the target's tokens as they are spelled
    minutes    for all rows together; a row that ends early leaves its time to the others
    """

    engine: Engine
    yardstick: LanguageModel
    letters: Sequence[str]
    rows: tuple[Row, ...] = ROWS
    minutes: float = 5.0
    seed: int = 1
    clock: Clock = time.monotonic
    done: list[Checked] = field(default_factory=list)

    def run(self) -> Generator[Checked]:
        """A row as it is looked at, again and again, and for the last time when it is done.

        Closing the iterator ends the work; `report` then says what is known.
        """
        began = self.clock()
        for i, row in enumerate(self.rows):
            left = 60.0 * self.minutes - (self.clock() - began)
            share = max(0.0, left) / (len(self.rows) - i)
            checked = Checked.left_out(row.name, "It was not begun.")
            try:
                for looked in self._row(row, i, share):
                    checked = looked
                    yield checked
            finally:
                self.done.append(checked)

    def report(self, stopped: bool = False) -> Report:
        """What is known so far."""
        begun = {x.row for x in self.done}
        rest = [Checked.left_out(x.name, "It was not begun.") for x in self.rows]
        whole = [*self.done, *(x for x in rest if x.row not in begun)]
        about = {"engine": self.engine.name, **self.engine.about}
        return Report.of(whole, about, ALPHA, stopped)

    def _row(self, row: Row, index: int, share: float) -> Iterator[Checked]:
        if why_not := lacking(row, self.engine.capabilities):
            yield Checked.left_out(row.name, why_not)
            return
        began = self.clock()
        seed = self.seed + index * SECOND
        request = request_of(row, end=self.yardstick.vocab_size - 1, seed=seed)
        readings = [
            Reading(x.words, outcomes_of(row, request, self.yardstick, self.letters, x.law_of))
            for x in conventions_of(request)
        ]
        threshold = float(np.log(len(self.rows) / ALPHA))
        seen, step = 0, FIRST
        while True:
            try:
                texts = self._texts(row, request, seen, step)
            except EngineUnavailable as error:
                yield Checked.left_out(row.name, str(error), failed=True)
                return
            seen += step
            for reading in readings:
                reading.add(texts)
            best = min(readings, key=lambda x: x.evidence)
            found = best.checked(row.name, threshold, seen)
            spent = max(1e-6, self.clock() - began)
            fits = int(0.95 * seen * (share - spent) / spent)
            off = best.evidence >= threshold
            ends = off or found.sees <= AIM or fits < max(2, seen // 8)
            verdict = "deviates" if off else found.verdict if ends else "running"
            yield replace(found, verdict=verdict, seconds=round(spent, 1))
            if ends:
                return
            step = 2 * (min(seen, LARGEST, fits) // 2)  # even: some texts are looked at in pairs

    def _texts(
        self, row: Row, request: SampleRequest, first: int, count: int
    ) -> list[Continuation]:
        """So many texts in the order of their numbers; where they are asked again, side by side."""
        numbers = range(first, first + count)
        if row.read != "repeat":
            return sorted(self.engine.continuations(request, numbers), key=lambda x: x.number)
        half = numbers[: count // 2]
        pairs = [
            sorted(self.engine.continuations(request, half), key=lambda x: x.number)
            for _ in range(2)
        ]
        return [text for both in zip(*pairs, strict=True) for text in both]
