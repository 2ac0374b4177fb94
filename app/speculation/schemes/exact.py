"""Exact schemes: other ways to the same law. Some are slower, none may ever be flagged."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from speculation.dice import Purpose
from speculation.rule import Law, Verification, acceptance, overlap, residual
from speculation.sampling import Sampling
from speculation.schemes.base import Block, Ruling, Scheme, Spot, one_hot, without
from speculation.schemes.many_runs import Many
from speculation.schemes.race import race_agreement
from speculation.schemes.random_numbers import Turn


class SampleAndMatch(Scheme):
    """Draw from p at every position, and go on while the draft has the same token.

    What is committed is always the target's own sample, so there is nothing to prove; but two
    independent samples agree only with probability sum of p q: .29 on p = (.5, .3, .2),
    q = (.2, .3, .5), where the ratio rule keeps .70.
    """

    name = "sample-and-match"
    as_fast = False
    case = "mlx-lm #1709, mlxcel #902"
    judge = "sample"

    def chance(self, p: Law, q: Law) -> Law:
        return p

    def own_sample(self, p: Law, turn: Turn, i: int) -> int:
        """The target's token at the i-th place of a cycle."""
        return turn.draw(p, Purpose.REPLACE, i)

    def verify(self, block: Block, turn: Turn) -> Ruling:
        for i, token in enumerate(block.drafted):
            p = block.target_probs[i]
            sample = self.own_sample(p, turn, i)
            if sample != token:
                return Ruling(i, sample, without(p, token), p)
        return self.bonus(block, turn)

    def bonus(self, block: Block, turn: Turn) -> Ruling:
        k = len(block.drafted)
        p = block.target_probs[k]
        return Ruling(k, self.own_sample(p, turn, k), None, p)

    def committed_law(self, spot: Spot) -> Law:
        return self.compared(spot).p

    def sample(self, spot: Spot, many: Many) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        laws = self.compared(spot)
        tokens = many.draw(laws.p, Purpose.REPLACE)
        return tokens, tokens == many.draw(laws.drawn, Purpose.DRAFT)


class GumbelCoupling(SampleAndMatch):
    """Sample-and-match again, but both models race over the same noise and so agree more often.

    A token arrives at E_x / law(x); each model takes its first. Alone each draws from its law,
    together they agree with probability sum of 1 / sum_z max(p_z/p_x, q_z/q_x): .631 on
    p = (.5, .3, .2), q = (.2, .3, .5), between .29 (independent) and .70 (the ratio rule).
    """

    name = "gumbel-coupling"
    case = "Daliri et al., arXiv 2408.07978"

    def propose(self, drawn_from: Law, turn: Turn, i: int) -> int:
        return turn.race(drawn_from, Purpose.DRAFT, i)

    def own_sample(self, p: Law, turn: Turn, i: int) -> int:
        return turn.race(p, Purpose.DRAFT, i)

    def acceptance_rate(self, spot: Spot) -> float:
        laws = self.compared(spot)
        return float(race_agreement(laws.drawn, laws.p).sum())

    def chance(self, p: Law, q: Law) -> Law:
        """The chance that the target's race has the winner of the draft's."""
        agreed = race_agreement(q, p)
        return np.divide(agreed, q, out=np.zeros_like(q), where=q > 0.0)

    def sample(self, spot: Spot, many: Many) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        laws = self.compared(spot)
        drafted, tokens = many.race(laws.drawn, laws.p)
        return tokens, drafted == tokens


class OneHotGreedy(Scheme):
    """The draft offers its likeliest token, and q says so: all mass on it.

    The ratio is then p(x)/1, and the residual is p without x. On p = (.5, .3, .2),
    q = (.2, .3, .5) the offer is always the third token, kept with .20. It is not always worse
    than sampling: p = (.9, .05, .05), q = (.5, .3, .2) keeps .9 against .6.
    """

    name = "one-hot-greedy"
    as_fast = False
    case = "jaymody/speculative-sampling #3, vllm #40551"

    def draft_laws(self, logits: npt.ArrayLike, sampling: Sampling) -> tuple[Law, Law]:
        hot = one_hot(super().draft_laws(logits, sampling)[0])
        return hot, hot


