"""Whole texts of a scheme, drawn and put to seven checks at once."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from speculation.exactness import Finding, holm
from speculation.exactness.counts import pearson_of
from speculation.exactness.cycles import joint_test, slower_test
from speculation.exactness.finding import LEVEL
from speculation.exactness.kill_table import stage_for
from speculation.exactness.long_runs import Quality, pit_test, quality, serial_test, z_test
from speculation.exactness.trials import Audit
from speculation.schemes import SCHEMES

EXACT_CHECKS = ("token", "text", "cycle", "PIT", "serial", "surprise")
BINS = 20


@dataclass(frozen=True)
class Written:
    """So many texts of a scheme, and as many cycles.

    heights   where each token fell in its law, [T]
    forbidden how many tokens came that p forbids: they have no height
    accepted  how many cycles kept n drafts, n = 0 ... k
    expected  the share that should have
    findings  one a check
    adjusted  their p-values, corrected for there being seven
    meter     mean log-probability, None if a token came that p forbids
    """

    scheme: str
    texts: int
    seed: int
    heights: npt.NDArray[np.float64]
    forbidden: int
    accepted: tuple[int, ...]
    expected: tuple[float, ...]
    findings: dict[str, Finding]
    adjusted: dict[str, float]
    meter: Quality | None

    @property
    def flagged(self) -> list[str]:
        """The checks of exactness that found something."""
        return [check for check in EXACT_CHECKS if self.adjusted[check] < LEVEL]

    @property
    def slow(self) -> bool:
        return self.adjusted["overlap"] < LEVEL


@lru_cache(maxsize=64)
def audit_of(scheme: str) -> Audit:
    """A scheme's texts, enumerated through the code that runs, each with its probability."""
    return Audit(SCHEMES[scheme], stage_for(SCHEMES[scheme]))


def write_texts(scheme: str, texts: int, seed: int) -> Written:
    """Draw the texts with the numbers of this seed, and test them."""
    audit, rng = audit_of(scheme), np.random.default_rng(seed)
    rows = audit.draw_texts(texts, rng)
    scored = audit.table.scored(rows, rng)
    came = [audit.table.texts[row] for row in rows]
    findings = {
        "token": pearson_of(_tally([text[:1] for text in came]), audit.claimed_first, rng),
        "text": pearson_of(
            _tally([text[: audit.stage.text] for text in came]), audit.claimed_texts, rng
        ),
        "PIT": pit_test(scored, rng),
        "serial": serial_test(scored),
        "surprise": z_test(scored),
    }
    accepted = _cycles(audit, texts, rng, findings)
    names = list(findings)
    adjusted = dict(zip(names, holm([findings[x].p_value for x in names]), strict=True))
    expected = [0.0] * len(accepted)
    for (n, _), chance in audit.claimed_cycles.items():
        expected[n] += chance
    allowed = np.isfinite(scored.surprise)
    return Written(
        scheme=scheme,
        texts=texts,
        seed=seed,
        heights=scored.heights[allowed],
        forbidden=scored.impossible,
        accepted=accepted,
        expected=tuple(expected),
        findings=findings,
        adjusted=adjusted,
        meter=None if scored.impossible else quality(scored),
    )


def _cycles(
    audit: Audit, cycles: int, rng: np.random.Generator, findings: dict[str, Finding]
) -> tuple[int, ...]:
    """The cycles that begin a text: their joint law, and drafts kept against overlap."""
    joint, tally = audit.draw_cycles(cycles, rng)
    accepted = [0] * (audit.stage.k + 1)
    for (n, _), count in joint.items():
        accepted[n] += count
    findings["cycle"] = joint_test(joint, audit.claimed_cycles, rng)
    findings["overlap"] = slower_test(tally)
    return tuple(accepted)


def _tally(texts: list[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    counts: dict[tuple[int, ...], int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    return counts
