"""Broken schemes whose mistake lies in the laws: q is not the one the draft was drawn from, or p
is not the one that was asked for. And those that end or thin out the text wrongly."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from speculation.dice import Purpose
from speculation.rule import Law, Verification, acceptance, residual
from speculation.sampling import Sampling, law
from speculation.schemes.base import Compared, Scheme, Spot, one_hot
from speculation.schemes.many_runs import Many
from speculation.schemes.random_numbers import Turn


class GreedyDraftSoftQ(Scheme):
    """The draft offers its likeliest token, but the ratio uses the soft q.

    p = (.6, .4), q = (.8, .2): the first token is always offered and kept with .75; the residual
    is the second: (.75, .25).
    """

    name = "greedy-draft-soft-q"
    exact = False
    case = "jaymody/speculative-sampling #3, picolm #30"
    seen_by = "law"

    def draft_laws(self, logits: npt.ArrayLike, sampling: Sampling) -> tuple[Law, Law]:
        q = law(logits, sampling)
        return one_hot(q), q


class QBeforeFilters(Scheme):
    """Drafts are drawn after top-k, top-p and min-p; the ratio uses q from before them.

    The raw q is too small for every token that can come, so too much is kept. Raw
    q = (.5, .3, .2), top-k 2, p = (.4, .6, 0): drawn from (.625, .375, 0), commits (.5, .5, 0).
    """

    name = "q-before-filters"
    exact = False
    case = "transformers #47932, fixed by #48007"
    seen_by = "law"

    def draft_laws(self, logits: npt.ArrayLike, sampling: Sampling) -> tuple[Law, Law]:
        return law(logits, sampling), law(logits, unfiltered(sampling))


class TwoTemperatures(Scheme):
    """Drafts are drawn at .7 of the temperature that q is scored at.

    The colder draw favors the draft's favorites beyond what q admits.
    """

    name = "two-temperatures"
    exact = False
    case = "vllm #16899, #10198: any temperature will do for the draft, if q has it too"
    seen_by = "law"
    colder = 0.7

    def draft_laws(self, logits: npt.ArrayLike, sampling: Sampling) -> tuple[Law, Law]:
        drawn = replace(sampling, temperature=self.colder * sampling.temperature)
        return law(logits, drawn), law(logits, sampling)


class BFloat16Draw(Scheme):
    """Drafts are drawn from q rounded to bfloat16, and compared with q in full.

    Eight bits leave a relative error of up to 2^-9 in every probability: a bias of .001 and less,
    which takes millions of runs to see. No check is asked to.
    """

    name = "bfloat16-draw"
    exact = False
    case = "a draft in another precision than its score"
    seen_by = "law"

    def draft_laws(self, logits: npt.ArrayLike, sampling: Sampling) -> tuple[Law, Law]:
        q = law(logits, sampling)
        rounded = to_bfloat16(q)
        return rounded / rounded.sum(), q


def to_bfloat16(values: Law) -> Law:
    """The nearest bfloat16 numbers, ties to even.

    >>> to_bfloat16(np.array([0.3, 0.5]))
    array([0.30078125, 0.5       ])
    """
    bits = values.astype(np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).astype(np.float64)


class TargetSettingsLeftOut(Scheme):
    """The target's law is taken at temperature 1 and without filters, whatever was asked for."""

    name = "target-settings-left-out"
    exact = False
    case = "vllm #16899: all settings must be in p"
    seen_by = "law"

    def target_laws(self, logits: npt.ArrayLike, sampling: Sampling) -> Law:
        return law(logits, Sampling())


class FiltersOnBonusOnly(Scheme):
    """Filters reach the target's last row only: drafted positions can commit what was cut."""

    name = "filters-on-bonus-only"
    exact = False
    case = "settings applied where a plain decoder would apply them: to the last row"
    seen_by = "law"

    def target_laws(self, logits: npt.ArrayLike, sampling: Sampling) -> Law:
        rows = law(logits, unfiltered(sampling))
        rows[-1] = law(np.asarray(logits)[-1], sampling)
        return rows


@dataclass(frozen=True)
class Ensemble(Scheme):
    """The text follows w p + (1 - w) q, an ensemble of the two models: TV = (1 - w) TV(p, q).

    With w = .8 R commits (.52, .3, .18), TV .08. Somebody may want it; it is not the target's.
    """

    weight: float = 0.8

    name = "ensemble"
    exact = False
    case = "speculative ensembles, arXiv 2502.01662"
    seen_by = "law"
    looks_beyond = True

    def mix(self, p: Law, q: Law) -> Law:
        return self.weight * p + (1.0 - self.weight) * q

    def chance(self, p: Law, q: Law) -> Law:
        return acceptance(self.mix(p, q), q)

    def leftover(self, p: Law, q: Law) -> Law:
        return residual(self.mix(p, q), q)

    def bonus_law(self, p: Law, beyond: Law | None) -> Law:
        return p if beyond is None else self.mix(p, beyond)


class LowDraftsDropped(Scheme):
    """Drafting stops at a token that the draft itself gives less than .25, and drops that token.

    To stop after it is exact. To drop it is not: that it came up and was not tested decides which
    law the place gets. q = (.2, .3, .5) on R: the first token is dropped .2 of the time, and then
    p is drawn instead: (.52, .36, .12).
    """

    name = "low-drafts-dropped"
    exact = False
    case = "a confidence threshold meant for greedy drafts"
    seen_by = "law"
    as_fast = False
    threshold = 0.25

    def propose(self, drawn_from: Law, turn: Turn, i: int) -> int | None:
        token = super().propose(drawn_from, turn, i)
        return token if token is None or drawn_from[token] >= self.threshold else None

    def tested(self, laws: Compared) -> Law:
        """How often each token is drafted and not dropped, [V]."""
        tested: Law = np.where(laws.drawn >= self.threshold, laws.drawn, 0.0)
        return tested

    def committed_law(self, spot: Spot) -> Law:
        laws = self.compared(spot)
        tested = self.tested(laws)
        kept = tested * self.chance(laws.p, laws.q)
        left = self.leftover(laws.p, laws.q) * (tested.sum() - kept.sum())
        whole: Law = kept + left + (1.0 - tested.sum()) * laws.p
        return whole

    def acceptance_rate(self, spot: Spot) -> float:
        laws = self.compared(spot)
        return float(self.tested(laws) @ self.chance(laws.p, laws.q))

    def sample(self, spot: Spot, many: Many) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        laws = self.compared(spot)
        drafts = many.draw(laws.drawn, Purpose.DRAFT)
        tokens, kept = super().sample(spot, many)
        dropped = laws.drawn[drafts] < self.threshold
        tokens[dropped] = many.draw(laws.p, self.replaces_with, dropped)
        return tokens, kept & ~dropped


class EndIgnored(Scheme):
    """An end of text among the drafts is a token like any other: the text goes on behind it.

    Drafted ends are only seen when they end a cycle.
    """

    name = "end-ignored"
    exact = False
    case = "transformers #47912, ferrox #311, sglang #33758"
    seen_by = "end"
    stops_at_end = False

    def commit(
        self, drafted: Sequence[int], ruling: Verification, end: frozenset[int] = frozenset()
    ) -> list[int]:
        return super().commit(drafted, ruling, frozenset())


def unfiltered(sampling: Sampling) -> Sampling:
    """The same temperature without top-k, top-p and min-p."""
    return Sampling(temperature=sampling.temperature)
