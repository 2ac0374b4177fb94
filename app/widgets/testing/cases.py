"""The positions that can be tested: small ones whose laws are known by hand, and real ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from speculation.rule import Law, overlap
from speculation.sampling import Sampling, law
from speculation.schemes import Scheme, Spot

SHOWN = 9
"""How many tokens of a large vocabulary a figure shows; the others share one place."""


@dataclass(frozen=True, eq=False)
class Case:
    """One position under test.

    labels  names of tokens, where they are not simply A, B, C, ...
    """

    name: str
    title: str
    about: str
    spot: Spot
    labels: Mapping[int, str] | None = None

    @property
    def p(self) -> Law:
        return self.spot.target_probs

    @property
    def q(self) -> Law:
        return law(self.spot.draft_logits, self.spot.sampling)

    @property
    def size(self) -> int:
        return len(self.spot.target_logits)

    @property
    def overlap(self) -> float:
        return float(overlap(self.p, self.q))

    def label(self, token: int) -> str:
        if self.labels is None:
            return chr(ord("A") + token)
        return self.labels.get(token, f"token {token:,}")


@dataclass(frozen=True)
class Picked:
    """The tokens that a figure shows, and their names; the last name may stand for all others."""

    tokens: tuple[int, ...]
    names: tuple[str, ...]

    def fold(self, values: Law) -> list[float]:
        """The values of the tokens shown, and the sum of the others where there are any."""
        shown = [float(values[token]) for token in self.tokens]
        if len(self.names) > len(self.tokens):
            shown.append(max(0.0, float(values.sum()) - sum(shown)))
        return shown


def pick(case: Case) -> Picked:
    """All tokens of a small position, in order; the likeliest under p or q of a large one."""
    if case.size <= SHOWN:
        tokens = tuple(range(case.size))
        return Picked(tokens, tuple(case.label(token) for token in tokens))
    likely = np.argsort(-np.maximum(case.p, case.q), kind="stable")[:SHOWN]
    names = [case.label(int(token)) for token in likely]
    return Picked(
        tuple(int(token) for token in likely),
        (*names, f"other ({case.size - SHOWN:,})"),
    )


P8 = np.array([0.30, 0.20, 0.15, 0.10, 0.10, 0.05, 0.05, 0.05])
Q8 = np.array([0.15, 0.25, 0.10, 0.20, 0.05, 0.10, 0.10, 0.05])

SMALL: tuple[Case, ...] = (
    Case(
        "R",
        "R: three tokens",
        "p = (.6, .3, .1), q = (.2, .3, .5): the draft prefers what the target hardly wants.",
        Spot.of([0.6, 0.3, 0.1], [0.2, 0.3, 0.5]),
    ),
    Case(
        "S",
        "S: three tokens, milder",
        "p = (.5, .3, .2), q = (.2, .3, .5).",
        Spot.of([0.5, 0.3, 0.2], [0.2, 0.3, 0.5]),
    ),
    Case(
        "P8",
        "P8: eight tokens",
        "p = (.30, .20, .15, .10, .10, .05, .05, .05), and q is p reversed: many rejections.",
        Spot.of(P8, P8[::-1]),
    ),
    Case(
        "settings",
        "T: eight tokens, sampling settings on",
        "The target's scores are those of P8; temperature .8 and top-k 5 apply to both models.",
        Spot.of(P8, Q8, Sampling(temperature=0.8, top_k=5)),
    ),
    Case(
        "filter",
        "F: a filter cuts one token",
        "p = (.4, .6, 0). The draft's scores say (.5, .3, .2), and top-k 2 cuts the third token.",
        Spot.of([0.4, 0.6, 0.0], [0.5, 0.3, 0.2], Sampling(top_k=2)),
    ),
    Case(
        "two",
        "G: two tokens",
        "p = (.6, .4), q = (.8, .2): the smallest position at which a draft can be wrong.",
        Spot.of([0.6, 0.4], [0.8, 0.2]),
    ),
)


def offered(real: Case | None) -> dict[str, Case]:
    """The positions to choose from, by name: the small ones, and a real one if there is one."""
    return {case.name: case for case in (*SMALL, *([real] if real is not None else []))}


def distance(one: Law, other: Law) -> float:
    """Total variation: half the sum of the differences."""
    return 0.5 * float(np.abs(one - other).sum())


def bias(scheme: Scheme, case: Case) -> float:
    """How far what a scheme commits at a position lies from p, in closed form."""
    return distance(scheme.committed_law(case.spot), case.p)


@lru_cache(maxsize=64)
def most_visible(scheme: Scheme) -> str:
    """The small position at which a scheme's mistake is largest; the first if it shows at none."""
    return max(SMALL, key=lambda case: round(bias(scheme, case), 9)).name
