"""Texts scored by the target, token by token: what every check of a law is made from.

For each token: the interval of its law that it takes (tokens by falling probability, ties by id),
its surprise, and the mean and variance that the surprise should have. Random heights within the
intervals are drawn later, from a generator that belongs to the samples, so a report on the same
samples is the same report.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from engines.audit.target_law import TargetLaw, Text, adjusted
from engines.base import Continuation, SampleRequest, Told
from speculation.exactness.long_runs import Scored
from speculation.models.language_model import (
    LanguageModel,
    Logits,
    over_one_vocabulary,
    over_vocabulary,
)
from speculation.rule import Law
from speculation.sampling import law

Numbers = npt.NDArray[np.float64]

EDGE = 1e-3
"""How far a logit may lie below a filter's edge and still count as on it: two ways of computing
one logit differ by up to about 1e-4 in float32, and a token at the edge is kept or cut by that."""


def _nothing() -> Numbers:
    return np.array([])


def _no_rows() -> Numbers:
    return np.zeros((0, 2))


@dataclass(frozen=True)
class ScoredText:
    """One text under the target; all arrays [T].

    low, high  the interval of the law that the token takes
    surprise   -log p(x), infinite for a token that the law forbids
    entropy    what it should be on average, and its variance
    overlaps   sum of min(p, q) at each place, if the draft is at hand; else empty
    lean       how much the draft favors the token: min(1, q/p), less its mean (the overlap)
    lean_variance  its variance
    accepted  the interval [T, 2] the token takes in min(p, q) / overlap, the law of accepted ones
    replaced  the same in the residual
    told_raw  reported log-probability of each token, less the target's before temperature and
              filters; told_own less the one after them; told_top the largest difference of a
              probability in the reported top list, before them (nan where nothing was reported)
    rarer      whether the penalty makes the token rarer (0 or 1), and the chance of that
    """

    number: int
    low: Numbers
    high: Numbers
    surprise: Numbers
    entropy: Numbers
    variance: Numbers
    overlaps: Numbers = field(default_factory=_nothing)
    lean: Numbers = field(default_factory=_nothing)
    lean_variance: Numbers = field(default_factory=_nothing)
    accepted: Numbers = field(default_factory=_no_rows)
    replaced: Numbers = field(default_factory=_no_rows)
    told_raw: Numbers = field(default_factory=_nothing)
    told_own: Numbers = field(default_factory=_nothing)
    told_top: Numbers = field(default_factory=_nothing)
    rarer: Numbers = field(default_factory=_nothing)
    rarer_chance: Numbers = field(default_factory=_nothing)

    @property
    def probability(self) -> float:
        """Of the whole text, as far as it goes."""
        return float(np.exp(-self.surprise.sum()))


def score_texts(
    target: TargetLaw,
    request: SampleRequest,
    texts: Sequence[Continuation],
    draft: LanguageModel | None = None,
    plain: SampleRequest | None = None,
    edge: float = EDGE,
) -> list[ScoredText]:
    """Score them in batches; an empty text scores nothing.

    draft  whose favorites are looked at
    plain  the request without its penalty, to see which tokens that makes rarer
    edge   how far a logit may lie below a filter's edge and still count as on it
    """
    found = []
    rows = target.logits([text.tokens or (0,) for text in texts])
    for text, logits in zip(texts, rows, strict=True):
        tokens = np.array(text.tokens, dtype=np.int64)
        laws = _laws(request, logits[: len(tokens)], text.tokens, edge)
        # A token that the target does not have at all is one that its law forbids.
        laws = over_vocabulary(laws, None, max(laws.shape[-1], int(tokens.max(initial=0)) + 1), 0.0)
        columns = intervals(laws, tokens)
        scored = ScoredText(text.number, *columns)
        if draft is not None and len(tokens):
            laws, q = over_one_vocabulary(laws, _draft_laws(draft, request, text.tokens))
            shares, lean, spread = leaning(laws, q, tokens)
            scored = replace(scored, overlaps=shares, lean=lean, lean_variance=spread)
            kept, left = np.minimum(laws, q), np.maximum(laws - q, 0.0)
            scored = replace(
                scored,
                accepted=_interval_rows(kept, tokens),
                replaced=_interval_rows(left, tokens),
            )
        if plain is not None and len(tokens):
            without = law(adjusted(plain, logits[: len(tokens)], text.tokens), plain.sampling)
            rarer = laws < without
            chance = np.where(rarer, laws, 0.0).sum(axis=1)
            came = rarer[np.arange(len(tokens)), tokens].astype(np.float64)
            scored = replace(scored, rarer=came, rarer_chance=np.minimum(chance, 1.0))
        if text.told.logprobs and len(tokens):
            raw, own, top = _reported(text.told, logits, laws, tokens)
            scored = replace(scored, told_raw=raw, told_own=own, told_top=top)
        found.append(scored)
    return found


def _reported(
    told: Told, logits: Logits, laws: Law, tokens: npt.NDArray[np.int64]
) -> tuple[Numbers, Numbers, Numbers]:
    """What the engine says of its tokens, against what the target says: see `ScoredText.told_raw`,
    `told_own` and `told_top`."""
    size = min(len(told.logprobs), len(tokens))
    raw = log_softmax(logits[:size].astype(np.float64), axis=1)
    said = np.array(told.logprobs[:size], dtype=np.float64)
    place = np.arange(size)
    with np.errstate(divide="ignore"):
        own = np.log(laws[place, tokens[:size]])
    top = np.full(size, np.nan)
    for i, listed in enumerate(told.top[:size]):
        known = [(token, x) for token, x in listed if token < raw.shape[1] and np.isfinite(x)]
        if known:
            top[i] = max((np.exp(x) - np.exp(raw[i, token]) for token, x in known), key=abs)
    return said - raw[place, tokens[:size]], said - own, top


def _laws(request: SampleRequest, logits: Logits, text: Text, edge: float = EDGE) -> Law:
    """The laws the tokens should follow; a token just below a filter's edge is let in."""
    rows = adjusted(request, logits, text)
    laws: Law = law(rows, request.sampling) if len(text) else np.zeros((0, logits.shape[-1]))
    for i, token in enumerate(text):
        if token < laws.shape[1] and laws[i, token] == 0.0:
            lifted = rows[i].astype(np.float64)
            lifted[token] += edge
            again = law(lifted, request.sampling)
            laws[i] = again if again[token] > 0.0 else laws[i]
    return laws


