"""From a model's logits to the law a token is drawn from.

The steps are the usual ones, in the usual order: temperature, top-k, top-p, min-p. Each takes
logits and returns logits, with minus infinity for a token that is cut; `law` turns the result
into probabilities. The same settings are applied to the target and to the draft, and the laws
that come out are the ones the rule compares: p and q are laws *after* every filter.

The steps agree with transformers' own logits processors (a test compares them), ties included:
only at the edge of top-p, where several tokens are tied, does transformers keep whichever its
unstable sort puts last.
"""

from dataclasses import dataclass
from math import inf

import numpy as np
import numpy.typing as npt

Logits = npt.NDArray[np.float64]
"""Shape [V], or [n, V] for a stack of positions; minus infinity where a token is impossible."""


@dataclass(frozen=True)
class Sampling:
    """Sampling settings, the same for both models.

    temperature  0 means greedy: all mass on the largest logit, the lowest id on ties
    top_k        keep the k largest logits (0: off); tokens tied with the k-th are kept too
    top_p        keep the smallest set of most likely tokens with at least this mass (1: off)
    min_p        keep tokens with at least this share of the largest probability (0: off)
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.temperature < inf:
            raise ValueError(f"temperature is {self.temperature}, expected a number from 0 up")
        if self.top_k < 0:
            raise ValueError(f"top_k is {self.top_k}, expected 0 (off) or a positive count")
        if not 0.0 < self.top_p <= 1.0:
            raise ValueError(f"top_p is {self.top_p}, expected a number in (0, 1]")
        if not 0.0 <= self.min_p <= 1.0:
            raise ValueError(f"min_p is {self.min_p}, expected a number in [0, 1]")


def law(logits: npt.ArrayLike, sampling: Sampling) -> npt.NDArray[np.float64]:
    """The law of the next token: logits [..., V] -> probabilities [..., V] that sum to 1.

    Raises ValueError if a row has no possible token or holds NaN.

    >>> law([1.0, 1.0, 0.0], Sampling(temperature=0.0))
    array([1., 0., 0.])
    >>> law(np.log([0.5, 0.3, 0.2]), Sampling(top_k=2)).round(3)
    array([0.625, 0.375, 0.   ])
    """
    logits = np.asarray(logits)
    top = logits.argmax(axis=-1, keepdims=True)  # of a row with NaN, that one
    best = np.take_along_axis(logits, top, axis=-1)
    if not np.isfinite(best).all():
        raise ValueError("logits have a row with NaN, infinity or no possible token")
    if sampling.temperature == 0.0:
        probs = np.zeros(logits.shape)
        np.put_along_axis(probs, top, 1.0, axis=-1)
        return probs
    scores: Logits = logits.astype(np.float64)  # a copy: what follows works in place
    # Subtracting the largest logit first changes nothing in the law and keeps exp from overflow.
    scores -= best
    if sampling.temperature != 1.0:
        scores /= sampling.temperature
    if sampling.top_k:
        scores = keep_top_k(scores, sampling.top_k)
    if sampling.top_p < 1.0:
        scores = keep_top_p(scores, sampling.top_p)
    if sampling.min_p > 0.0:
        scores = keep_min_p(scores, sampling.min_p)
    return _exponentials(scores)  # the largest is still 0, whatever was cut


def softmax(logits: Logits) -> npt.NDArray[np.float64]:
    """Probabilities from logits over the last axis, computed away from overflow."""
    return _exponentials(logits - logits.max(axis=-1, keepdims=True))


_LOWEST = -700.0  # exp of less is nearly 0, of no use, and many times slower


def _exponentials(scores: Logits) -> npt.NDArray[np.float64]:
    """Scores, none above 0, to a law, in place."""
    kept = scores > _LOWEST
    if kept.all():
        np.exp(scores, out=scores)
    else:
        np.maximum(scores, _LOWEST, out=scores)
        np.exp(scores, out=scores)
        scores *= kept
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def keep_top_k(logits: Logits, k: int) -> Logits:
    """Cut every token whose logit lies below the k-th largest; ties with it are kept."""
    k = min(k, logits.shape[-1])
    floor = np.partition(logits, -k, axis=-1)[..., -k, None]
    return np.where(logits < floor, -inf, logits)


def keep_top_p(logits: Logits, top_p: float) -> Logits:
    """Cut the least likely tokens whose summed probability is at most 1 - top_p.

    The most likely token always stays. Of tokens tied at the edge, lower ids are cut first.
    """
    kept = np.full_like(logits, -inf)
    for source, out in zip(np.atleast_2d(logits), np.atleast_2d(kept), strict=True):
        tokens = _nucleus(softmax(source), top_p)
        out[tokens] = source[tokens]
    return kept


def _nucleus(probs: npt.NDArray[np.float64], top_p: float) -> npt.NDArray[np.int64]:
    """The tokens that top-p keeps, for one law [V].

    Sorting a whole vocabulary is slow and nearly always needless: if the tokens above a
    threshold hold more than top_p, everything below it is cut anyway.
    """
    for threshold in (1e-3, 1e-5, -1.0):
        head = np.flatnonzero(probs > threshold)
        mass = probs[head].sum()
        if mass > top_p or threshold < 0.0:
            break
    order = head[np.argsort(probs[head], kind="stable")]
    below = (1.0 - mass if len(head) < len(probs) else 0.0) + probs[order].cumsum()
    keep = below > 1.0 - top_p
    keep[-1] = True
    return order[keep]


def keep_min_p(logits: Logits, min_p: float) -> Logits:
    """Cut every token whose probability is below min_p times the largest one."""
    floor = logits.max(axis=-1, keepdims=True) + np.log(min_p)
    return np.where(logits < floor, -inf, logits)
