"""Audits by the hundred: do the checks raise false alarms, and do they see what they promise?

A scheme's texts are drawn from its enumerated law, many at a time, and put to every check. Over
audits of an exact scheme p-values must be uniform; over audits of a broken one, of the size that
`kill_table` predicts, nine in ten should flag it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from speculation.dice import interval_of
from speculation.exactness.counts import pearson
from speculation.exactness.cycles import Tally, joint_test, overlap_test
from speculation.exactness.finding import LEVEL, Finding
from speculation.exactness.kill_table import Stage, joint_of
from speculation.exactness.long_runs import (
    Scored,
    pit_test,
    serial_test,
    surprise_moments,
    z_test,
)
from speculation.schemes import SCHEMES, Scheme
from speculation.schemes.known_laws import (
    CycleOutcome,
    KnownPair,
    Text,
    cycle_law,
    target_law,
    text_law,
)

CHECKS = ("token", "text", "cycle", "PIT", "serial", "surprise", "overlap")


class TextTable:
    """Every text of a law, scored once: where each token's interval lies, and its surprise."""

    def __init__(self, pair: KnownPair, law: dict[Text, float]) -> None:
        self.texts = list(law)
        self.law = np.array([law[text] for text in self.texts])
        length = max(map(len, self.texts))
        self.columns = np.full((5, len(self.texts), length), np.nan)
        for row, text in enumerate(self.texts):
            for i, token in enumerate(text):
                self.columns[:, row, i] = _token(pair, text[:i], token)

    def scored(self, rows: npt.NDArray[np.int64], rng: np.random.Generator) -> Scored:
        """The tokens of the texts in these rows, with fresh heights."""
        low, high, surprise, entropy, variance = self.columns[:, rows]
        there = ~np.isnan(low)
        heights = (low + rng.random(low.shape) * (high - low))[there]
        number = np.broadcast_to(np.arange(len(rows))[:, None], low.shape)[there]
        place = np.full(len(heights), -1)
        return Scored(heights, surprise[there], entropy[there], variance[there], number, place)


def _token(pair: KnownPair, before: Text, token: int) -> tuple[float, float, float, float, float]:
    p = pair.law_after(before)
    low, high = interval_of(p, token) or (0.0, 0.0)
    surprise = -float(np.log(p[token])) if p[token] > 0.0 else np.inf
    return low, high, surprise, *surprise_moments(p)


@dataclass
class Audit:
    """A scheme on a stage, ready to be audited again and again."""

    scheme: Scheme
    stage: Stage

    def __post_init__(self) -> None:
        scheme, pair, k = self.scheme, self.stage.pair, self.stage.k
        claim = scheme if scheme.exact else SCHEMES[scheme.claims]
        self.table = TextTable(pair, text_law(scheme, pair, k, self.stage.long))
        self.cycles = cycle_law(scheme, pair, k)
        self.claimed_cycles = joint_of(cycle_law(claim, pair, k))
        self.claimed_first = target_law(pair, 1)
        self.claimed_texts = target_law(pair, self.stage.text)

    def run(
        self, texts: int, rng: np.random.Generator, checks: Sequence[str] = CHECKS
    ) -> dict[str, Finding]:
        """So many texts and as many cycles, drawn and put to the checks."""
        rows = self.draw_texts(texts, rng)
        found: dict[str, Finding] = {}
        if "token" in checks:
            found["token"] = self._counted(rows, 1, self.claimed_first, rng)
        if "text" in checks:
            found["text"] = self._counted(rows, self.stage.text, self.claimed_texts, rng)
        if {"PIT", "serial", "surprise"} & set(checks):
            scored = self.table.scored(rows, rng)
            found["PIT"] = pit_test(scored, rng)
            found["serial"] = serial_test(scored)
            found["surprise"] = z_test(scored)
        if {"cycle", "overlap"} & set(checks):
            joint, tally = self.draw_cycles(texts, rng)
            found["cycle"] = joint_test(joint, self.claimed_cycles, rng)
            found["overlap"] = overlap_test(tally)
        return {check: found[check] for check in checks}

    def _counted(
        self,
        rows: npt.NDArray[np.int64],
        length: int,
        law: dict[Text, float],
        rng: np.random.Generator,
    ) -> Finding:
        beginnings = [text[:length] for text in self.table.texts]
        number = {text: i for i, text in enumerate(dict.fromkeys([*law, *beginnings]))}
        which = np.array([number[text] for text in beginnings])[rows]
        claimed = np.array([law.get(text, 0.0) for text in number])
        return pearson(np.bincount(which, minlength=len(number)), claimed, rng)

    def draw_texts(self, texts: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """So many texts, each as its row in the table."""
        law = self.table.law / self.table.law.sum()
        return rng.choice(len(law), size=texts, p=law)

    def draw_cycles(
        self, cycles: int, rng: np.random.Generator
    ) -> tuple[dict[tuple[int, Text], int], Tally]:
        """So many first cycles: how often each (accepted count, tokens) came; and their drafts
        against the overlap."""
        outcomes = list(self.cycles)
        law = np.array([self.cycles[x] for x in outcomes])
        drawn = rng.multinomial(cycles, law / law.sum())
        joint: dict[tuple[int, Text], int] = {}
        tally = Tally()
        for outcome, count in zip(outcomes, drawn.tolist(), strict=True):
            key = outcome.n_accepted, outcome.tokens
            joint[key] = joint.get(key, 0) + count
            for _ in range(count):
                tally.add(self._overlaps(outcome), outcome.n_accepted)
        return joint, tally

    def _overlaps(self, outcome: CycleOutcome) -> list[float]:
        pair = self.stage.pair
        return [pair.overlap_after(outcome.tokens[:i]) for i in range(outcome.checked)]


def p_values(
    audit: Audit,
    texts: int,
    audits: int,
    rng: np.random.Generator,
    checks: Sequence[str] = CHECKS,
) -> dict[str, npt.NDArray[np.float64]]:
    """The p-values of many audits, by check."""
    runs = [audit.run(texts, rng, checks) for _ in range(audits)]
    return {check: np.array([run[check].p_value for run in runs]) for check in checks}


def measured_power(
    audit: Audit, check: str, texts: int, repeats: int, rng: np.random.Generator
) -> float:
    """How often a check of this size flags the scheme."""
    return float(np.mean(p_values(audit, texts, repeats, rng, [check])[check] < LEVEL))
