"""One position of a small vocabulary: the two doors under a rule, and draws from it.

A token is committed through one of two doors: it was drafted and kept, or something was rejected
and it was drawn instead. Under the exact rule the doors add up to p. The other rules are the
shortcuts that people take; each breaks one of the doors.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from speculation.rule import Law, acceptance, residual
from speculation.sampling import softmax

Rule = Literal["exact", "replace-from-p", "threshold", "softmax-residual"]
Counts = npt.NDArray[np.int64]


def doors(p: Law, q: Law, rule: Rule = "exact") -> tuple[Law, Law]:
    """What each door delivers, for every token, [V] each; their sum is the law that is committed.

    >>> p = np.array([0.6, 0.3, 0.1]); q = np.array([0.2, 0.3, 0.5])
    >>> kept, replaced = doors(p, q); (kept + replaced).round(9)
    array([0.6, 0.3, 0.1])
    >>> kept, replaced = doors(p, q, "replace-from-p"); (kept + replaced).round(9)
    array([0.44, 0.42, 0.14])
    """
    kept = q * chance_kept(p, q, rule)
    return kept, (1.0 - float(kept.sum())) * replacement_law(p, q, rule)


def chance_kept(p: Law, q: Law, rule: Rule) -> Law:
    """The chance that each token, once drafted, is kept, [V]."""
    if rule == "threshold":
        return np.asarray(np.greater_equal(p, q), dtype=np.float64)
    return acceptance(p, q)


def replacement_law(p: Law, q: Law, rule: Rule) -> Law:
    """The law that a replacement is drawn from, [V]."""
    if rule == "replace-from-p":
        return p
    if rule == "softmax-residual":
        return softmax(np.maximum(p - q, 0.0))
    return residual(p, q)


def sample(p: Law, q: Law, rule: Rule, runs: int, rng: np.random.Generator) -> Counts:
    """How often each token is committed in so many runs of the rule, [V]. Nothing is shortened:
    a token is drafted, a number u decides, and a replacement is drawn where it must be."""
    drafted = rng.choice(len(q), size=runs, p=q)
    committed = drafted.copy()
    rejected = rng.random(runs) >= chance_kept(p, q, rule)[drafted]
    law = replacement_law(p, q, rule)
    committed[rejected] = rng.choice(len(p), size=int(rejected.sum()), p=law)
    return np.bincount(committed, minlength=len(p))


def classical_tries(p: Law, q: Law, runs: int, rng: np.random.Generator) -> tuple[Counts, Counts]:
    """Rejection sampling: draw from q, keep with p / (M q), else draw again, M = max p/q.

    -> how many tries each run took, [runs], and how often each token came, [V].
    """
    wanted = p > 0.0
    if np.any(q[wanted] <= 0.0):
        raise ValueError("a token has p > 0 and q = 0: rejection sampling never draws it")
    largest = float((p[wanted] / q[wanted]).max())
    keep = np.divide(p, largest * q, out=np.zeros_like(p), where=q > 0.0)
    tries = np.zeros(runs, dtype=np.int64)
    tokens = np.full(runs, -1)
    open_runs = np.arange(runs)
    while len(open_runs):
        tries[open_runs] += 1
        drawn = rng.choice(len(q), size=len(open_runs), p=q)
        kept = rng.random(len(open_runs)) < keep[drawn]
        tokens[open_runs[kept]] = drawn[kept]
        open_runs = open_runs[~kept]
    return tries, np.bincount(tokens, minlength=len(p))
