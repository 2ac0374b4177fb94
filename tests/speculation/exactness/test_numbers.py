"""The statistics: right numbers, no false alarms, and the power they promise."""

import numpy as np
import pytest
from scipy.stats import chi2, kstest, ncx2

from speculation.dice import draw
from speculation.exactness import counts, holm
from speculation.exactness.counts import merge_bins, pearson, pearson_of, smallest_bias, tv_band
from speculation.exactness.exact_position import at_midpoints, by_intervals, on_paper
from speculation.exactness.power import runs_needed, simulated_power
from speculation.rule import Verification, committed_law, count_accepted, overlap
from speculation.schemes import SCHEMES, Many, Scheme, Spot

P8 = np.array([0.30, 0.20, 0.15, 0.10, 0.10, 0.05, 0.05, 0.05])
EIGHT = Spot.of(P8, P8[::-1])


def large_pair() -> tuple[np.ndarray, np.ndarray]:
    """Laws over a whole vocabulary, with a long tail."""
    rng = np.random.default_rng(0)
    p = rng.lognormal(size=49_152) / np.arange(1, 49_153) ** 1.2
    p /= p.sum()
    q = p * rng.lognormal(0.0, 0.5, size=len(p))
    return p, q / q.sum()


def replacement_from_p(p, q, drafted, accept, u):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    n = count_accepted(p, q, drafted, accept)
    return Verification(n, draw(p[n], u), None)


# One position, exactly


def test_three_ways_to_the_same_law() -> None:
    for p, q in [(P8, P8[::-1].copy()), large_pair()]:
        paper, parts = on_paper(p, q), by_intervals(p, q)
        assert paper.largest_difference < 1e-12
        assert parts.largest_difference < 1e-12
        assert np.abs(parts.accepted - paper.accepted).max() < 1e-12
        assert paper.committed == pytest.approx(committed_law(p, q), abs=1e-15)
        called = at_midpoints(p, q)
        assert called.disagreements == 0
        assert called.covered > 0.7
    assert at_midpoints(P8, P8[::-1].copy()).covered == pytest.approx(1.0)
    assert at_midpoints(P8, P8[::-1].copy(), rule=replacement_from_p).disagreements > 0


# Counts


def test_rare_outcomes_share_a_bin() -> None:
    bins = merge_bins(np.array([0.5, 0.3, 0.1, 0.06, 0.04, 0.0]), 60)
    assert bins.tolist() == [1, 2, 3, 0, 0, -1]
    assert merge_bins(np.array([0.98, 0.02]), 50).tolist() == [0, 0], "too few bins to compare"
    rare = merge_bins(np.array([0.5, 0.4, 0.1]), 20)
    assert rare.tolist() == [1, 0, 0], "the rarest of the others joins them"


def test_a_forbidden_token_refutes() -> None:
    assert pearson([50, 49, 1], np.array([0.5, 0.5, 0.0])).p_value == 0.0
    assert pearson_of({"a": 10, "c": 1}, {"a": 0.5, "b": 0.5}).p_value == 0.0


def test_the_interval_of_the_effect_covers_it() -> None:
    rng = np.random.default_rng(3)
    law = SCHEMES["shared-accept-number"].committed_law(EIGHT)
    truth = 0.5 * np.sqrt(np.sum((law - P8) ** 2 / P8))
    found = [pearson(rng.multinomial(3000, law), P8) for _ in range(200)]
    inside = np.mean([x.low <= truth <= x.high for x in found])
    assert 0.9 <= inside <= 0.99
    far = pearson(np.array([90_000, 10_000]), np.array([0.5, 0.5]))
    assert far.low < far.effect < far.high, "far out the interval is the normal one"


def test_total_variation_falls_within_the_band() -> None:
    rng = np.random.default_rng(4)
    for law, sizes in [(P8, (10, 1000, 100_000)), (large_pair()[0], (1000, 100_000))]:
        for runs in sizes:
            band = tv_band(law, runs, rng)
            drawn = rng.multinomial(runs, law, size=120) / runs
            found = 0.5 * np.abs(drawn - law).sum(axis=1)
            assert found.mean() == pytest.approx(band.mean, rel=0.08)
            assert 0.88 <= np.mean((band.low <= found) & (found <= band.high)) <= 1.0