def _draft_laws(draft: LanguageModel, request: SampleRequest, text: Text) -> Law:
    """The draft's laws at each place of a text [T, V]; zeros where it proposes nothing."""
    short = draft.start().extend([*request.prompt, *text[:-1]], len(text))
    rows = over_vocabulary(short, draft.support, draft.vocab_size)
    laws = np.zeros(rows.shape)
    for i in np.flatnonzero(rows.max(axis=1) > -np.inf):
        laws[i] = law(rows[i], request.sampling)
    return laws


def intervals(
    laws: Law, tokens: npt.NDArray[np.int64]
) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
    """Low and high end of each token's interval, its surprise, and that one's mean and variance.

    The intervals are those of `dice.draw_intervals`, without sorting: what lies below a token is
    the mass of the likelier ones, and of equally likely ones with a lower id.

    >>> low, high, *_ = intervals(np.array([[0.25, 0.5, 0.25]]), np.array([2]))
    >>> float(low[0]), float(high[0])
    (0.75, 1.0)
    """
    low, high = _spans(laws, tokens)
    own = laws[np.arange(len(tokens)), tokens]
    with np.errstate(divide="ignore"):
        nats = -np.log(np.where(laws > 0.0, laws, 1.0))
        surprise = -np.log(own)
    entropy = (laws * nats).sum(axis=1)
    variance = (laws * (nats - entropy[:, None]) ** 2).sum(axis=1)
    return low, high, surprise, entropy, variance


def _spans(laws: Law, tokens: npt.NDArray[np.int64]) -> tuple[Numbers, Numbers]:
    """Low and high end of each token's interval, both [T]."""
    own = laws[np.arange(len(tokens)), tokens]
    likelier = np.where(laws > own[:, None], laws, 0.0).sum(axis=1)
    ties = (laws == own[:, None]) & (np.arange(laws.shape[1]) < tokens[:, None])
    low = np.where(own > 0.0, likelier + own * ties.sum(axis=1), 0.0)
    return low, np.minimum(low + own, 1.0)


def _interval_rows(weights: Law, tokens: npt.NDArray[np.int64]) -> Numbers:
    """The intervals [T, 2] of tokens in laws given by weights; rows without any take none."""
    total = weights.sum(axis=1, keepdims=True)
    laws = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0.0)
    return np.column_stack(_spans(laws, tokens))


def leaning(
    laws: Law, draft_laws: Law, tokens: npt.NDArray[np.int64]
) -> tuple[Numbers, Numbers, Numbers]:
    """Overlap; how much the draft favors each token, less its mean under p; its variance.

    min(1, q/p) is 1 where the draft supplies all that p wants, and 0 where it supplies nothing. Its
    mean over p is the overlap.

    >>> p, q = np.array([[0.6, 0.3, 0.1]]), np.array([[0.2, 0.3, 0.5]])
    >>> shares, lean, _ = leaning(p, q, np.array([0]))
    >>> float(shares[0].round(3)), float(lean[0].round(3))       # 0.2/0.6 - 0.6
    (0.6, -0.267)
    """
    both = np.minimum(laws, draft_laws)
    favor = np.divide(both, laws, out=np.zeros_like(laws), where=laws > 0.0)
    shares: Numbers = both.sum(axis=1)
    variance = (both * favor).sum(axis=1) - shares**2
    return shares, favor[np.arange(len(tokens)), tokens] - shares, np.maximum(variance, 0.0)


def as_scored(texts: Sequence[ScoredText], places: Sequence[Sequence[int]], seed: int) -> Scored:
    """The tokens of many texts in one row, with heights drawn by a generator of this seed."""
    low, high, surprise, entropy, variance = (
        np.concatenate([getattr(text, name) for text in texts] or [np.array([])])
        for name in ("low", "high", "surprise", "entropy", "variance")
    )
    heights = low + np.random.default_rng(seed).random(len(low)) * (high - low)
    number = np.repeat(np.arange(len(texts)), [len(text.low) for text in texts])
    place = np.array([i for row in places for i in row], dtype=np.int64)
    return Scored(heights, surprise, entropy, variance, number, place)


def places_of(text: Continuation) -> list[int]:
    """Each token's place in its cycle; -1 where the engine does not say."""
    if text.cycles is None:
        return [-1] * len(text.tokens)
    return [i for cycle in text.cycles for i in range(cycle.committed)]


def checked_overlaps(
    text: Continuation, scored: ScoredText, k: int, length: int
) -> Iterator[tuple[list[float], int]]:
    """For each cycle, the overlap at the drafts it checked, and how many of them it kept.

    A cycle that begins too near to the length to commit all it may is left out: which ones were
    cut depends on how many drafts they kept. A place without a draft of q's has no overlap.
    """
    start = 0
    for cycle in text.cycles or ():
        if start + k + 1 > length:
            return
        checked = min(cycle.accepted + 1, cycle.drafted, len(scored.overlaps) - start)
        yield scored.overlaps[start : start + checked].tolist(), min(cycle.accepted, checked)
        start += cycle.committed
