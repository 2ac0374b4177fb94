"""What a check found, and what several of them found together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

LEVEL = 0.05
POWER = 0.9


@dataclass(frozen=True)
class Finding:
    """The outcome of one check.

    statistic  what was computed
    p_value    the chance of a statistic at least this far out if the claim is true
    effect     the size of the deviation as estimated, in `unit`, and its 95% interval [low, high]
    runs       how many independent observations went in
    sees       the smallest deviation, in the same unit, that so many would have caught with 90%
               power: "no deviation found" means "none larger than about this"
    """

    check: str
    statistic: float
    p_value: float
    effect: float
    low: float
    high: float
    unit: str
    runs: int
    sees: float

    def flagged(self, level: float = LEVEL) -> bool:
        return self.p_value < level


def z_finding(
    check: str,
    total: float,
    variance: float,
    count: int,
    unit: str,
    spread: float | None = None,
    lower_tail: bool = False,
) -> Finding:
    """A sum of `count` terms, of mean 0 and known total variance if the claim is true.

    The effect is the mean term. Its interval uses `spread`, the variance of the sum as estimated
    from the terms themselves, which is right also where the claim is not. With `lower_tail` only
    a negative mean speaks against the claim.
    """
    if count == 0 or variance <= 0.0:
        impossible = count > 0 and total != 0.0
        size = total / count if count else 0.0
        return Finding(check, total, float(not impossible), size, size, size, unit, count, np.inf)
    z = total / np.sqrt(variance)
    p_value = norm.cdf(z) if lower_tail else 2.0 * norm.sf(abs(z))
    half = 1.96 * np.sqrt(variance if spread is None else spread) / count
    critical = norm.isf(LEVEL if lower_tail else LEVEL / 2) + norm.isf(1.0 - POWER)
    mean = total / count
    sees = critical * np.sqrt(variance) / count
    return Finding(
        check, float(z), float(p_value), mean, mean - half, mean + half, unit, count, float(sees)
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: p-values that may be compared with one level, however many checks ran.

    The smallest is multiplied by their number, the next by one less, and so on; none may fall
    below the one before it. The chance of any false alarm among them is then at most the level.

    >>> [round(p, 2) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    corrected = np.empty(len(order))
    highest = 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - rank) * float(p_values[i])))
        corrected[i] = highest
    return [float(p) for p in corrected]
