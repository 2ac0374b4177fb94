"""What a scheme is: four hooks around a cycle, each of which is the exact rule until overridden.

    propose   how a drafted token is drawn                     propose
    laws      which p and which q are compared                 draft_laws, target_laws
    verify    which drafts stand, and what ends the cycle      verify: chance, leftover,
                                                               replacement, bonus_law
    commit    what of it is kept                               commit

Most schemes change one line of one hook. A law at one position is then known in closed form from
the same line: a token arrives by the first door if it was drafted and kept, d(x) a(x), and by the
second from what is drawn after a rejection (`committed_law`). The tests hold this against the
enumeration of the code that runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from speculation.dice import Purpose
from speculation.rule import Law, Verification, acceptance, residual
from speculation.sampling import Sampling, law
from speculation.schemes.many_runs import Many
from speculation.schemes.random_numbers import Turn

PLAIN = Sampling()
SeenBy = Literal["law", "text", "end", "none"]
Judge = Literal["number", "sample", "block"]


@dataclass(frozen=True)
class Block:
    """What a cycle's verdict may read.

    target_probs  [k+1, V]  p at each drafted position and after the last
    draft_probs   [k, V]    q that the drafts are compared with
    drafted       k tokens
    beyond        [V] the draft's law after the last drafted token, for schemes that ask for it
    """

    target_probs: Law
    draft_probs: Law
    drafted: Sequence[int]
    beyond: Law | None = None


@dataclass(frozen=True)
class Ruling(Verification):
    """A Verification, and what only some schemes know.

    drawn_from  the law the replacement was drawn from, a bonus too
    later       drafts that were kept although they come after a rejected one
    spare       whether the replacement is a second candidate of the draft's, taken
    """

    drawn_from: Law | None = None
    later: tuple[int, ...] = ()
    spare: bool = False


@dataclass(frozen=True)
class Spot:
    """One position, as laws. Two models' scores after one text, and how to sample from them.

    >>> spot = Spot.of([0.6, 0.3, 0.1], [0.2, 0.3, 0.5])
    >>> Scheme().committed_law(spot).round(12)
    array([0.6, 0.3, 0.1])
    """

    target_logits: npt.NDArray[np.float64]
    draft_logits: npt.NDArray[np.float64]
    sampling: Sampling = PLAIN

    @classmethod
    def of(
        cls, target_probs: npt.ArrayLike, draft_probs: npt.ArrayLike, sampling: Sampling = PLAIN
    ) -> "Spot":
        """A position from two laws (before filters)."""
        with np.errstate(divide="ignore"):
            return cls(np.log(np.asarray(target_probs)), np.log(np.asarray(draft_probs)), sampling)

    @property
    def target_probs(self) -> Law:
        """What the token should follow: the target's law after every filter."""
        return law(self.target_logits, self.sampling)


@dataclass(frozen=True)
class Compared:
    """The laws a scheme works with at one position: p, q, and the one drafts are drawn from."""

    p: Law
    q: Law
    drawn: Law


