"""The closed forms: what a draft of given agreement and cost should earn.

They assume that each drafted token is accepted with the same probability alpha, independently of
the others. Real acceptance varies from place to place, so these are forecasts, not measurements.

Source: Leviathan et al. (arXiv 2211.17192), equation 1 and theorem 3.8; the cost v(k) of a block,
which the paper takes as 1, is kept.
"""

from collections.abc import Callable, Sequence

from scipy.optimize import brentq


def expected_tau(alpha: float, k: int) -> float:
    """Committed tokens per cycle, 1 + alpha + ... + alpha^k (Leviathan et al., equation 1).

    >>> round(expected_tau(0.8, 5), 2)
    3.69
    """
    _check(alpha, k)
    return float(sum(alpha**i for i in range(k + 1)))


def expected_speedup(alpha: float, k: int, c: float, v: float = 1.0) -> float:
    """Speed over plain decoding: tau tokens for v + c k target steps instead of tau.

    c  one draft step over one target step
    v  one target pass over k + 1 rows, over a pass of one row (1 in the paper, theorem 3.8)

    >>> round(expected_speedup(0.8, 5, 0.1), 2)
    2.46
    """
    if c < 0.0 or v <= 0.0:
        raise ValueError(f"c is {c} and v is {v}, expected c >= 0 and v > 0")
    return expected_tau(alpha, k) / (v + c * k)


def accepted_over_drafted(alpha: float, k: int) -> float:
    """The rate that engines print: accepted tokens over drafted ones. It falls as k grows.

    >>> [round(accepted_over_drafted(0.8, k), 2) for k in (2, 4, 8)]
    [0.72, 0.59, 0.42]
    """
    return (expected_tau(alpha, k) - 1.0) / k


def alpha_from_rate(rate: float, k: int) -> float:
    """The alpha whose accepted / drafted at draft length k is `rate`.

    >>> round(alpha_from_rate(0.54, 5), 2)
    0.8
    """
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"the rate is {rate}, expected a number from 0 to 1")
    if rate in (0.0, 1.0):
        return rate
    return float(brentq(lambda alpha: accepted_over_drafted(alpha, k) - rate, 0.0, 1.0))


def alpha_from_tau(tau: float, k: int) -> float:
    """The alpha whose committed tokens per cycle, the replacement counted, are `tau`.

    >>> round(alpha_from_tau(3.69, 5), 2)
    0.8
    """
    if not 1.0 <= tau <= k + 1:
        raise ValueError(f"tau is {tau}, expected a number from 1 to k + 1 = {k + 1}")
    return alpha_from_rate(min(1.0, (tau - 1.0) / k), k)


def tau_by_position(alphas: Sequence[float]) -> float:
    """Committed tokens per cycle when position i is accepted with its own alphas[i].

    1 + a1 + a1 a2 + ...: a position is only reached if all before it were accepted. With equal
    alphas this is `expected_tau`.

    >>> round(tau_by_position([0.8] * 5), 2), tau_by_position([0.5, 0.0, 1.0])
    (3.69, 1.5)
    """
    reached = tau = 1.0
    for alpha in alphas:
        _check(alpha, 0)
        reached *= alpha
        tau += reached
    return tau


def break_even_c(alpha: float, k: int, v: float = 1.0) -> float:
    """The draft cost at which speculation is as fast as plain decoding; below it, it pays.

    From tau = v + c k. Negative where even a draft that costs nothing loses, because the block of
    k + 1 rows costs more than what it commits.

    >>> round(break_even_c(0.8, 5), 2), round(break_even_c(0.3, 5, v=1.6), 3)
    (0.54, -0.034)
    """
    if v <= 0.0:
        raise ValueError(f"v is {v}, expected v > 0")
    return (expected_tau(alpha, k) - v) / k


def cycle_cost(tau: float, speedup: float) -> float:
    """What a cycle really cost, in plain target steps: it committed `tau` tokens `speedup` times
    as fast. Beside v + c k, what was expected, it says whether something else costs time.

    >>> round(cycle_cost(3.0, 1.5), 2)
    2.0
    """
    if tau < 1.0 or speedup <= 0.0:
        raise ValueError(
            f"tau is {tau} and the speed-up {speedup}: expected tau >= 1 and more than 0"
        )
    return tau / speedup


def best_k(
    alpha: float, c: float, v: Callable[[int], float] = lambda k: 1.0, most: int = 12
) -> int:
    """The draft length with the largest expected speed-up; 0 if no length beats plain decoding."""
    speeds = {k: expected_speedup(alpha, k, c, v(k)) for k in range(1, most + 1)}
    k, speed = max(speeds.items(), key=lambda item: item[1])
    return k if speed > 1.0 else 0


def _check(alpha: float, k: int) -> None:
    if not 0.0 <= alpha <= 1.0:
        raise ValueError(f"alpha is {alpha}, expected a number from 0 to 1")
    if k < 0:
        raise ValueError(f"k is {k}, expected 0 or more")
