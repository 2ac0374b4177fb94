"""The rule is exact: whatever the draft proposes, what is committed follows the target.

Start here to learn the rule. The first test works one position by hand; the others integrate
`verify` over all its random numbers (see helpers/integrate.py) and compare with the target's law.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.integrate import EXACT, check_edges, check_law, laws
from helpers.tables import random_law
from speculation.rule import (
    Law,
    acceptance,
    committed_law,
    count_accepted,
    overlap,
    residual,
    verify,
)

# The target wants A most; the draft offers C half of the time.
P = np.array([0.6, 0.3, 0.1])
Q = np.array([0.2, 0.3, 0.5])
A, B, C = 0, 1, 2
NEXT = np.array([0.0, 0.0, 1.0])  # the target's law one position on


def test_one_position_by_hand() -> None:
    both = np.stack([P, NEXT])
    # The draft under-supplies A, so A is always kept, and a bonus follows from the next law.
    kept = verify(both, Q[None], [A], [0.999], 0.5)
    assert (kept.n_accepted, kept.replacement, kept.is_bonus) == (1, C, True)
    # C is offered five times too often: kept when u < p/q = 0.2, else replaced from the residual,
    # which holds A alone, the only token the draft offers too rarely.
    assert verify(both, Q[None], [C], [0.19], 0.5).n_accepted == 1
    rejected = verify(both, Q[None], [C], [0.21], 0.5)
    assert (rejected.n_accepted, rejected.replacement, rejected.is_bonus) == (0, A, False)
    np.testing.assert_allclose(rejected.residual, [1, 0, 0])
    # Two doors lead to A: kept when drafted, or drawn after C was rejected. Together they are p.
    two_doors = Q[A] * 1.0 + Q[C] * (1 - 0.2)
    assert two_doors == pytest.approx(P[A])


def test_a_cycle_ends_at_the_first_rejection() -> None:
    p = np.stack([P, P, P, NEXT])
    q = np.stack([Q, Q, Q])
    found = verify(p, q, [A, C, A], [0.5, 0.5, 0.5], 0.5)
    assert found.n_accepted == 1, "the third token stood after a rejected one and may not be kept"
    assert found.replacement == A


@pytest.mark.parametrize("k", [0, 1, 2, 3])
@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("name", laws(2))
def test_the_rule_commits_the_target_law(name: str, size: int, k: int) -> None:
    check_law(verify, *laws(size)[name], size, k)


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("name", laws(2))
def test_interval_ends_belong_to_the_right_side(name: str, size: int) -> None:
    check_edges(verify, *laws(size)[name], size)


def _laws_of(weights: st.SearchStrategy[Any], size: int) -> st.SearchStrategy[Law]:
    rows = st.lists(weights, min_size=size, max_size=size).filter(any)
    return rows.map(lambda row: np.array(row, dtype=float) / np.sum(row))


@st.composite
def pairs_of_trees(draw: Callable[..., Any]) -> tuple[Any, Any, int, int]:
    """Two trees whose laws are any laws: with zeros, ties, and tiny or equal probabilities."""
    size, k = draw(st.integers(2, 4)), draw(st.integers(1, 2))
    weights = draw(
        st.sampled_from(
            [st.integers(0, 3), st.one_of(st.just(0.0), st.floats(1e-15, 1.0)), st.floats(0.1, 1.0)]
        )
    )
    some = draw(st.lists(_laws_of(weights, size), min_size=2, max_size=5))
    shift = draw(st.integers(0, len(some) - 1))

    def target(prefix: tuple[int, ...]) -> Law:
        return some[(2 * sum(prefix) + len(prefix)) % len(some)]

    def draft(prefix: tuple[int, ...]) -> Law:
        return some[(sum(prefix) + shift) % len(some)]

    return target, draft, size, k


@settings(max_examples=150)
@given(pairs_of_trees())
def test_no_counterexample_among_random_laws(case: tuple[Any, Any, int, int]) -> None:
    target, draft, size, k = case
    check_law(verify, target, draft, size, k)
    check_edges(verify, target, draft, size)


def test_parts_agree_with_each_other_on_stacks() -> None:
    rng = np.random.default_rng(0)
    p = np.stack([random_law(rng, 50, zeros=20) for _ in range(30)])
    q = np.stack([random_law(rng, 50, zeros=20) for _ in range(30)])
    kept = q * acceptance(p, q)
    np.testing.assert_allclose(kept, np.minimum(p, q), atol=EXACT)
    np.testing.assert_allclose(kept.sum(axis=1), overlap(p, q), atol=EXACT)
    np.testing.assert_allclose(overlap(p, q), 1 - np.abs(p - q).sum(axis=1) / 2, atol=EXACT)
    np.testing.assert_allclose(committed_law(p, q), p, atol=EXACT)
    for row in range(30):
        np.testing.assert_array_equal(acceptance(p, q)[row], acceptance(p[row], q[row]))
        np.testing.assert_array_equal(residual(p, q)[row], residual(p[row], q[row]))


def test_a_residual_without_mass_falls_back_to_p() -> None:
    np.testing.assert_array_equal(residual(P, P), P)
    # q above p by rounding alone: the largest u below 1 rejects, and nothing is left over.
    law = P * (1.0 + 1e-15)
    rejected = verify(np.stack([P, NEXT]), law[None], [C], [np.nextafter(1.0, 0.0)], 0.7)
    assert (rejected.n_accepted, rejected.replacement) == (0, B), "expected a draw from p"
    np.testing.assert_array_equal(rejected.residual, P)


def test_counting_alone_agrees_with_verify() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        p = np.stack([random_law(rng, 5) for _ in range(4)])
        q = np.stack([random_law(rng, 5) for _ in range(3)])
        drafted, uniforms = rng.integers(0, 5, 3), rng.random(3)
        found = verify(p, q, drafted, uniforms, 0.5)
        assert found.n_accepted == count_accepted(p, q, drafted, uniforms)


GOOD: dict[str, Any] = {
    "target_probs": np.stack([P, P, NEXT]),
    "draft_probs": np.stack([Q, Q]),
    "drafted": [A, C],
    "accept_uniforms": [0.5, 0.5],
    "replace_uniform": 0.5,
}


def with_value(array: np.ndarray, place: tuple[int, int], value: float) -> np.ndarray:
    changed = array.copy()
    changed[place] = value
    return changed


BAD = [
    ("target_probs", np.stack([P, P]), r"target_probs has shape \(2, 3\), expected \[3, V\]"),
    ("target_probs", P, r"target_probs has shape \(3,\)"),
    (
        "target_probs",
        with_value(GOOD["target_probs"], (2, 1), np.nan),
        r"target_probs\[2\].*finite",
    ),
    (
        "target_probs",
        with_value(GOOD["target_probs"], (0, 1), np.inf),
        r"target_probs\[0\].*finite",
    ),
    ("target_probs", np.array([P, [1.1, -0.1, 0], NEXT]), r"target_probs\[1\].*negative.*-0\.1"),
    ("target_probs", np.stack([P, P * 1.00001, NEXT]), r"target_probs\[1\] sums to 1\.00001"),
    ("draft_probs", Q[None], r"draft_probs has shape \(1, 3\), expected \(2, 3\)"),
    ("draft_probs", np.full((2, 4), 0.25), r"draft_probs has shape \(2, 4\), expected \(2, 3\)"),
    ("draft_probs", with_value(GOOD["draft_probs"], (1, 0), np.nan), r"draft_probs\[1\].*finite"),
    ("draft_probs", np.array([[1.5, -0.5, 0], Q]), r"draft_probs\[0\].*negative"),
    ("draft_probs", np.stack([Q, Q / 2]), r"draft_probs\[1\] sums to 0\.5"),
    ("draft_probs", np.array([Q, [0.5, 0.5, 0.0]]), r"drafted\[1\] = 2 has q = 0"),
    ("drafted", [A, 3], r"drafted\[1\] = 3 is outside the vocabulary of 3 tokens"),
    ("drafted", [-1, A], r"drafted\[0\] = -1 is outside the vocabulary"),
    ("drafted", [[A, C]], r"drafted has shape \(1, 2\)"),
    ("drafted", [A], r"target_probs has shape \(3, 3\), expected \[2, V\]"),
    ("accept_uniforms", [0.5], r"accept_uniforms has shape \(1,\), expected \(2,\)"),
    ("accept_uniforms", [0.5, 1.0], r"accept_uniforms has a value outside \[0, 1\)"),
    ("accept_uniforms", [-0.1, 0.5], r"accept_uniforms has a value outside \[0, 1\)"),
    ("accept_uniforms", [np.nan, 0.5], r"accept_uniforms has a value outside \[0, 1\)"),
    ("replace_uniform", 1.0, r"replace_uniform is 1\.0"),
    ("replace_uniform", -0.1, r"replace_uniform is -0\.1"),
    ("replace_uniform", np.nan, r"replace_uniform is nan"),
]


@pytest.mark.parametrize(("name", "value", "message"), BAD)
def test_bad_input_is_named(name: str, value: Any, message: str) -> None:
    verify(**GOOD)
    with pytest.raises(ValueError, match=message):
        verify(**{**GOOD, name: value})


def test_rounding_of_a_law_is_no_bad_input() -> None:
    verify(**{**GOOD, "target_probs": np.stack([P * (1 + 5e-7), P, NEXT])})
