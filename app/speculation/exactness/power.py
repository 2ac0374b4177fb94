"""How many runs it takes to see a bias, predicted before a single draw."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.stats import chi2, ncx2, norm

from speculation.exactness.counts import (
    FEW_RUNS,
    SIMULATIONS,
    binned,
    chi_square,
    merge_bins,
)
from speculation.exactness.finding import LEVEL, POWER
from speculation.rule import Law

NEVER = 1e-12
MOST = 10**12


def chi_square_power(actual: Law, claimed: Law, runs: int, level: float = LEVEL) -> float:
    """The chance that `runs` draws from `actual` are found not to follow `claimed`, [V] each.

    An outcome that the claim forbids gives it away at once; else the statistic follows, nearly, a
    noncentral chi-square law.
    """
    bins = merge_bins(claimed, runs)
    forbidden = float(actual[bins < 0].sum())
    unseen = (1.0 - forbidden) ** runs
    free = int(bins.max(initial=0))
    if free == 0:
        return 1.0 - unseen
    p, a = binned(claimed, bins), binned(actual, bins)
    distance = float(((a - p) ** 2 / p).sum())
    seen = ncx2.sf(chi2.isf(level, free), free, runs * distance) if distance > 0.0 else level
    return float(1.0 - unseen * (1.0 - seen))


def simulated_power(
    actual: Law,
    claimed: Law,
    runs: int,
    rng: np.random.Generator,
    level: float = LEVEL,
    repeats: int = 1_000,
) -> float:
    """The same by simulation, with the ranks that a test of so few runs uses for p-values."""
    bins = merge_bins(claimed, runs)
    null = chi_square(rng.multinomial(runs, claimed / claimed.sum(), SIMULATIONS), claimed, bins)
    found = chi_square(rng.multinomial(runs, actual / actual.sum(), repeats), claimed, bins)
    null.sort()
    with np.errstate(invalid="ignore"):
        close = np.where(np.isinf(found), 0.0, 1e-9 * (1.0 + found))
        above = SIMULATIONS - np.searchsorted(null, found + close, side="right")
        tied = SIMULATIONS - np.searchsorted(null, found - close, side="left") - above
    # Ties are broken at random: this is how often the rank then falls below the level.
    flagged = np.clip((level * (SIMULATIONS + 1) - above) / (tied + 1), 0.0, 1.0)
    return float(np.mean(np.where(np.isinf(found), 1.0, flagged)))


def runs_needed(
    actual: Law,
    claimed: Law,
    rng: np.random.Generator | None = None,
    level: float = LEVEL,
    power: float = POWER,
) -> int | None:
    """The number of runs that catch `actual` with 90% power; None if there is nothing to catch.

    Below 1,000 runs, where bins are small, the noncentral law is rough (it takes a bin that stays
    empty for as noisy as a full one), and the number is found by simulation.
    """
    if float(np.abs(actual - claimed).sum()) < NEVER:
        return None
    needed = first_reaching(lambda n: chi_square_power(actual, claimed, n, level), power)
    if needed is None or needed >= FEW_RUNS:
        return needed
    rng = rng or np.random.default_rng(0)
    return first_reaching(
        lambda n: simulated_power(actual, claimed, n, rng, level), power, max(2, needed // 4)
    )


def runs_needed_for(actual: Mapping[Any, float], claimed: Mapping[Any, float]) -> int | None:
    """The same for laws over outcomes of any kind."""
    outcomes = [*claimed, *(x for x in actual if x not in claimed)]
    seen, meant = (np.array([law.get(x, 0.0) for x in outcomes]) for law in (actual, claimed))
    return runs_needed(seen, meant)


def runs_needed_by_z(
    mean: float, variance: float, claimed_variance: float, level: float = LEVEL
) -> int | None:
    """The same for a z test of terms with this mean and variance, where the claim is mean 0."""
    if abs(mean) < 1e-9:
        return None
    critical = norm.isf(level / 2) * np.sqrt(claimed_variance) + norm.isf(1 - POWER) * np.sqrt(
        max(variance, 0.0)
    )
    return max(1, int(np.ceil((critical / mean) ** 2)))


def runs_needed_to_see_once(chance: float, power: float = POWER) -> int | None:
    """How many runs show an event of this chance at least once, with 90% power.

    >>> runs_needed_to_see_once(0.05)
    45
    """
    if chance <= NEVER:
        return None
    return 1 if chance >= 1.0 else int(np.ceil(np.log(1.0 - power) / np.log1p(-chance)))


def first_reaching(power_at: Callable[[int], float], power: float, start: int = 1) -> int | None:
    """The first number of runs with this power: doubled until reached, then halved into."""
    high = start
    while high > 1 and power_at(high) >= power:
        high //= 2
    while power_at(high) < power:
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        if power_at(middle) < power:
            low = middle
        else:
            high = middle
    return high
