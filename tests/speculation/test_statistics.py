"""20,000 runs of a tiny pair: the text follows the target, and the test sees two planted biases.

A whole `Decoder` would take minutes for so many runs, so they are made by a slim loop of its
parts: `dice.uniform`, `dice.draw_intervals`, `count_accepted` and `verify`. A test holds the two
together.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy.stats import chi2

from helpers.tables import Prefix, TableModel, joint_law, random_tree
from speculation.decode import Decoder, Request
from speculation.dice import Purpose, draw, draw_intervals, uniform
from speculation.rule import Law, Verification, count_accepted, verify
from speculation.sampling import Sampling

SIZE, K, LENGTH, RUNS = 12, 3, 4, 20_000
_p, _q = random_tree(1, SIZE, peak=6.0), random_tree(2, SIZE, peak=6.0)


@cache
def target(prefix: Prefix) -> Law:
    """Random laws, as far as the texts go; what lies beyond is cut, so any law will do."""
    return _p(prefix) if len(prefix) < LENGTH else np.full(SIZE, 1 / SIZE)


@cache
def draft(prefix: Prefix) -> Law:
    """Half the target's law, half another: it agrees now and then."""
    return 0.5 * _p(prefix) + 0.5 * _q(prefix) if len(prefix) < LENGTH else target(prefix)


@cache
def target_joint() -> dict[Prefix, float]:
    return joint_law(target, SIZE, LENGTH)


Numbers = np.ndarray  # [purpose, position]
Verify = Callable[..., Verification]


@pytest.fixture(scope="module")
def numbers() -> np.ndarray:
    """The dice of every run: [run, purpose, position]."""
    return np.array(
        [
            [[uniform(seed, purpose, place) for place in range(LENGTH)] for purpose in Purpose]
            for seed in range(RUNS)
        ]
    )


@cache
def intervals(prefix: Prefix) -> tuple[list[int], list[float]]:
    """The tokens the draft can draw, and where on [0, 1) the interval of each begins."""
    tokens, edges = draw_intervals(draft(prefix))
    return tokens.tolist(), edges[:-1].tolist()


def drafted_token(prefix: Prefix, u: float) -> int:
    """What `draw(draft(prefix), u)` returns."""
    tokens, begins = intervals(prefix)
    return tokens[bisect_right(begins, u) - 1]


def one_run(dice: Numbers, rule: Verify = verify, replace: Purpose = Purpose.REPLACE) -> Prefix:
    """Four tokens, written as the decoder writes them; what lies beyond them is not drafted."""
    text: Prefix = ()
    while len(text) < LENGTH:
        start, drafted = len(text), ()
        for place in range(start, min(start + K, LENGTH)):
            token = drafted_token(text + drafted, dice[Purpose.DRAFT, place])
            drafted += (token,)
        k = len(drafted)
        p = np.stack([target(text + drafted[:i]) for i in range(k + 1)])
        q = np.stack([draft(text + drafted[:i]) for i in range(k)])
        accept = dice[Purpose.ACCEPT, start : start + k]
        n = count_accepted(p, q, drafted, accept)
        u = dice[replace, start + n] if start + n < LENGTH else 0.0
        text += (*drafted[:n], rule(p, q, drafted, accept, u).replacement)
    return text[:LENGTH]


def p_value(texts: Counter[Prefix]) -> float:
    """Pearson's chi-square of the texts against the target's joint law.

    The chance of a deviation as large as this if the law is right. Texts expected fewer than five
    times are counted as one bin.
    """
    expected = {x: RUNS * chance for x, chance in target_joint().items()}
    large = [x for x, count in expected.items() if count >= 5]
    rest = RUNS - sum(expected[x] for x in large)
    bins = [(texts[x], expected[x]) for x in large]
    bins.append((RUNS - sum(texts[x] for x in large), rest))
    assert len(bins) > 100, "too few bins to tell laws apart"
    statistic = sum((seen - wanted) ** 2 / wanted for seen, wanted in bins)
    return float(chi2.sf(statistic, len(bins) - 1))


def replacement_from_p(p: Law, q: Law, drafted: Prefix, accept: Law, u: float) -> Verification:
    """Planted: after a rejection the target's law is used as it is."""
    n = count_accepted(p, q, drafted, accept)
    return Verification(n, draw(p[n], u), None)


def test_the_slim_loop_writes_what_the_decoder_writes(numbers: np.ndarray) -> None:
    big, small = TableModel(target, SIZE, "target"), TableModel(draft, SIZE, "draft")
    for seed in range(100):
        decoder = Decoder(big, small, Request((0,), Sampling(), K, seed, LENGTH))
        # The decoder's prompt is one token, which the slim loop does not have.
        big.law_after = lambda prefix: target(prefix[1:])
        small.law_after = lambda prefix: draft(prefix[1:])
        for _ in decoder:
            pass
        assert tuple(decoder.generated) == one_run(numbers[seed]), f"seed {seed}"


def test_the_joint_law_is_the_target_law(numbers: np.ndarray) -> None:
    chance = p_value(Counter(one_run(dice) for dice in numbers))
    assert chance > 1e-3, f"the rule's texts do not follow the target: p-value {chance:.2g}"


def test_a_replacement_from_p_is_seen(numbers: np.ndarray) -> None:
    chance = p_value(Counter(one_run(dice, replacement_from_p) for dice in numbers))
    assert chance < 1e-6, f"the planted bias was not seen: p-value {chance:.2g}"


def test_a_shared_random_number_is_seen(numbers: np.ndarray) -> None:
    """The draft and its replacement read one number: each has the right law, together not."""
    chance = p_value(Counter(one_run(dice, replace=Purpose.DRAFT) for dice in numbers))
    assert chance < 1e-6, f"the planted bias was not seen: p-value {chance:.2g}"
