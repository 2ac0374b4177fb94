"""What an audit has in its hands, and what a check makes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy.stats import beta

from engines.audit import arithmetic
from engines.audit.arithmetic import Arithmetic
from engines.audit.greedy_text import GreedyText
from engines.audit.outcome_tree import Tree
from engines.audit.plan import Part, Plan
from engines.audit.samples import Samples
from engines.audit.scoring import Numbers, ScoredText, as_scored, places_of
from engines.base import Capabilities, Continuation
from speculation.exactness.finding import Finding
from speculation.exactness.long_runs import Scored

Column = Literal["exact", "speed", "note"]


@dataclass
class Evidence:
    """Everything that was gathered so far.

    parts       by name, those that have begun
    samples     by part and number
    scored      the same under the target's law; empty if the target is not at hand
    tree        the outcomes of the first tokens; None without the target
    greedy      the greedy text against the target's choices, once it is there
    law_at_hand whether the target's law is known
    precision   the engine's, as its user states it; empty if they do not
    """

    plan: Plan
    able: Capabilities
    law_at_hand: bool
    parts: dict[str, Part] = field(default_factory=dict)
    samples: Samples = field(default_factory=dict)
    scored: dict[str, dict[int, ScoredText]] = field(default_factory=dict)
    tree: Tree | None = None
    greedy: GreedyText | None = None
    precision: str = ""

    @property
    def arithmetic(self) -> Arithmetic:
        """How far the engine's own arithmetic may carry it from the target's law."""
        if self.precision:
            return arithmetic.STATED[self.precision]
        if self.able.own_arithmetic:
            return arithmetic.SAME
        return arithmetic.reported(self.reported_differences()[0]) or arithmetic.UNKNOWN

    def reported_differences(self) -> tuple[Numbers, bool]:
        """Reported minus computed log-probabilities of the main part's tokens, and whether they are
        those before temperature and filters: engines report the one or the other, and which it is
        shows in which lies nearer."""
        scored = [text for _, text in self.pairs("main") if len(text.told_raw)]
        if not scored:
            return np.array([]), True
        raw = np.concatenate([text.told_raw for text in scored])
        own = np.concatenate([text.told_own for text in scored])
        sizes = [float(np.quantile(np.abs(x[np.isfinite(x)]), 0.25)) if np.isfinite(x).any()
                 else np.inf for x in (raw, own)]  # fmt: skip
        return (raw, True) if sizes[0] <= 1.05 * sizes[1] else (own, False)

    def texts(self, part: str) -> list[Continuation]:
        """What a part has, by number."""
        found: Mapping[int, Continuation] = self.samples.get(part, {})
        return [found[number] for number in sorted(found)]

    def pairs(self, part: str) -> list[tuple[Continuation, ScoredText]]:
        """The texts of a part that are scored, with their scores, by number."""
        scored = self.scored.get(part, {})
        return [(self.samples[part][number], scored[number]) for number in sorted(scored)]

    def joined(self, part: str) -> Scored:
        """All tokens of a part."""
        both = self.pairs(part)
        seed = self.plan.seed + len(part)
        return as_scored([x for _, x in both], [places_of(text) for text, _ in both], seed)


@dataclass(frozen=True)
class Check:
    """One question to the samples, and the answer.

    name      short, as in the report's first column
    question  in words
    column    "exact": does the text follow the target's law, and are promises kept; "speed": is it
              as fast as it should be; "note": shown, and no part of the verdict
    finding   the statistics; None if it could not run
    why_not   why it could not
    words     what else is worth knowing
    certain   whether an exact engine can never fail it (a forbidden token came, or not): nothing
              is left to chance, so it is no part of the correction for several checks
    """

    name: str
    question: str
    column: Column = "exact"
    finding: Finding | None = None
    why_not: str = ""
    words: str = ""
    certain: bool = False


def counted(check: str, wrong: int, runs: int, unit: str) -> Finding:
    """So many cases that an exact engine never shows, among so many.

    >>> counted("ends", 0, 45, "of the texts").p_value
    1.0
    """
    low = float(beta.ppf(0.025, wrong, runs - wrong + 1)) if wrong else 0.0
    high = float(beta.ppf(0.975, wrong + 1, runs - wrong)) if wrong < runs else 1.0
    sees = 1.0 - 0.1 ** (1.0 / runs) if runs else 1.0
    share = wrong / runs if runs else 0.0
    return Finding(check, float(wrong), float(not wrong), share, low, high, unit, runs, sees)