@dataclass(frozen=True)
class Scheme:
    """The exact rule. A scheme is a subclass that says what it does differently.

    name         as in `--rule NAME`
    exact        whether the text follows the target's law
    claims       for a broken scheme: the name of the exact one it means to be
    as_fast      whether a cycle commits as many tokens as the exact rule's, or more. For a broken
                 scheme that is faster or slower from pair to pair, it says True
    case         where it comes from
    seen_by      what its mistake shows in: the law of one position, only the law of longer texts,
                 what follows an end token; or none, for exact schemes
    judge        what decides about a draft: a number below its chance; the target's own sample; or
                 the block as a whole. Only for the first do a position's u and a say why
    reads_later  whether a verdict reads later drafts; then numbers are addressed by cycle too
    looks_beyond whether the draft must give one more law, after its last token
    stops_at_end whether nothing is drafted after an end of text
    forgets_last whether the draft's cache lacks the last draft after a full acceptance
    replaces_with  the number that draws after a rejection
    strikes_out    whether that draw is from p without the refused token
    reuses_numbers whether cycles share numbers that they must not
    """

    name: ClassVar[str] = "exact"
    exact: ClassVar[bool] = True
    claims: ClassVar[str] = "exact"
    as_fast: ClassVar[bool] = True
    case: ClassVar[str] = "Leviathan et al., arXiv 2211.17192; Chen et al., arXiv 2302.01318"
    seen_by: ClassVar[SeenBy] = "none"
    judge: ClassVar[Judge] = "number"
    reads_later: ClassVar[bool] = False
    looks_beyond: ClassVar[bool] = False
    stops_at_end: ClassVar[bool] = True
    forgets_last: ClassVar[bool] = False
    replaces_with: ClassVar[Purpose] = Purpose.REPLACE
    strikes_out: ClassVar[bool] = False
    reuses_numbers: ClassVar[bool] = False

    # propose

    def propose(self, drawn_from: Law, turn: Turn, i: int) -> int | None:
        """The i-th draft of a cycle; None to stop drafting."""
        return turn.draw(drawn_from, Purpose.DRAFT, i)

    # laws

    def draft_laws(self, logits: npt.ArrayLike, sampling: Sampling) -> tuple[Law, Law]:
        """The law a draft is drawn from, and the q it is compared with; [V] each."""
        q = law(logits, sampling)
        return q, q

    def target_laws(self, logits: npt.ArrayLike, sampling: Sampling) -> Law:
        """p at each drafted position and, in the last row, after them: [k+1, V]."""
        return law(logits, sampling)

    # verify

    def chance(self, p: Law, q: Law) -> Law:
        """The chance that a drafted token stands, for every token, [V]."""
        return acceptance(p, q)

    def leftover(self, p: Law, q: Law) -> Law:
        """The law drawn from after a rejection, [V]."""
        return residual(p, q)

    def bonus_law(self, p: Law, beyond: Law | None) -> Law:
        """The law drawn from when every draft stands, [V]."""
        return p

    def after_rejection(self, p: Law, q: Law, token: int) -> Law:
        """The law drawn from after the rejection of one token, [V]."""
        return without(p, token) if self.strikes_out else self.leftover(p, q)

    def verify(self, block: Block, turn: Turn) -> Ruling:
        """Walk the drafts; the first that does not stand ends the cycle."""
        for i, token in enumerate(block.drafted):
            p, q = block.target_probs[i], block.draft_probs[i]
            if not turn.below(self.chance(p, q)[token], Purpose.ACCEPT, i):
                left = self.after_rejection(p, q, token)
                return Ruling(i, self.replacement(left, turn, i), left, left)
        return self.bonus(block, turn)

    def replacement(self, left: Law, turn: Turn, i: int) -> int:
        """The token drawn after the i-th draft is refused, from the law `left`."""
        return turn.draw(left, self.replaces_with, i)

    def bonus(self, block: Block, turn: Turn) -> Ruling:
        """The token that follows when every draft stands."""
        k = len(block.drafted)
        bonus = self.bonus_law(block.target_probs[k], block.beyond)
        return Ruling(k, turn.draw(bonus, Purpose.REPLACE, k), None, bonus)

    # commit

    def commit(
        self, drafted: Sequence[int], ruling: Verification, end: frozenset[int] = frozenset()
    ) -> list[int]:
        """The tokens a cycle adds: nothing follows an end of text."""
        n = ruling.n_accepted
        if n == len(drafted) > 0 and drafted[-1] in end:
            return list(drafted)
        return [*drafted[:n], ruling.replacement]

    # what follows from the hooks, at one position

    def compared(self, spot: Spot) -> Compared:
        """The laws this scheme works with at a drafted position."""
        drawn, q = self.draft_laws(spot.draft_logits, spot.sampling)
        p = self.target_laws(np.stack([spot.target_logits] * 2), spot.sampling)[0]
        return Compared(p, q, drawn)

    def committed_law(self, spot: Spot) -> Law:
        """The law of the token committed at one drafted position, in closed form, [V]."""
        laws = self.compared(spot)
        chance = self.chance(laws.p, laws.q)
        refused = laws.drawn * (1.0 - chance)
        committed: Law = laws.drawn * chance + self._second_door(laws, refused)
        return committed

    def _second_door(self, laws: Compared, refused: Law) -> Law:
        """What arrives after a rejection; `refused` [V] is how often each token is refused."""
        if not self.strikes_out:
            return self.leftover(laws.p, laws.q) * float(refused.sum())
        # p without x for every refused x: p(y) times the sum over x != y of refused/(1 - p)
        shares = np.divide(refused, 1.0 - laws.p, out=np.zeros_like(refused), where=laws.p < 1.0)
        second: Law = laws.p * (shares.sum() - shares)
        return second

    def acceptance_rate(self, spot: Spot) -> float:
        """How often a draft is taken at one position."""
        laws = self.compared(spot)
        return float(laws.drawn @ self.chance(laws.p, laws.q))

    def sample(self, spot: Spot, many: Many) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """One position many times over: the committed tokens, and which of them were drafts."""
        laws = self.compared(spot)
        tokens = many.draw(laws.drawn, Purpose.DRAFT)
        kept = many.below(self.chance(laws.p, laws.q)[tokens], Purpose.ACCEPT)
        gone = ~kept
        if self.strikes_out:
            tokens[gone] = many.draw_without(laws.p, tokens, self.replaces_with, gone)
        elif gone.any():
            tokens[gone] = many.draw(self.leftover(laws.p, laws.q), self.replaces_with, gone)
        return tokens, kept


def one_hot(p: Law) -> Law:
    """All mass on the likeliest token of p, [V]."""
    hot = np.zeros_like(p)
    hot[np.argmax(p)] = 1.0
    return hot


def without(p: Law, token: int) -> Law:
    """p with one token struck out, normalized; p itself if nothing would be left."""
    left = p.copy()
    left[token] = 0.0
    mass = left.sum()
    return left / mass if mass > np.finfo(np.float64).eps else p


EXACT = Scheme()
