"""Where a scheme's random numbers come from, and how every outcome can be counted without any.

A scheme never sees a random number. It asks three questions, each about a number at an address:

    draw(law)      which token does the number pick from this law?
    below(chance)  is the number smaller than this chance?
    race(law)      which token arrives first, if token x is due at E_x / law(x)?

(The race is the exponential form of Gumbel noise: one E_x for every token, all from one address.)

`Addressed` answers with real numbers. `Forks` answers with every possible number at once: it keeps
for each address the interval that the answers so far have left of [0, 1), and a question cuts it.
A number that is asked twice stays the same number. So a scheme is enumerated by the code that
runs, and a number wrongly shared between two purposes shows up in the law, to the last digit.

>>> def two_coins(numbers):
...     at = Address(Purpose.ACCEPT, 0)
...     return numbers.below(0.5, at), numbers.below(0.25, at)       # one number, asked twice
>>> sorted(enumerate_outcomes(two_coins).items())
[((False, False), 0.5), ((True, False), 0.25), ((True, True), 0.25)]
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from speculation.dice import Purpose, draw, draw_intervals, uniform
from speculation.rule import Law
from speculation.schemes.race import race_row

T = TypeVar("T", bound=Hashable)
Outcome = TypeVar("Outcome")

NUMBERS_A_CYCLE = 4
"""How many numbers one purpose may use at one place within one cycle."""


class Address(NamedTuple):
    """Where a number lives: its purpose, its place in the text, and which number of several."""

    purpose: Purpose
    place: int
    number: int = 0


class Numbers(Protocol):
    """Answers to the three questions."""

    def draw(self, law: Law, at: Address) -> int:
        """The token that the number at an address picks from a law [V]."""

    def below(self, chance: float, at: Address) -> bool:
        """Whether the number at an address is smaller than a chance."""

    def race(self, law: Law, at: Address) -> int:
        """The token x whose E_x / law(x) is smallest, the E_x being fixed by the address."""


@dataclass(frozen=True)
class Addressed:
    """The numbers of one seed, as the decoder uses them."""

    seed: int

    def draw(self, law: Law, at: Address) -> int:
        return draw(law, uniform(self.seed, *at))

    def below(self, chance: float, at: Address) -> bool:
        return uniform(self.seed, *at) < chance

    def race(self, law: Law, at: Address) -> int:
        with np.errstate(divide="ignore"):
            return int(np.argmin(exponentials(self.seed, at, len(law)) / law))


def exponentials(seed: int, at: Address, size: int) -> npt.NDArray[np.float64]:
    """One exponential number for every token, [V].

    The last word of the counter tells these streams from the single numbers of `dice.uniform`.
    """
    counter = [0, int(at.purpose), at.number, at.place + 1]
    return np.random.Generator(np.random.Philox(key=seed, counter=counter)).exponential(size=size)


@dataclass(frozen=True)
class Given:
    """Numbers handed in by address: for tests that share them between two implementations."""

    uniforms: Mapping[Address, float]
    noise: Mapping[Address, npt.NDArray[np.float64]] = field(default_factory=dict)

    def draw(self, law: Law, at: Address) -> int:
        return draw(law, self.uniforms[at])

    def below(self, chance: float, at: Address) -> bool:
        return self.uniforms[at] < chance

    def race(self, law: Law, at: Address) -> int:
        with np.errstate(divide="ignore"):
            return int(np.argmin(self.noise[at] / law))


class Forks:
    """One way that all numbers can fall: follows given choices, then the first ones, and notes
    what else there was to choose."""

    def __init__(self, choices: tuple[int, ...]) -> None:
        self.weight = 1.0
        self.other_ways: list[tuple[int, ...]] = []
        self._choices = choices
        self._made: tuple[int, ...] = ()
        self._left: dict[Address, tuple[float, float]] = {}
        self._races: dict[Address, tuple[Law, int]] = {}

    def draw(self, law: Law, at: Address) -> int:
        tokens, edges = draw_intervals(law)
        return int(tokens[self._cut(edges, at)])

    def below(self, chance: float, at: Address) -> bool:
        return self._cut(np.array([0.0, min(max(chance, 0.0), 1.0), 1.0]), at) == 0

    def race(self, law: Law, at: Address) -> int:
        if at not in self._races:
            winner = self._choose(law)
            self._races[at] = law, winner
            return winner
        known, first = self._races[at]
        if known is law or np.array_equal(known, law):
            return first
        return self._choose(race_row(known, first, law))

    def _cut(self, edges: npt.NDArray[np.float64], at: Address) -> int:
        """Which piece of [0, 1) the number lies in, given where it can still lie."""
        low, high = self._left.get(at, (0.0, 1.0))
        begins, ends = np.maximum(edges[:-1], low), np.minimum(edges[1:], high)
        piece = self._choose(np.maximum(ends - begins, 0.0) / (high - low))
        self._left[at] = float(begins[piece]), float(ends[piece])
        return piece

    def _choose(self, weights: npt.NDArray[np.float64]) -> int:
        turn = len(self._made)
        if turn < len(self._choices):
            choice = self._choices[turn]
        else:
            choice, *others = np.flatnonzero(weights > 0.0).tolist()
            self.other_ways += [(*self._made, other) for other in others]
        self._made += (choice,)
        self.weight *= float(weights[choice])
        return choice


def every_way(play: Callable[[Numbers], Outcome]) -> Iterator[tuple[Outcome, float]]:
    """Play once for every way that the numbers can fall -> what came out, and its probability."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        numbers = Forks(waiting.pop())
        outcome = play(numbers)
        waiting += numbers.other_ways
        yield outcome, numbers.weight


def enumerate_outcomes(play: Callable[[Numbers], T]) -> dict[T, float]:
    """The exact law of what `play` returns."""
    law: defaultdict[T, float] = defaultdict(float)
    for outcome, weight in every_way(play):
        law[outcome] += weight
    return dict(law)


@dataclass(frozen=True)
class Turn:
    """One cycle's view of the numbers: places counted from its own start.

    start     how many tokens had been committed before the cycle
    by_cycle  whether the cycle, known by its start, joins the addresses. It must where verdicts
              read later drafts: an address may be used again in a later cycle only if what
              happens at a place depends on earlier places alone
    """

    numbers: Numbers
    start: int = 0
    by_cycle: bool = False

    def address(self, purpose: Purpose, i: int, number: int = 0) -> Address:
        cycle = self.start if self.by_cycle else 0
        return Address(purpose, self.start + i, number + NUMBERS_A_CYCLE * cycle)

    def draw(self, law: Law, purpose: Purpose, i: int, number: int = 0) -> int:
        return self.numbers.draw(law, self.address(purpose, i, number))

    def below(self, chance: float, purpose: Purpose, i: int, number: int = 0) -> bool:
        return self.numbers.below(float(chance), self.address(purpose, i, number))

    def race(self, law: Law, purpose: Purpose, i: int) -> int:
        return self.numbers.race(law, self.address(purpose, i))
