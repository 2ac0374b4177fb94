"""One position drawn many times, and what the checks say of it."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from speculation.exactness import Finding, holm
from speculation.exactness.counts import (
    Counts,
    TVBand,
    merge_bins,
    pearson,
    smallest_bias,
    tv_band,
    tv_curve,
)
from speculation.exactness.finding import LEVEL, z_finding
from speculation.exactness.power import runs_needed
from speculation.rule import Law
from speculation.schemes import SCHEMES, Many
from widgets.testing.cases import Case

SIZES = (*(n * 10**e for e in range(1, 6) for n in (1, 2, 5)), 1_000_000)
"""The numbers of runs to choose from: 10 to 1,000,000."""

CHECKS = 2
"""Each trial is put to two checks, so each is held to half the level first (Holm)."""


@dataclass(frozen=True)
class Trial:
    """A scheme's tokens at one position, counted.

    kept     how many of them were drafts
    sizes    the numbers of runs at which `distances` was read off on the way
    law      tokens against p: is it exact?
    speed    drafts kept against overlap: is it as fast as it should be?
    adjusted the two p-values, corrected for there being two
    """

    case: Case
    scheme: str
    runs: int
    seed: int
    counts: Counts
    kept: int
    sizes: tuple[int, ...]
    distances: tuple[float, ...]
    law: Finding
    speed: Finding
    adjusted: tuple[float, float]

    @property
    def shares(self) -> Law:
        shares: Law = self.counts / self.runs
        return shares

    @property
    def band(self) -> TVBand:
        """What chance allows at the end."""
        return next(band for band in bands(self.case) if band.runs == self.runs)

    @property
    def sees(self) -> float:
        """The smallest bias that so many runs are sure to show in nine tests of ten."""
        bins = int(merge_bins(self.case.p, self.runs).max(initial=0)) + 1
        return smallest_bias(bins, self.runs, LEVEL / CHECKS)

    @property
    def broken(self) -> bool:
        return self.adjusted[0] < LEVEL

    @property
    def slow(self) -> bool:
        return self.adjusted[1] < LEVEL


def run_trial(case: Case, scheme: str, runs: int, seed: int) -> Trial:
    """Draw the position so many times with the numbers of this seed, and test what came."""
    rng = np.random.default_rng(seed)
    tokens, drafts = SCHEMES[scheme].sample(case.spot, Many(runs, rng))
    p, overlap = case.p, case.overlap
    counts = np.bincount(tokens, minlength=len(p))
    kept = int(drafts.sum())
    law = pearson(counts, p, rng)
    speed = z_finding(
        "overlap",
        kept - runs * overlap,
        runs * overlap * (1.0 - overlap),
        runs,
        "share of drafts",
        lower_tail=True,
    )
    one, other = holm([law.p_value, speed.p_value])
    sizes = tuple(sorted({*np.unique(np.geomspace(10, runs, 40).astype(int)).tolist(), runs}))
    distances = tuple(tv_curve(tokens, p, sizes))
    return Trial(case, scheme, runs, seed, counts, kept, sizes, distances, law, speed, (one, other))


@lru_cache(maxsize=16)
def bands(case: Case) -> tuple[TVBand, ...]:
    """What chance allows at every number of runs."""
    rng = np.random.default_rng(0)
    return tuple(tv_band(case.p, runs, rng) for runs in SIZES)


@lru_cache(maxsize=128)
def predicted_runs(case: Case, scheme: str) -> int | None:
    """The runs that catch a scheme in nine tests of ten, from its law alone; None: nothing to
    catch at this position."""
    law = SCHEMES[scheme].committed_law(case.spot)
    if np.abs(law - case.p).max() < 1e-12:
        return None
    return runs_needed(law, case.p, level=LEVEL / CHECKS)
