"""Broken schemes whose mistake lies in the test: which drafts are kept.

Worked numbers are on R: p = (.6, .3, .1), q = (.2, .3, .5), unless they say otherwise.
"""

from collections.abc import Sequence

import numpy as np

from speculation.dice import Purpose
from speculation.rule import Law, Verification, acceptance
from speculation.schemes.base import Block, Ruling, Scheme, one_hot
from speculation.schemes.random_numbers import Turn


class AcceptEverything(Scheme):
    """No test at all: the text is the draft's. R commits q itself, TV .4 from p."""

    name = "accept-everything"
    exact = False
    case = "what a broken comparison amounts to: transformers #47932 accepted every draft"
    seen_by = "law"

    def chance(self, p: Law, q: Law) -> Law:
        return np.ones_like(p)


class AcceptIfLikelier(Scheme):
    """Keep a token only if p(x) >= q(x): a ratio below 1 needs a coin, and gets none.

    R commits (.7, .3, 0): the third token deserves .1 and never comes.
    """

    name = "accept-if-likelier"
    exact = False
    case = "a common simplification of the ratio test"
    seen_by = "law"
    as_fast = False

    def chance(self, p: Law, q: Law) -> Law:
        return np.greater_equal(p, q).astype(np.float64)


class RatioInverted(Scheme):
    """Keep with min(1, q/p): the fraction upside down.

    R keeps .2/.6 of the first token, all of the others, and has nothing else left over than the
    first: (.2, .3, .5), the draft's law.
    """

    name = "ratio-inverted"
    exact = False
    case = "p and q exchanged, as names for them are in half of the papers"
    seen_by = "law"

    def chance(self, p: Law, q: Law) -> Law:
        return acceptance(q, p)


class RatioToTheMaximum(Scheme):
    """Keep with p(x) / max p: plausible to the target is taken for good enough.

    R keeps (1, .5, 1/6): drafts arrive at (.2, .15, .083), the rest is the first token:
    (.767, .15, .083).
    """

    name = "ratio-to-maximum"
    exact = False
    case = "1bit-MONSTER #637"
    seen_by = "law"
    as_fast = False

    def chance(self, p: Law, q: Law) -> Law:
        return p / float(p.max())


class TypicalAcceptance(Scheme):
    """Keep every token with p(x) above a threshold that falls where the target is unsure.

    The threshold is min(.09, .3 exp(-H)), the defaults of the heads it was made for. R has
    H = .898, so it is .09 and every draft stands: the text is the draft's. Meant to be lossy.
    """

    name = "typical-acceptance"
    exact = False
    case = "Medusa, arXiv 2401.10774; vllm #5015"
    seen_by = "law"
    floor, scale = 0.09, 0.3

    def chance(self, p: Law, q: Law) -> Law:
        entropy = -float(np.sum(p * np.log(np.where(p > 0.0, p, 1.0))))
        threshold = min(self.floor, self.scale * float(np.exp(-entropy)))
        return np.greater(p, threshold).astype(np.float64)

    def leftover(self, p: Law, q: Law) -> Law:
        return p


class ArgmaxVerification(Scheme):
    """The target's likeliest token decides, though the temperature is not 0: p is made one-hot.

    R commits (1, 0, 0). The test of greedy decoding, left in place when sampling was asked for.
    """

    name = "argmax-verification"
    exact = False
    case = "the greedy branch taken for sampled requests"
    seen_by = "law"
    as_fast = False

    def chance(self, p: Law, q: Law) -> Law:
        return one_hot(p)

    def leftover(self, p: Law, q: Law) -> Law:
        return self.chance(p, q)


class MatchThenFresh(Scheme):
    """Sample from p; if the draft has another token, forget that sample and draw a new one.

    The new draw may be the refused token again, so what the draft likes is counted twice:
    p (q + 1 - sum p q). On p = (.5, .3, .2), q = (.2, .3, .5): (.455, .303, .242).
    """

    name = "match-then-fresh"
    exact = False
    claims = "sample-and-match"
    case = "language-model-arithmetic #14, for a matching test"
    seen_by = "law"
    as_fast = False

    def chance(self, p: Law, q: Law) -> Law:
        return p

    def leftover(self, p: Law, q: Law) -> Law:
        return p


class LaterDraftsKept(Scheme):
    """After a rejection go on: later drafts that pass their own test are kept behind the
    replacement, until the next one fails.

    They were scored after a prefix that has just been thrown away, and being kept at rate
    min(p, q) without a second door they do not even follow that. Nothing shows at k = 1, nor ever
    in the first token.
    """

    name = "later-drafts-kept"
    exact = False
    case = "mesh-llm #567"
    seen_by = "text"
    reads_later = True

    def verify(self, block: Block, turn: Turn) -> Ruling:
        ruling = super().verify(block, turn)
        later: list[int] = []
        for i in range(ruling.n_accepted + 1, len(block.drafted)):
            token = block.drafted[i]
            chance = self.chance(block.target_probs[i], block.draft_probs[i])[token]
            if not turn.below(chance, Purpose.ACCEPT, i):
                break
            later.append(token)
        return Ruling(
            ruling.n_accepted,
            ruling.replacement,
            ruling.residual,
            ruling.drawn_from,
            tuple(later),
        )

    def commit(
        self, drafted: Sequence[int], ruling: Verification, end: frozenset[int] = frozenset()
    ) -> list[int]:
        tokens = super().commit(drafted, ruling, end)
        for token in ruling.later if isinstance(ruling, Ruling) else ():
            if tokens[-1] in end:
                break
            tokens.append(token)
        return tokens