def test_a_million_draws_of_the_real_rule() -> None:
    p, q = large_pair()
    spot = Spot.of(p, q)
    tokens, kept = Scheme().sample(spot, Many(1_000_000, np.random.default_rng(6)))
    assert pearson(np.bincount(tokens, minlength=len(p)), p).p_value > 1e-3
    assert kept.mean() == pytest.approx(overlap(p, q), abs=3e-3)
    sizes = (100, 10_000, 1_000_000)
    for runs, distance in zip(sizes, counts.tv_curve(tokens, p, sizes), strict=True):
        band = tv_band(p, runs, np.random.default_rng(7))
        assert abs(distance - band.mean) < 2 * (band.high - band.low)


@pytest.mark.parametrize("free", [1, 7, 400])
def test_the_interval_of_the_noncentrality_leaves_a_fortieth_at_each_end(free: int) -> None:
    for statistic in (1.5 * free + 20.0, 3.0 * free + 50.0, 9e5):
        low, high = counts.noncentrality_interval(statistic, free)
        assert ncx2.sf(statistic, free, low) == pytest.approx(0.025, abs=1e-9)
        assert ncx2.cdf(statistic, free, high) == pytest.approx(0.025, abs=1e-9)
    far = (counts.noncentrality_interval(x, free) for x in (0.99e6, 1.01e6, 1e9, 1e12))
    ends = [end for interval in far for end in interval]
    assert ends == sorted(ends), "the search and the normal law meet"
    assert counts.noncentrality_interval(0.0, free) == (0.0, 0.0)
    assert counts.noncentrality_interval(chi2.median(free), free)[0] == 0.0


# Power


def test_the_smallest_bias_is_seen_nine_times_in_ten() -> None:
    rng = np.random.default_rng(5)
    runs, half = 2000, np.full(4, 0.25)
    bias = smallest_bias(4, runs)
    law = half + bias / 2 * np.array([1, 1, -1, -1])
    assert 0.5 * np.abs(law - half).sum() == pytest.approx(bias)
    caught = [pearson(rng.multinomial(runs, law), half).p_value < 0.05 for _ in range(400)]
    assert 0.86 <= np.mean(caught) <= 0.94


@pytest.mark.parametrize(
    "name",
    [
        "shared-accept-number",
        "match-then-fresh",
        "ensemble",
        "shared-noise",
        "replacement-from-target",
        "low-drafts-dropped",
    ],
)
def test_the_predicted_number_of_runs_catches_a_broken_scheme(name: str) -> None:
    law = SCHEMES[name].committed_law(EIGHT)
    runs = runs_needed(law, P8)
    assert runs is not None
    rng = np.random.default_rng(8)
    caught = [pearson(rng.multinomial(runs, law), P8, rng).p_value < 0.05 for _ in range(200)]
    assert 0.8 <= np.mean(caught) <= 0.97, f"{runs} runs"


def test_shared_noise_takes_tens_of_thousands_of_runs() -> None:
    runs = runs_needed(SCHEMES["shared-noise"].committed_law(EIGHT), P8)
    assert runs is not None
    assert 10_000 < runs < 100_000
    rounded = runs_needed(SCHEMES["bfloat16-draw"].committed_law(EIGHT), P8)
    assert rounded is not None
    assert rounded > 1_000_000
    assert runs_needed(P8, P8) is None


def test_few_runs_are_simulated() -> None:
    law = SCHEMES["accept-everything"].committed_law(EIGHT)
    runs = runs_needed(law, P8)
    assert runs is not None
    assert runs < 100
    assert simulated_power(law, P8, runs, np.random.default_rng(0)) > 0.85
    assert simulated_power(P8, P8, runs, np.random.default_rng(0)) == pytest.approx(0.05, abs=0.03)


def test_holm_keeps_the_rate_of_false_alarms() -> None:
    rng = np.random.default_rng(1)
    alarms = [min(holm(rng.random(8))) < 0.05 for _ in range(3000)]
    assert np.mean(alarms) == pytest.approx(0.05, abs=0.012)
    assert holm([]) == []


def test_pearson_below_a_thousand_runs_is_uniform() -> None:
    rng = np.random.default_rng(2)
    for runs in (25, 60, 300):
        found = [pearson(rng.multinomial(runs, P8), P8, rng).p_value for _ in range(400)]
        assert kstest(found, "uniform").pvalue > 1e-3, f"{runs} runs"