class OneHotSampled(Scheme):
    """The draft samples from q, and the rule treats the token as if nothing else could have come.

    Token x is kept with p(x); after a miss x is struck out. Token y arrives at rate
    q(y) p(y) + (1 - q(y)) p(y) = p(y): exact whatever q was, and slow: .29 on p = (.5, .3, .2),
    q = (.2, .3, .5).
    """

    name = "one-hot-sampled"
    as_fast = False
    case = "EAGLE #183, #329"
    strikes_out = True

    def chance(self, p: Law, q: Law) -> Law:
        return p


class TwoDrafts(Scheme):
    """A second, independent draft where the first is refused, tested against what is left.

    After the first miss the law still owed is r = max(0, p - q), normalized; the second candidate
    is tested against r as the first was against p. On p = (.5, .3, .2), q = (.2, .3, .5): .70,
    then .3 times .2: .76. Without a tree pass nothing was read after a second candidate, so here
    it ends the cycle.
    """

    name = "two-drafts"
    case = "SpecInfer, arXiv 2305.09781"

    def verify(self, block: Block, turn: Turn) -> Ruling:
        for i, token in enumerate(block.drafted):
            p, q = block.target_probs[i], block.draft_probs[i]
            if turn.below(acceptance(p, q)[token], Purpose.ACCEPT, i):
                continue
            owed = residual(p, q)
            second = turn.draw(q, Purpose.DRAFT, i, number=1)
            if turn.below(acceptance(owed, q)[second], Purpose.ACCEPT, i, number=1):
                return Ruling(i, second, owed, owed, spare=True)
            left = residual(owed, q)
            return Ruling(i, turn.draw(left, Purpose.REPLACE, i), owed, left)
        return self.bonus(block, turn)

    def committed_law(self, spot: Spot) -> Law:
        laws = self.compared(spot)
        owed = residual(laws.p, laws.q)
        first, second = np.minimum(laws.p, laws.q), np.minimum(owed, laws.q)
        law: Law = first + (1.0 - first.sum()) * (
            second + (1.0 - second.sum()) * residual(owed, laws.q)
        )
        return law

    def acceptance_rate(self, spot: Spot) -> float:
        laws = self.compared(spot)
        first = overlap(laws.p, laws.q)
        return float(first + (1.0 - first) * overlap(residual(laws.p, laws.q), laws.q))

    def sample(self, spot: Spot, many: Many) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        laws = self.compared(spot)
        owed = residual(laws.p, laws.q)
        tokens = many.draw(laws.drawn, Purpose.DRAFT)
        kept = many.below(acceptance(laws.p, laws.q)[tokens], Purpose.ACCEPT)
        spare = many.draw(laws.q, Purpose.DRAFT, index=1)
        taken = ~kept & many.below(acceptance(owed, laws.q)[spare], Purpose.ACCEPT, index=1)
        tokens[taken] = spare[taken]
        gone = ~kept & ~taken
        if gone.any():
            tokens[gone] = many.draw(residual(owed, laws.q), Purpose.REPLACE, gone)
        return tokens, kept | taken


class BonusDropped(Scheme):
    """When every draft stands, nothing is added: the target's last law is thrown away.

    The next cycle drafts that position instead, so the law is p; but a cycle commits at most k
    tokens, and with alpha = .7, k = 1 a mean of 1 instead of 1.7.
    """

    name = "bonus-dropped"
    as_fast = False
    case = "a cycle of k = 1 yields 1 + alpha: FastMTP #5, vllm #13626"

    def commit(
        self, drafted: Sequence[int], ruling: Verification, end: frozenset[int] = frozenset()
    ) -> list[int]:
        if drafted and ruling.n_accepted == len(drafted):
            return list(drafted)
        return super().commit(drafted, ruling, end)


class DraftCacheShort(Scheme):
    """After a full acceptance the draft goes on without having read its own last token.

    That token was proposed, not read; the draft must catch up on it together with the bonus. If
    it reads the last token only, its cache has a hole and q comes from a text that nobody wrote.
    q is still the law the drafts are drawn from, so the output is right; only acceptance falls.
    """

    name = "draft-cache-short"
    as_fast = False
    case = "vllm #9730"
    forgets_last = True
