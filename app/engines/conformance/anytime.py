"""A test of counts against a known distribution that may be looked at, and ended, at any time.

The e-value of counts x over n texts, against outcomes of probability theta, is what a bettor has
made of 1 who spread the bets as a Dirichlet around theta would:

    E = B(kappa theta + x) / B(kappa theta) / prod theta^x,    B the multivariate beta function

If the texts follow theta, E is a martingale of mean 1, so by Ville's inequality the chance that it
*ever* reaches 1/alpha is at most alpha: no number of looks, and no rule of when to stop, raises the
false alarms. A small kappa sees large deviations at once, a large one sees small ones in the end;
the mean over several kappas is a martingale too, and that is what is used.

Source: Lindon and Malek, "Anytime-Valid Inference for Multinomial Count Data", NeurIPS 2022,
section 3 (arXiv 2011.03567); Ville 1939 for the inequality.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp

from speculation.rule import Law

KAPPAS = np.array([10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5])
POWER = 0.9
SIMULATED = 120


def log_e(counts: npt.ArrayLike, law: Law) -> npt.NDArray[np.float64]:
    """The logarithm of E, for counts [m] or a stack [r, m] of them, against law [m] -> [r].

    An outcome of probability 0 that came gives infinity: it refutes the law by itself.

    >>> law = np.array([0.5, 0.5])
    >>> log_e([50, 50], law)[0] < 0.0 < log_e([90, 10], law)[0]
    np.True_
    >>> log_e([1, 0], np.array([0.0, 1.0]))[0]
    np.float64(inf)
    """
    x = np.atleast_2d(np.asarray(counts, dtype=np.float64))  # [r, m]
    possible = np.asarray(law) > 0.0
    refuted = x[:, ~possible].sum(axis=1) > 0
    x, theta = x[:, possible], np.asarray(law)[possible]
    n = x.sum(axis=1)
    bets = []
    for kappa in KAPPAS:
        prior = kappa * theta / theta.sum()
        made = gammaln(prior + x).sum(axis=1) - gammaln(prior).sum()
        bets.append(made + gammaln(kappa) - gammaln(kappa + n))
    found = logsumexp(np.stack(bets), axis=0) - np.log(len(KAPPAS)) - x @ np.log(theta)
    found[refuted] = np.inf
    return np.asarray(found)


def bent(law: Law, by: float) -> Law:
    """The hardest deviation to see of this total variation: every outcome more or less likely by
    the same share, so that the chi-square distance is the least that a total variation allows.

    >>> law = np.array([0.4, 0.3, 0.2, 0.1])
    >>> off = bent(law, 0.1)
    >>> bool(np.isclose(0.5 * np.abs(off - law).sum(), 0.1))
    True
    """
    order = np.argsort(-law, kind="stable")
    sign, left = np.zeros(len(law)), 0.0
    for i in order:  # the two halves are kept as even as they can be
        sign[i] = -1.0 if left > 0.0 else 1.0
        left += sign[i] * law[i]
    up, down = law[sign > 0].sum(), law[sign < 0].sum()
    if not down:
        return law
    step = np.where(sign > 0, law / up, -law / down) * by
    off = np.maximum(0.0, law + step)
    return np.asarray(off / off.sum())


def smallest_seen(law: Law, texts: int, threshold: float) -> float:
    """The smallest total variation that so many texts show with 90% chance, whatever its shape.

    threshold  the logarithm of what E must reach. 1 if nothing would be seen, or nothing can be.
    """
    return _smallest_seen(tuple(np.asarray(law, dtype=float).tolist()), texts, threshold)


@lru_cache(maxsize=512)
def _smallest_seen(outcomes: tuple[float, ...], texts: int, threshold: float) -> float:
    law = np.array(outcomes)
    law = law[law > 0.0] / law.sum()
    if len(law) == 1:  # one text only is right: the first other one is seen
        return float(1.0 - (1.0 - POWER) ** (1.0 / max(1, texts)))
    low, high = 0.0, 0.49
    if not _sure(law, high, texts, threshold):
        return 1.0
    while high - low > 0.03 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _sure(law, middle, texts, threshold) else (middle, high)
    return high


def _sure(law: Law, by: float, texts: int, threshold: float) -> bool:
    rng = np.random.default_rng(1)  # the same numbers for every size, so that the search is steady
    counts = rng.multinomial(texts, bent(law, by), SIMULATED)
    return bool((log_e(counts, law) >= threshold).mean() >= POWER)
