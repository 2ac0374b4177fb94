"""Counts against a law: Pearson's chi-square, and total variation with the band chance allows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import chdtr, chndtrinc
from scipy.stats import binom, chi2, norm

from speculation.exactness.finding import LEVEL, POWER, Finding
from speculation.rule import Law

Counts = npt.NDArray[np.int64]

SMALLEST_BIN = 5.0
FEW_RUNS = 1000
SIMULATIONS = 999
NEARLY_NORMAL = 1e6  # a statistic; scipy's search for the noncentral law fails beyond some 1e9
UNIT = "total variation, at most"


def merge_bins(law: Law, runs: int) -> npt.NDArray[np.int64]:
    """A bin for every outcome, [V]: those expected less than five times share one.

    If they are still too few together, the rarest of the others joins them. Outcomes of
    probability 0 get -1: one of them seen refutes the law by itself.

    >>> merge_bins(np.array([0.5, 0.3, 0.15, 0.05]), 40)
    array([1, 2, 0, 0])
    """
    expected = law * runs
    order = np.argsort(expected, kind="stable")
    possible = order[expected[order] > 0.0]
    small = int(np.searchsorted(expected[possible], SMALLEST_BIN))
    if 0 < small < len(possible) and expected[possible[:small]].sum() < SMALLEST_BIN:
        small += 1
    bins = np.full(len(law), -1)
    bins[possible[:small]] = 0
    large = np.sort(possible[small:])
    bins[large] = np.arange(len(large)) + (small > 0)
    return bins


def binned(values: npt.ArrayLike, bins: npt.NDArray[np.int64]) -> Law:
    """Sums over each bin; values [V] or [n, V]."""
    values = np.asarray(values, dtype=np.float64)
    size = int(bins.max(initial=-1)) + 1
    if values.ndim == 1:
        inside = bins >= 0
        return np.bincount(bins[inside], values[inside], size).astype(np.float64)
    sums = np.zeros((len(values), size))
    for b in range(size):
        sums[:, b] = values[:, bins == b].sum(axis=1)
    return sums


def chi_square(counts: npt.ArrayLike, law: Law, bins: npt.NDArray[np.int64]) -> Law:
    """Pearson's statistic over bins, for counts [V] or a stack of them; infinite if refuted."""
    counts = np.atleast_2d(np.asarray(counts))
    runs = counts.sum(axis=1, keepdims=True)
    expected = runs * binned(law, bins)
    statistic: Law = ((binned(counts, bins) - expected) ** 2 / expected).sum(axis=1)
    statistic[counts[:, bins < 0].sum(axis=1) > 0] = np.inf
    return statistic


def pearson(
    counts: npt.ArrayLike,
    law: Law,
    rng: np.random.Generator | None = None,
    check: str = "chi-square",
) -> Finding:
    """Counts [V] against a law [V].

    The p-value comes from the chi-square law; below 1,000 runs, where that is rough, from 999
    simulated sets of counts with ties broken at random (if a generator is given).

    The effect: half the root of the chi-square distance, an upper bound of the total variation
    between the merged laws. Its interval inverts the noncentral chi-square law.
    """
    counts = np.asarray(counts)
    runs = int(counts.sum())
    bins = merge_bins(law, runs)
    free = int(bins.max(initial=0))
    statistic = float(chi_square(counts, law, bins)[0])
    if np.isinf(statistic):
        return Finding(check, statistic, 0.0, 1.0, 0.0, 1.0, UNIT, runs, 0.0)
    if free == 0:
        return Finding(check, statistic, 1.0, 0.0, 0.0, 1.0, UNIT, runs, 1.0)
    p_value = float(chi2.sf(statistic, free))
    if rng is not None and runs < FEW_RUNS:
        simulated = chi_square(rng.multinomial(runs, law / law.sum(), SIMULATIONS), law, bins)
        rank = rank_p_value(statistic, simulated, rng)
        # Beyond what so many simulations resolve, the tail of the chi-square law says more.
        p_value = rank if statistic <= simulated.max() else min(rank, p_value)
    low, high = noncentrality_interval(statistic, free)
    effect, low, high = (
        0.5 * float(np.sqrt(x / runs)) for x in (max(0.0, statistic - free), low, high)
    )
    sees = smallest_bias(free + 1, runs)
    return Finding(check, statistic, p_value, effect, low, high, UNIT, runs, sees)


