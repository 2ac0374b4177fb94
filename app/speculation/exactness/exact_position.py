"""One position, exactly: what the rule commits there, over the whole vocabulary, without sampling.

Three ways to the same law. On paper: min(p, q) + (1 - overlap) r. By the parts of `verify`: how
much of [0, 1) draws each token, accepts it, and draws each replacement. By `verify` itself, called
in the middle of those intervals.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from speculation.dice import draw_intervals
from speculation.rule import Law, Verification, acceptance, overlap, residual, verify

Verify = Callable[..., Verification]


@dataclass(frozen=True)
class PositionLaw:
    """The two doors through which a token arrives, their sum, and the law it should be; [V] each.

    accepted  min(p, q)
    replaced  (1 - overlap) r
    """

    accepted: Law
    replaced: Law
    target: Law

    @property
    def committed(self) -> Law:
        return self.accepted + self.replaced

    @property
    def largest_difference(self) -> float:
        """The largest difference between what is committed and p, over all tokens."""
        return float(np.abs(self.committed - self.target).max())


def on_paper(p: Law, q: Law) -> PositionLaw:
    """The closed form.

    >>> on_paper(np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.3, 0.5])).replaced.round(12)
    array([0.4, 0. , 0. ])
    """
    return PositionLaw(np.minimum(p, q), (1.0 - overlap(p, q)) * residual(p, q), p)


def by_intervals(p: Law, q: Law) -> PositionLaw:
    """The parts of `verify`, integrated: lengths of intervals, no law is read off twice.

    A token is drafted for a piece of [0, 1) as long as its interval in `draw_intervals(q)`, is
    accepted for u below `acceptance(p, q)`, and else is replaced by the pieces of the residual.
    """
    drafted, edges = draw_intervals(q)
    widths = np.diff(edges)
    chance = acceptance(p, q)[drafted]
    accepted, replaced = np.zeros_like(p), np.zeros_like(p)
    accepted[drafted] = widths * chance
    rejected = float(np.sum(widths * (1.0 - chance)))
    tokens, edges = draw_intervals(residual(p, q))
    replaced[tokens] = rejected * np.diff(edges)
    return PositionLaw(accepted, replaced, p)


@dataclass(frozen=True)
class Midpoints:
    """How `verify`, called in the middle of intervals, compares with what they say.

    covered       the probability of all cases that were tried, together
    disagreements cases in which it did something else
    """

    calls: int
    disagreements: int
    covered: float


def at_midpoints(p: Law, q: Law, most: int = 300, rule: Verify = verify) -> Midpoints:
    """Call the rule for the likeliest drafts: once accepted, and once for every likely replacement.

    A position has one row for its draft and one for the bonus; the bonus row is p again. `most`
    bounds the drafts, and the replacements of one draft that is refused.
    """
    rows, drafts = np.stack([p, p]), q[None]
    tokens, edges = draw_intervals(q)
    bonus = int(draw_intervals(p)[0][0])  # the likeliest token: what a number of 0 draws
    chance = acceptance(p, q)
    refused: int | None = None
    calls = wrong = 0
    covered = 0.0
    for token, width in zip(tokens[:most].tolist(), np.diff(edges)[:most], strict=True):
        a = float(chance[token])
        if a > 0.0:
            found = rule(rows, drafts, [token], [a / 2], 0.0)
            wrong += (found.n_accepted, found.replacement) != (1, bonus)
            calls, covered = calls + 1, covered + float(width) * a
        if a < 1.0 and refused is None:
            refused = token
    if refused is not None:
        u = (1.0 + float(chance[refused])) / 2
        mass = 1.0 - float(overlap(p, q))
        tokens, edges = draw_intervals(residual(p, q))
        for token, (low, high) in list(zip(tokens.tolist(), pairwise(edges), strict=True))[:most]:
            found = rule(rows, drafts, [refused], [u], (low + high) / 2)
            wrong += (found.n_accepted, found.replacement) != (0, token)
            calls, covered = calls + 1, covered + mass * float(high - low)
    return Midpoints(calls, wrong, covered)
