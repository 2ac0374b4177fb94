"""Broken schemes whose mistake lies in the token that ends a cycle: its law, or its number.

Worked numbers are on R: p = (.6, .3, .1), q = (.2, .3, .5), or on P8:
p = (.30, .20, .15, .10, .10, .05, .05, .05) and q its reverse, whose rejections are many.
"""

import numpy as np
import numpy.typing as npt

from speculation.dice import Purpose, draw_intervals
from speculation.rule import Law, residual
from speculation.sampling import softmax
from speculation.schemes.base import Compared, Scheme, Spot
from speculation.schemes.many_runs import Many
from speculation.schemes.race import race_row
from speculation.schemes.random_numbers import Turn


class ReplacementFromTarget(Scheme):
    """After a rejection draw from p instead of the residual.

    Accepted drafts have already delivered min(p, q); drawing from p delivers the overlap twice.
    R commits (.44, .42, .14).
    """

    name = "replacement-from-target"
    exact = False
    case = "language-model-arithmetic #14, Spec-RL #14"
    seen_by = "law"

    def leftover(self, p: Law, q: Law) -> Law:
        return p


class ResidualBySoftmax(Scheme):
    """Normalize max(0, p - q) with a softmax: it turns every 0 into a 1.

    R's residual (.4, 0, 0) becomes (.427, .286, .286) instead of (1, 0, 0).
    """

    name = "residual-by-softmax"
    exact = False
    case = "probabilities handed to a function that expects logits"
    seen_by = "law"

    def leftover(self, p: Law, q: Law) -> Law:
        return softmax(np.maximum(p - q, 0.0))


class ResidualSwapped(Scheme):
    """Draw from max(0, q - p): what the draft over-supplied is supplied once more.

    R commits (.2, .3, .5), the draft's law.
    """

    name = "residual-swapped"
    exact = False
    case = "p and q exchanged in one of two places"
    seen_by = "law"

    def leftover(self, p: Law, q: Law) -> Law:
        return residual(q, p)


class RejectedStruckOut(Scheme):
    """Test with the true p/q, then draw from p without the rejected token.

    Each half is right in a scheme of its own; together R commits (.467, .433, .1).
    """

    name = "rejected-struck-out"
    exact = False
    case = "EAGLE #183, #20: the residual of a one-hot q behind the ratio of a soft one"
    seen_by = "law"
    strikes_out = True


class BonusFromDraft(Scheme):
    """When every draft stands, the next token is drawn from q instead of p.

    Drafted positions are right; the token after them follows q, .4 from p on R.
    """

    name = "bonus-from-draft"
    exact = False
    case = "the wrong model's last row"
    seen_by = "text"
    looks_beyond = True

    def bonus_law(self, p: Law, beyond: Law | None) -> Law:
        return p if beyond is None else beyond


class SharedDraftNumber(Scheme):
    """The number that drew the draft draws the replacement too.

    Each draw alone follows its law. Together they do not: which token was refused says where the
    number lies. P8: TV .15.
    """

    name = "shared-draft-number"
    exact = False
    case = "vllm #47386, #54282"
    seen_by = "law"
    replaces_with = Purpose.DRAFT

    def _second_door(self, laws: Compared, refused: Law) -> Law:
        tokens, edges = draw_intervals(self.leftover(laws.p, laws.q))
        drafts, places = draw_intervals(laws.drawn)
        miss = np.divide(refused, laws.drawn, out=np.zeros_like(refused), where=laws.drawn > 0.0)
        # How much is refused below a height of the number: a straight line within each draft.
        missed = np.concatenate(([0.0], np.cumsum(miss[drafts] * np.diff(places))))
        law = np.zeros_like(refused)
        law[tokens] = np.diff(np.interp(edges, places, missed))
        return law


class SharedAcceptNumber(Scheme):
    """The number that refused the draft draws the replacement.

    A refusal means that it is large, so the far end of the residual comes too often. P8: TV .075.
    """

    name = "shared-accept-number"
    exact = False
    case = "vllm #47386, #54282"
    seen_by = "law"
    replaces_with = Purpose.ACCEPT

    def _second_door(self, laws: Compared, refused: Law) -> Law:
        tokens, edges = draw_intervals(self.leftover(laws.p, laws.q))
        chance = self.chance(laws.p, laws.q)
        order = np.argsort(chance, kind="stable")
        heights, mass = chance[order], laws.drawn[order]
        # Refused with a number below e: sum over x of q(x) max(0, e - a(x)).
        sums = np.concatenate(([0.0], np.cumsum(mass)))
        moments = np.concatenate(([0.0], np.cumsum(mass * heights)))
        place = np.searchsorted(heights, edges, side="right")
        law = np.zeros_like(refused)
        law[tokens] = np.diff(edges * sums[place] - moments[place])
        return law


class SharedNoise(Scheme):
    """Drafts come from a Gumbel race, and the replacement races over the same noise.

    A refused token never has a share in the residual, so the noise looks fresh; but the others
    are known to have lost. P8: TV .012, tens of thousands of runs; where the residual has one
    token there is nothing to see at all.
    """

    name = "shared-noise"
    exact = False
    case = "vllm #47386, #54282"
    seen_by = "law"

    def propose(self, drawn_from: Law, turn: Turn, i: int) -> int:
        return turn.race(drawn_from, Purpose.DRAFT, i)

    def replacement(self, left: Law, turn: Turn, i: int) -> int:
        return turn.race(left, Purpose.DRAFT, i)

    def _second_door(self, laws: Compared, refused: Law) -> Law:
        if refused.max() <= 0.0:
            return np.zeros_like(refused)
        # Whichever token with no share in the residual was refused, the winner's law is the same.
        left = self.leftover(laws.p, laws.q)
        return race_row(laws.drawn, int(np.argmax(refused)), left) * float(refused.sum())

    def sample(self, spot: Spot, many: Many) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        laws = self.compared(spot)
        chance, left = self.chance(laws.p, laws.q), self.leftover(laws.p, laws.q)
        refused = laws.drawn * (1.0 - chance)
        if many.has_noise_for(len(left)) or refused.max() <= 0.0:
            tokens, again = many.race(laws.drawn, left)
            kept = many.below(chance[tokens], Purpose.ACCEPT)
            return np.where(kept, tokens, again), kept
        tokens = many.draw(laws.drawn, Purpose.DRAFT)
        kept = many.below(chance[tokens], Purpose.ACCEPT)
        law = race_row(laws.drawn, int(np.argmax(refused)), left)
        tokens[~kept] = many.draw(law, Purpose.REPLACE, ~kept)
        return tokens, kept