def pearson_of(
    observed: Mapping[Any, int],
    law: Mapping[Any, float],
    rng: np.random.Generator | None = None,
    check: str = "chi-square",
) -> Finding:
    """The same for outcomes of any kind, such as texts."""
    outcomes = [*law, *(x for x in observed if x not in law)]
    counts = np.array([observed.get(x, 0) for x in outcomes])
    return pearson(counts, np.array([law.get(x, 0.0) for x in outcomes]), rng, check)


def rank_p_value(statistic: float, simulated: Law, rng: np.random.Generator) -> float:
    """Where a statistic ranks among simulated ones, ties at random: uniform if the law is right."""
    close = 1e-9 * (1.0 + abs(statistic))
    above = np.count_nonzero(simulated > statistic + close)
    tied = np.count_nonzero(np.abs(simulated - statistic) <= close)
    return float((above + rng.random() * (tied + 1)) / (len(simulated) + 1))


def noncentrality_interval(statistic: float, free: int) -> tuple[float, float]:
    """The 95% interval of the noncentrality, given a chi-square statistic."""
    if statistic > NEARLY_NORMAL:
        half = 1.96 * np.sqrt(2.0 * (2.0 * statistic - free))
        return max(0.0, statistic - free - half), statistic - free + half
    tails = np.array([0.975, 0.025])
    at_zero = chdtr(free, statistic) <= tails  # even no noncentrality leaves less below it
    low, high = np.where(at_zero, 0.0, chndtrinc(statistic, free, tails))
    return float(low), float(high)


def smallest_bias(bins: int, runs: int, level: float = LEVEL, power: float = POWER) -> float:
    """The smallest total variation that a chi-square test is sure to see with this power.

    A bias of total variation d has a chi-square distance of at least 4 d², whatever its shape; so
    whatever reaches the noncentrality that 90% power takes is seen.

    >>> round(smallest_bias(8, 10_000), 4)
    0.0214
    """
    if bins < 2 or runs == 0:
        return 1.0
    return min(1.0, float(0.5 * np.sqrt(needed_noncentrality(bins - 1, level, power) / runs)))


@lru_cache(maxsize=1024)
def needed_noncentrality(free: int, level: float = LEVEL, power: float = POWER) -> float:
    """The noncentrality at which a chi-square test has this power."""
    return float(chndtrinc(chi2.isf(level, free), free, 1.0 - power))


@dataclass(frozen=True)
class TVBand:
    """Where the total variation between `runs` draws and their law lies: mean, and 95% of it."""

    runs: int
    mean: float
    low: float
    high: float


def tv_band(law: Law, runs: int, rng: np.random.Generator, simulations: int = 400) -> TVBand:
    """The band that chance allows.

    The mean is exact (De Moivre's mean deviation of a binomial count). The band is simulated for
    laws of up to 2,000 tokens; for longer ones its width is the normal one, with the covariances
    of the deviations to second order in their correlation, which is small there.
    """
    p = law[law > 0.0] / law.sum()
    above = np.floor(runs * p) + 1.0
    deviation = 2.0 * above * (1.0 - p) * binom.pmf(above, runs, p)
    mean = float(deviation.sum() / (2 * runs))
    if len(p) <= 2_000:
        counts = rng.multinomial(runs, p, size=simulations)
        found = 0.5 * np.abs(counts / runs - p).sum(axis=1)
        low, high = np.quantile(found, [0.025, 0.975])
        return TVBand(runs, mean, float(low), float(high))
    single = np.maximum(runs * p * (1.0 - p) - deviation**2, 0.0)
    share = p**1.5 / np.sqrt(1.0 - p)
    paired = runs / np.pi * max(0.0, float(share.sum() ** 2 - (share**2).sum()))
    half = norm.isf(0.025) * np.sqrt(single.sum() + paired) / (2 * runs)
    return TVBand(runs, mean, max(0.0, mean - float(half)), mean + float(half))


def tv_curve(tokens: npt.NDArray[np.int64], law: Law, sizes: Sequence[int]) -> list[float]:
    """The total variation between the first n tokens and a law, for every n in `sizes`."""
    return [
        float(0.5 * np.abs(np.bincount(tokens[:n], minlength=len(law)) / n - law).sum())
        for n in sizes
    ]
