"""A law after temperature, top-k, top-p and min-p is the one transformers samples from.

Both are given float64 logits. There are two exceptions, each with a test of its own:

ties      where tokens with equal logits straddle the edge of top-p, transformers keeps those that
          torch's sort happens to put last; beyond 16 tokens that sort is not stable. Here the
          lower ids are cut first, which is what transformers does once its sort is stable.
rounding  where summed probabilities meet a threshold within 1e-12, either side may be taken.
"""

from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
import torch
from transformers import (
    LogitsProcessorList,
    MinPLogitsWarper,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from speculation.sampling import Sampling, keep_top_p, law, softmax

EDGE = 1e-12


def of_transformers(logits: np.ndarray, sampling: Sampling, stable: bool = True) -> np.ndarray:
    """The law that `generate` samples from, with its processors in its order; logits [n, V].

    stable  whether its sort leaves tied tokens in the order of their ids
    """
    steps = LogitsProcessorList([TemperatureLogitsWarper(sampling.temperature)])
    if sampling.top_k:
        steps.append(TopKLogitsWarper(sampling.top_k))
    if sampling.top_p < 1.0:
        steps.append(TopPLogitsWarper(sampling.top_p))
    if sampling.min_p > 0.0:
        steps.append(MinPLogitsWarper(sampling.min_p))
    with patch("torch.sort", partial(torch.sort, stable=stable)):
        return steps(torch.zeros(1, 1), torch.tensor(logits)).softmax(dim=-1).numpy()


def at_an_edge(logits: np.ndarray, sampling: Sampling) -> bool:
    """Whether a threshold is met within rounding, so that both sides are right."""
    probs = law(logits, Sampling(sampling.temperature, sampling.top_k))
    rising = np.sort(probs)
    near_top_p = np.abs(rising.cumsum() - (1 - sampling.top_p)) < EDGE
    kept = law(logits, Sampling(sampling.temperature, sampling.top_k, sampling.top_p))
    near_min_p = np.abs(kept[kept > 0] - sampling.min_p * kept.max()) < EDGE
    return bool(near_top_p[rising > EDGE].any() or (sampling.min_p > 0 and near_min_p.any()))


def random_settings(rng: np.random.Generator) -> Sampling:
    """Each filter off half of the time, so that every combination comes up."""
    on = rng.random(3) < 0.5
    return Sampling(
        temperature=float(rng.choice([0.1, 0.5, 0.7, 1.0, 1.3, 2.0])),
        top_k=int(rng.integers(1, 25)) if on[0] else 0,
        top_p=float(rng.uniform(0.01, 0.999)) if on[1] else 1.0,
        min_p=float(rng.uniform(0.0, 1.0) ** 3) if on[2] else 0.0,
    )


def random_logits(rng: np.random.Generator, size: int) -> np.ndarray:
    """Three kinds: all different; many ties; nearly all mass on a few tokens."""
    logits = rng.normal(scale=rng.choice([0.5, 2.0, 8.0]), size=size)
    return np.round(logits) if rng.random() < 0.4 else logits


def assert_same_law(logits: np.ndarray, sampling: Sampling) -> None:
    ours, theirs = law(logits, sampling), of_transformers(logits[None], sampling)[0]
    assert np.array_equal(ours > 0, theirs > 0), (
        f"{sampling} keeps {np.flatnonzero(ours)}, transformers {np.flatnonzero(theirs)}"
    )
    np.testing.assert_allclose(ours, theirs, atol=EDGE, err_msg=str(sampling))


def test_laws_agree_with_transformers() -> None:
    rng = np.random.default_rng(0)
    skipped = 0
    for _ in range(3000):
        logits, sampling = random_logits(rng, int(rng.integers(1, 30))), random_settings(rng)
        if at_an_edge(logits, sampling):
            skipped += 1
            continue
        assert_same_law(logits, sampling)
    assert skipped < 150, f"{skipped} cases were left out as meeting an edge: too many"


def test_laws_agree_over_a_large_vocabulary() -> None:
    rng = np.random.default_rng(1)
    for _ in range(12):
        logits = rng.normal(scale=3.0, size=49_152)
        sampling = Sampling(1.0, int(rng.choice([0, 50])), float(rng.uniform(0.1, 0.99)), 0.0)
        assert_same_law(logits, sampling)


def test_ties_at_the_edge_of_top_p() -> None:
    """The first exception: which of the tied tokens stay may differ; how many may not."""
    rng = np.random.default_rng(2)
    for size in (8, 16, 30, 1000, 5000):
        logits = rng.integers(0, 3, size).astype(float)
        for top_p in (0.05, 0.3, 0.612, 0.9):
            sampling = Sampling(top_p=top_p)
            if at_an_edge(logits, sampling):
                continue
            assert_same_law(logits, sampling)
            ours = law(logits, sampling)
            theirs = of_transformers(logits[None], sampling, stable=False)[0]
            assert np.array_equal(np.sort(logits[ours > 0]), np.sort(logits[theirs > 0]))


@pytest.mark.parametrize("size", range(2, 13))
def test_a_top_p_met_exactly(size: int) -> None:
    """All tokens alike and top_p = m / size: m tokens hold it, and the highest ids are kept."""
    for m in range(1, size):
        assert_same_law(np.zeros(size), Sampling(top_p=m / size))


def test_where_rounding_decides_either_side_holds_top_p() -> None:
    """The exception: the sums of the two sides differ by rounding only."""
    rng = np.random.default_rng(3)
    for _ in range(500):
        logits = np.log(rng.integers(1, 6, 10).astype(float))
        probs = softmax(logits)
        top_p = float(1 - np.sort(probs).cumsum()[rng.integers(0, 9)])
        if 0 < top_p < 1:
            mass = probs[np.isfinite(keep_top_p(logits, top_p))].sum()
            smallest = probs[np.isfinite(keep_top_p(logits, top_p))].min()
            assert mass >= top_p - EDGE, f"top_p = {top_p} but only {mass} is kept"
            assert mass - smallest <= top_p + EDGE, "a token was kept that was not needed"


def test_rows_and_stacks_agree() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        logits, sampling = rng.normal(size=(4, 40), scale=3.0), random_settings(rng)
        stacked = law(logits, sampling)
        for row, alone in enumerate(logits):
            np.testing.assert_array_equal(stacked[row], law(alone, sampling), str(sampling))
        np.testing.assert_allclose(stacked, of_transformers(logits, sampling), atol=EDGE)


def test_temperature_zero_is_a_one_hot_at_the_lowest_best_id() -> None:
    probs = law([[0.0, 2.0, 2.0, 1.0], [5.0, 5.0, 5.0, 5.0]], Sampling(0.0, top_k=3, top_p=0.5))
    np.testing.assert_array_equal(probs, [[0, 1, 0, 0], [1, 0, 0, 0]])


def test_a_law_sums_to_one_and_never_overflows() -> None:
    rng = np.random.default_rng(5)
    for scale in (1e-3, 1.0, 1e3, 1e30):
        probs = law(rng.normal(size=(3, 500)) * scale, Sampling(temperature=0.01))
        assert np.isfinite(probs).all()
        np.testing.assert_allclose(probs.sum(axis=1), 1.0, atol=EDGE)


def test_impossible_tokens_stay_impossible() -> None:
    logits = np.array([1.0, -np.inf, 0.5, -np.inf, 0.0])
    for sampling in (Sampling(), Sampling(0.0), Sampling(2.0, 4, 0.999, 1e-6)):
        probs = law(logits, sampling)
        assert probs[1] == probs[3] == 0.0, f"{sampling} gave mass to an impossible token"
    assert np.array_equal(logits, [1.0, -np.inf, 0.5, -np.inf, 0.0]), "the logits were changed"


@pytest.mark.parametrize(
    "logits", [[np.nan, 1.0], [np.inf, 1.0], [-np.inf, -np.inf], [[0.0, 1.0], [-np.inf, -np.inf]]]
)
def test_logits_without_a_law_are_refused(logits: list) -> None:
    with pytest.raises(ValueError, match="NaN, infinity or no possible token"):
        law(logits, Sampling())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", -0.1),
        ("temperature", np.inf),
        ("temperature", np.nan),
        ("top_k", -1),
        ("top_p", 0.0),
        ("top_p", 1.1),
        ("min_p", -0.1),
        ("min_p", 1.1),
    ],
)
def test_bad_settings_are_named(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=field):
        Sampling(**{field: value})
