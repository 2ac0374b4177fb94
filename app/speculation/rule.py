"""The rule of speculative sampling, and the law it commits.

One cycle: the draft model proposed k tokens, each drawn from its own law q; the target model
gave its law p at every one of those positions, and at the one after them. The rule walks the
drafted tokens in order and accepts token x with probability

    a(x) = min(1, p(x) / q(x)).

The first token that is not accepted ends the cycle: it and everything drafted after it are
thrown away, and its place is filled from the residual

    r = max(0, p - q), normalized,

which holds exactly what the target wanted and the draft under-supplied. If all k are accepted,
the target's last law gives one more token for nothing (the bonus). Either way, the committed
tokens follow p exactly: x arrives as an accepted draft at rate min(p, q), and from the residual
at rate max(0, p - q), and the two add up to p(x).

Source: Leviathan, Kalman, Matias, "Fast Inference from Transformers via Speculative Decoding"
(arXiv 2211.17192), algorithm 1 and appendix A.1; Chen et al. (arXiv 2302.01318), theorem 1.

>>> p = np.array([0.6, 0.3, 0.1]); q = np.array([0.2, 0.3, 0.5])
>>> acceptance(p, q)
array([1. , 1. , 0.2])
>>> residual(p, q)
array([1., 0., 0.])
>>> committed_law(p, q)
array([0.6, 0.3, 0.1])
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from speculation.dice import draw

Law = npt.NDArray[np.float64]
"""A probability law over the vocabulary, shape [V]; or a stack of them, shape [n, V]."""

SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Verification:
    """What the rule decided about one cycle.

    n_accepted   how many drafted tokens were accepted: 0 to k
    replacement  the token that ends the cycle
    residual     the law the replacement was drawn from, shape [V]; None for a bonus, which is
                 drawn from the target's own law
    """

    n_accepted: int
    replacement: int
    residual: Law | None

    @property
    def is_bonus(self) -> bool:
        """Whether all drafted tokens were accepted, so that the replacement came for nothing."""
        return self.residual is None


def acceptance(target_probs: Law, draft_probs: Law) -> Law:
    """The chance min(1, p/q) that a drafted token is accepted, for every token; same shape.

    Where q is 0 a token is never drafted; the value there is 1 if p has mass and 0 if not, the
    limit of p/q as q falls to 0, so that q * acceptance is min(p, q) everywhere.
    """
    ratio = np.divide(
        target_probs,
        draft_probs,
        out=np.asarray(np.greater(target_probs, 0), dtype=np.float64),
        where=np.greater(draft_probs, 0),
    )
    return np.minimum(ratio, 1.0)


def overlap(target_probs: Law, draft_probs: Law) -> Any:
    """Sum of min(p, q) over the last axis: the chance that a token drawn from q is accepted.

    It equals 1 - TV(p, q). Returns a float for one pair of laws, shape [n] for a stack of them.
    """
    return np.minimum(target_probs, draft_probs).sum(axis=-1)


def residual(target_probs: Law, draft_probs: Law) -> Law:
    """The leftover law r = max(0, p - q), normalized over the last axis; same shape.

    When p equals q up to rounding there is no leftover mass, and r falls back to p: the draw
    happens with probability about 0, and must still be one that the target allows.
    """
    left = np.maximum(target_probs - draft_probs, 0.0)
    mass = left.sum(axis=-1, keepdims=True)
    empty = mass <= np.finfo(np.float64).eps
    left /= np.where(empty, 1.0, mass)
    return np.where(empty, target_probs, left) if empty.any() else left


def committed_law(target_probs: Law, draft_probs: Law) -> Law:
    """The law of the token that the rule commits at one position: the sum of its two doors.

    Door one, a draft that was kept: min(p, q). Door two, drawn after a rejection:
    (1 - overlap) * r. The sum is p, whatever q was; this function does not assume so.
    """
    kept: Law = np.minimum(target_probs, draft_probs)
    rejected = 1.0 - kept.sum(axis=-1, keepdims=True)
    committed: Law = kept + np.maximum(rejected, 0.0) * residual(target_probs, draft_probs)
    return committed


def verify(
    target_probs: Law,
    draft_probs: Law,
    drafted: npt.ArrayLike,
    accept_uniforms: npt.ArrayLike,
    replace_uniform: float,
) -> Verification:
    """Decide one cycle: how many drafted tokens stand, and which token ends it.

    target_probs     [k+1, V]  p at each drafted position and at the one after the last
    draft_probs      [k, V]    q at each drafted position: the law the token was drawn from
    drafted          [k]       the drafted tokens
    accept_uniforms  [k]       one number in [0, 1) a position: accepted when u < p(x)/q(x)
    replace_uniform            one number in [0, 1) for the replacement

    Raises ValueError, naming the culprit, for wrong shapes, laws with negative or non-finite
    entries or a sum off 1 by more than 1e-6, a token outside the vocabulary, a drafted token
    with q(x) = 0 (it cannot have been drawn), or uniforms outside [0, 1).

    >>> p = np.array([[0.6, 0.3, 0.1], [0.0, 1.0, 0.0]]); q = np.array([[0.2, 0.3, 0.5]])
    >>> verify(p, q, [2], [0.81], 0.5)            # u = 0.81 >= 0.1/0.5: rejected
    Verification(n_accepted=0, replacement=0, residual=array([1., 0., 0.]))
    >>> verify(p, q, [2], [0.19], 0.5)            # accepted, and the bonus drawn from p[1]
    Verification(n_accepted=1, replacement=1, residual=None)
    """
    tokens, uniforms = _checked(target_probs, draft_probs, drafted, accept_uniforms)
    if not 0.0 <= replace_uniform < 1.0:
        raise ValueError(f"replace_uniform is {replace_uniform}, not in [0, 1)")

    n = count_accepted(target_probs, draft_probs, tokens, uniforms)
    if n == len(tokens):
        return Verification(n, draw(target_probs[n], replace_uniform), None)
    leftover = residual(target_probs[n], draft_probs[n])
    return Verification(n, draw(leftover, replace_uniform), leftover)


def count_accepted(
    target_probs: Law, draft_probs: Law, drafted: npt.ArrayLike, accept_uniforms: npt.ArrayLike
) -> int:
    """How many drafted tokens stand: those before the first with u >= min(1, p(x)/q(x)).

    The part of `verify` that does not need the replacement's number, for callers whose number
    depends on where the replacement falls. Shapes as there; nothing is checked here.
    """
    tokens = np.asarray(drafted, dtype=np.int64)
    rows = np.arange(len(tokens))
    chance = acceptance(target_probs[rows, tokens], draft_probs[rows, tokens])
    rejected = np.flatnonzero(np.asarray(accept_uniforms) >= chance)
    return int(rejected[0]) if rejected.size else len(tokens)


def _checked(
    target_probs: Law, draft_probs: Law, drafted: npt.ArrayLike, accept_uniforms: npt.ArrayLike
) -> tuple[npt.NDArray[np.int64], Law]:
    """The drafted tokens and their uniforms as arrays, once everything has been looked at."""
    tokens = np.asarray(drafted, dtype=np.int64)
    uniforms = np.asarray(accept_uniforms, dtype=np.float64)
    if tokens.ndim != 1:
        raise ValueError(f"drafted has shape {tokens.shape}, expected one axis [k]")
    k = len(tokens)
    if target_probs.ndim != 2 or len(target_probs) != k + 1:
        raise ValueError(
            f"target_probs has shape {target_probs.shape}, expected [{k + 1}, V]: "
            f"one row for each of the {k} drafted tokens and one more"
        )
    vocabulary = target_probs.shape[1]
    if draft_probs.shape != (k, vocabulary):
        raise ValueError(f"draft_probs has shape {draft_probs.shape}, expected {(k, vocabulary)}")
    if uniforms.shape != (k,):
        raise ValueError(f"accept_uniforms has shape {uniforms.shape}, expected {(k,)}")
    check_laws("target_probs", target_probs)
    check_laws("draft_probs", draft_probs)
    if not np.all((uniforms >= 0.0) & (uniforms < 1.0)):
        raise ValueError(f"accept_uniforms has a value outside [0, 1): {uniforms}")
    outside = (tokens < 0) | (tokens >= vocabulary)
    if outside.any():
        i = int(np.argmax(outside))
        raise ValueError(
            f"drafted[{i}] = {tokens[i]} is outside the vocabulary of {vocabulary} tokens"
        )
    impossible = draft_probs[np.arange(k), tokens] <= 0.0
    if impossible.any():
        i = int(np.argmax(impossible))
        raise ValueError(
            f"drafted[{i}] = {tokens[i]} has q = 0: it cannot have been drawn from draft_probs[{i}]"
        )
    return tokens, uniforms


def check_laws(name: str, laws: Law) -> None:
    """Raise ValueError unless every row of `laws`, shape [n, V], is a probability law."""
    for i, row in enumerate(laws):
        total = float(row.sum())  # NaN and infinity survive a sum, so one pass sees them
        if not np.isfinite(total):
            raise ValueError(f"{name}[{i}] has a value that is not a finite number")
        if float(row.min()) < 0.0:
            raise ValueError(f"{name}[{i}] has a negative probability: {float(row.min())}")
        if abs(total - 1.0) > SUM_TOLERANCE:
            raise ValueError(f"{name}[{i}] sums to {total}, not to 1 (within {SUM_TOLERANCE})")
