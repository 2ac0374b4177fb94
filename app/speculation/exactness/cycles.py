"""Whole cycles: the joint law of accepted count and tokens, its strata, and accepted over overlap.

Where the outcomes of a cycle can be counted, their frequencies are compared with the enumerated
law. Where they cannot, a cycle still says something about each door. Given what came before it,

    an accepted token follows   min(p, q) / overlap,
    a replacement               the residual,
    a bonus                     p,

so its randomized height in that law (`pit`) is uniform, whatever the vocabulary. And a draft that
is checked is accepted with probability overlap: this finds what is exact but slow.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from speculation.exactness.counts import pearson_of
from speculation.exactness.finding import Finding, z_finding
from speculation.exactness.long_runs import pit, uniformity
from speculation.rule import Law, Verification, overlap, residual
from speculation.schemes import Block
from speculation.schemes.known_laws import Played

Stratum = Literal["accepted", "replaced", "bonus"]
STRATA: tuple[Stratum, ...] = ("accepted", "replaced", "bonus")


def joint_test(
    observed: Mapping[Any, int],
    law: Mapping[Any, float],
    rng: np.random.Generator | None = None,
) -> Finding:
    """How often each (accepted count, committed tokens) came, against the enumerated law."""
    return pearson_of(observed, law, rng, check="cycle")


@dataclass(frozen=True)
class Event:
    """One token of a cycle, by its door, and the law it should follow given that door."""

    stratum: Stratum
    token: int
    law: Law


def events_of(block: Block, found: Verification) -> list[Event]:
    """The tokens of one cycle of the exact rule."""
    n, k = found.n_accepted, len(block.drafted)
    p, q = block.target_probs, block.draft_probs
    events = []
    for i in range(n):
        both = np.minimum(p[i], q[i])
        events.append(Event("accepted", block.drafted[i], both / both.sum()))
    if n == k:
        events.append(Event("bonus", found.replacement, p[k]))
    else:
        events.append(Event("replaced", found.replacement, residual(p[n], q[n])))
    return events


def strata(events: Iterable[Event], rng: np.random.Generator) -> dict[Stratum, Finding]:
    """One test for each door that was used: are the tokens' heights in their laws uniform?"""
    heights: dict[Stratum, list[float]] = {name: [] for name in STRATA}
    for event in events:
        heights[event.stratum].append(pit(event.law, event.token, rng.random()))
    return {
        name: uniformity(np.array(found), f"stratum: {name}", rng)
        for name, found in heights.items()
        if found
    }


@dataclass
class Tally:
    """Drafts checked and accepted, and the overlap at every checked one.

    >>> tally = Tally()
    >>> tally.add([0.7, 0.6], accepted=1)
    >>> tally.checked, tally.accepted, round(tally.expected, 2)
    (2, 1, 1.3)
    """

    checked: int = 0
    accepted: int = 0
    expected: float = 0.0
    variance: float = 0.0

    def add(self, overlaps: Iterable[float], accepted: int) -> None:
        """One cycle: the overlap at each position it checked, and how many of them it accepted."""
        for o in overlaps:
            self.checked += 1
            self.expected += o
            self.variance += o * (1.0 - o)
        self.accepted += accepted


def tally_of(cycles: Iterable[Played]) -> Tally:
    tally = Tally()
    for played in cycles:
        tally.add(played.overlaps, played.n_accepted)
    return tally


def places_of(cycles: Iterable[Played]) -> list[int]:
    """Each committed token's place in its cycle, for tests by place."""
    return [i for played in cycles for i in range(len(played.tokens))]


def overlap_test(tally: Tally) -> Finding:
    """Accepted over checked against the mean overlap: its expectation, under the exact rule.

    A negative effect is speed lost without any change in the text; both tails are tested, for a
    share above the overlap is only possible for schemes that judge drafts together, or wrongly.
    """
    return _accepted_over_overlap(tally, "accepted against overlap", lower_tail=False)


def slower_test(tally: Tally) -> Finding:
    """The same, against slowness alone."""
    return _accepted_over_overlap(tally, "accepted below overlap", lower_tail=True)


def _accepted_over_overlap(tally: Tally, check: str, lower_tail: bool) -> Finding:
    return z_finding(
        check,
        tally.accepted - tally.expected,
        tally.variance,
        tally.checked,
        "accepted share, minus mean overlap",
        lower_tail=lower_tail,
    )


def mean_overlap(target_probs: Law, draft_probs: Law) -> float:
    """The mean overlap over positions [n, V]: alpha, as far as they are the checked ones."""
    return float(np.mean(overlap(target_probs, draft_probs)))
