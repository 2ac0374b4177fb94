"""Random numbers for many runs of one position at once.

A column of numbers for each purpose and index, made when it is first asked for; a scheme that
uses a number twice gets the same column twice. A million draws from a law of 49,152 tokens take
about a tenth of a second.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from speculation.dice import Purpose, draw_intervals
from speculation.rule import Law
from speculation.schemes.race import race_again

Tokens = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Column = npt.NDArray[np.float64]

MOST_NOISE = 20_000_000
"""The most numbers drawn for races; beyond it their closed form is used instead."""


class Many:
    """`runs` runs of one position. `columns` fixes some numbers beforehand, `noise` [runs, V]."""

    def __init__(
        self,
        runs: int,
        rng: np.random.Generator,
        columns: Mapping[tuple[Purpose, int], Column] | None = None,
        noise: Column | None = None,
    ) -> None:
        self.runs = runs
        self.rng = rng
        self._columns = dict(columns or {})
        self._noise = noise

    def column(self, purpose: Purpose, index: int = 0) -> Column:
        """One number in [0, 1) for every run."""
        if (purpose, index) not in self._columns:
            self._columns[purpose, index] = self.rng.random(self.runs)
        return self._columns[purpose, index]

    def draw(self, law: Law, purpose: Purpose, where: Mask | None = None, index: int = 0) -> Tokens:
        """What `dice.draw` picks from a law, for all runs or those marked."""
        tokens, edges = draw_intervals(law)
        u = self.column(purpose, index)
        return tokens[np.searchsorted(edges[1:-1], u if where is None else u[where], side="right")]

    def below(self, chances: Law, purpose: Purpose, index: int = 0) -> Mask:
        """Whether each run's number is below its chance."""
        below: Mask = self.column(purpose, index) < chances
        return below

    def draw_without(self, law: Law, struck: Tokens, purpose: Purpose, where: Mask) -> Tokens:
        """A draw from the law without each run's own struck token, for the runs marked.

        The number is stretched over what is left, and steps over the struck token's interval.
        """
        tokens, edges = draw_intervals(law)
        place = np.empty(len(law), dtype=np.int64)
        place[:] = len(tokens)  # a token that is never drawn strikes out nothing
        place[tokens] = np.arange(len(tokens))
        begins = np.append(edges[:-1], 2.0)
        widths = np.append(np.diff(edges), 0.0)
        own = place[struck[where]]
        height = self.column(purpose)[where] * (1.0 - widths[own])
        height += np.where(height >= begins[own], widths[own], 0.0)
        found: Tokens = np.searchsorted(edges[1:-1], height, side="right")
        return tokens[found]

    def has_noise_for(self, size: int) -> bool:
        """Whether a number for every token of every run is within reason."""
        return self._noise is not None or self.runs * size <= MOST_NOISE

    def race(self, q: Law, p: Law) -> tuple[Tokens, Tokens]:
        """The winners under q and under p over the same noise, run by run.

        Every token of every run takes a number; where that is too many, the first winner is drawn
        from q and the second from what the first one says about the noise: the same joint law.
        """
        size = len(q)
        if not self.has_noise_for(size):
            first = self.draw(q, Purpose.DRAFT)
            u, again = self.rng.random((2, self.runs))
            return first, race_again(q, p, first, u, again)
        chunk = max(1, 4_000_000 // size)
        winners = np.empty((2, self.runs), dtype=np.int64)
        with np.errstate(divide="ignore"):
            for start in range(0, self.runs, chunk):
                rows = slice(start, min(start + chunk, self.runs))
                noise = (
                    self.rng.exponential(size=(rows.stop - start, size))
                    if self._noise is None
                    else self._noise[rows]
                )
                for row, law in zip(winners, (q, p), strict=True):
                    row[rows] = np.argmin(noise / law, axis=1)
        return winners[0], winners[1]
