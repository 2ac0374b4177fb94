"""The closed forms give the numbers that were published, and their inverses invert them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from speculation.theory import (
    accepted_over_drafted,
    alpha_from_rate,
    alpha_from_tau,
    best_k,
    break_even_c,
    cycle_cost,
    expected_speedup,
    expected_tau,
    tau_by_position,
)


@pytest.mark.parametrize(
    ("alpha", "gamma", "speed"),
    [
        (0.6, 2, 1.96),
        (0.7, 3, 2.53),
        (0.8, 2, 2.44),
        (0.8, 5, 3.69),
        (0.9, 2, 2.71),
        (0.9, 10, 6.86),
    ],
)
def test_table_1_of_leviathan_et_al(alpha: float, gamma: int, speed: float) -> None:
    """Their c is 0: a draft that costs nothing."""
    assert expected_speedup(alpha, gamma, c=0.0) == pytest.approx(speed, abs=0.005)


def test_tau_is_what_a_simulation_counts() -> None:
    rng = np.random.default_rng(0)
    for alpha, k in [(0.3, 1), (0.6, 4), (0.9, 8)]:
        accepted = rng.random((100_000, k)) < alpha
        n = np.where(accepted.all(axis=1), k, (~accepted).argmax(axis=1))
        assert expected_tau(alpha, k) == pytest.approx((n + 1).mean(), rel=0.01)
        assert accepted_over_drafted(alpha, k) == pytest.approx(n.mean() / k, rel=0.02)


def test_the_ends() -> None:
    assert expected_tau(0.0, 5) == 1.0, "nothing accepted: one token a cycle"
    assert expected_tau(1.0, 5) == 6.0, "all accepted: k + 1"
    assert expected_tau(0.7, 0) == 1.0, "plain decoding"
    assert expected_speedup(0.0, 4, 0.1) == pytest.approx(1 / 1.4)


@given(st.floats(0.0, 1.0), st.integers(1, 12))
def test_the_rate_gives_alpha_back(alpha: float, k: int) -> None:
    rate = accepted_over_drafted(alpha, k)
    assert 0.0 <= rate <= 1.0
    assert accepted_over_drafted(alpha_from_rate(rate, k), k) == pytest.approx(rate, abs=1e-9)
    assert alpha_from_rate(rate, k) == pytest.approx(alpha, abs=1e-5) or alpha < 1e-4


@given(st.floats(0.0, 1.0), st.integers(0, 11))
def test_a_longer_draft_commits_more_and_wastes_more(alpha: float, k: int) -> None:
    assert expected_tau(alpha, k + 1) >= expected_tau(alpha, k)
    if k:
        assert accepted_over_drafted(alpha, k + 1) <= accepted_over_drafted(alpha, k) + 1e-12


def test_the_best_k_is_the_fastest_one() -> None:
    for alpha in (0.3, 0.6, 0.8, 0.95):
        for c in (0.01, 0.1, 0.5):
            k = best_k(alpha, c)
            speeds = [1.0] + [expected_speedup(alpha, i, c) for i in range(1, 13)]
            assert speeds[k] == pytest.approx(max(speeds))
    assert best_k(0.2, 0.5) == 0, "a bad and costly draft is worse than none"
    assert best_k(0.9, 0.0, most=7) == 7, "a free draft: the longer the better"
    assert best_k(0.9, 0.1, v=lambda k: 1.0 + k) == 0, "a block as dear as its rows never pays"


@given(st.floats(0.0, 1.0), st.integers(1, 12))
def test_tau_gives_alpha_back(alpha: float, k: int) -> None:
    tau = expected_tau(alpha, k)
    assert expected_tau(alpha_from_tau(tau, k), k) == pytest.approx(tau, abs=1e-9)
    assert tau_by_position([alpha] * k) == pytest.approx(tau), "equal alphas are the textbook's"


def test_tau_by_position_is_what_a_simulation_counts() -> None:
    rng, alphas = np.random.default_rng(0), np.array([0.5, 0.7, 0.9, 0.95])
    accepted = rng.random((100_000, 4)) < alphas
    n = np.where(accepted.all(axis=1), 4, (~accepted).argmax(axis=1))
    assert tau_by_position(alphas.tolist()) == pytest.approx((n + 1).mean(), rel=0.01)
    assert tau_by_position(alphas.tolist()) < expected_tau(float(alphas.mean()), 4), (
        "a low alpha at the start costs more than the mean says"
    )


@given(st.floats(0.05, 1.0), st.integers(1, 12), st.floats(0.5, 2.0))
def test_at_the_break_even_cost_nothing_is_gained(alpha: float, k: int, v: float) -> None:
    c = break_even_c(alpha, k, v)
    if c >= 0.0:
        assert expected_speedup(alpha, k, c, v) == pytest.approx(1.0)
    else:
        assert expected_speedup(alpha, k, 0.0, v) < 1.0


def test_the_cost_of_a_cycle_is_what_the_forecast_put_in() -> None:
    speed = expected_speedup(0.8, 5, 0.1, 1.4)
    assert cycle_cost(expected_tau(0.8, 5), speed) == pytest.approx(1.4 + 0.5)
    with pytest.raises(ValueError, match="tau is"):
        cycle_cost(0.5, 1.0)
    with pytest.raises(ValueError, match="expected v > 0"):
        break_even_c(0.5, 3, 0.0)
    with pytest.raises(ValueError, match=r"from 1 to k \+ 1"):
        alpha_from_tau(7.0, 5)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_an_alpha_that_is_no_chance_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha is"):
        expected_tau(alpha, 3)


def test_other_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="k is -1"):
        expected_tau(0.5, -1)
    with pytest.raises(ValueError, match=r"c is -0\.1"):
        expected_speedup(0.5, 3, c=-0.1)
    with pytest.raises(ValueError, match=r"the rate is 1\.2"):
        alpha_from_rate(1.2, 3)
