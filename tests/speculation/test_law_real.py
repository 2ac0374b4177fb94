"""At 200 real positions the rule commits the target's law, over the whole vocabulary.

With 49,152 tokens `verify` cannot be called for every drafted token and every replacement. So the
law is recovered from the parts that `verify` is built of, all tokens at once, and `verify` itself
is called in the middle of 300 random intervals a position, to show that it does what the parts
say. Where both laws are cut to 64 tokens, it is called in every interval.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from helpers.integrate import EXACT
from speculation.dice import draw_intervals
from speculation.pairs.pair import Pair
from speculation.rule import Law, acceptance, residual, verify
from speculation.sampling import Sampling, law

POSITIONS, INTERVALS = 200, 300
ONE, NARROW, FLAT, TOP = Sampling(), Sampling(0.7, top_p=0.9), Sampling(1.3), Sampling(top_k=64)
KINDS = [ONE, NARROW, ONE, TOP, ONE, NARROW, ONE, FLAT]  # a flat law is slow: its tail is sorted
TEXT = """The harbor lay quiet under the first snow of the year. Anna counted the boats, as she
had done every evening since the storm, and wrote the number in a small red book.
def reverse(words):
    result = []
    for word in words:
        result.append(word[::-1])
    return result
Shopping list:
1. Two liters of milk
2. A loaf of bread
3. Six eggs, and the blue cheese that my sister likes
Question: Why is the sky blue? Answer: Sunlight is scattered by the molecules of the air, and blue
light is scattered more than red light, because its waves are shorter. In the evening the light
travels a longer way through the air, so that little of the blue is left when it reaches us.
"You are late again," said the captain, and she did not smile. "The tide waits for nobody."
Roses are red, violets are blue, the kettle is on, and there is honey for you."""


@pytest.fixture(scope="module")
def positions(real_pair: Pair) -> list[tuple[np.ndarray, np.ndarray]]:
    """The logits of target and draft after each of 201 beginnings of a text, [V] each."""
    ids = real_pair.tokenizer(TEXT)["input_ids"]
    rows = POSITIONS + 1
    assert len(ids) >= rows, f"the text has only {len(ids)} tokens"
    target = real_pair.target.start().extend(ids, rows)
    short = real_pair.draft.start().extend(ids, rows)
    assert real_pair.draft.support is not None
    draft = np.full_like(target, -np.inf)
    draft[:, real_pair.draft.support] = short
    return list(zip(target, draft, strict=True))


def laws_at(positions: list, place: int, sampling: Sampling) -> tuple[Law, Law]:
    """p here and one position on, [2, V], and q here, [1, V]."""
    (target, draft), (after, _) = positions[place], positions[place + 1]
    return law(np.stack([target, after]), sampling), law(draft[None], sampling)


def check_interval(
    p: Law, q: Law, x: int, u: float, accepted: bool, height: float, token: int
) -> None:
    found = verify(p, q, [x], [u], height)
    assert (found.n_accepted, found.replacement) == (accepted, token), (
        f"token {x} drafted, u = {u}: expected {'acceptance' if accepted else 'rejection'} and "
        f"token {token} at {height}, got {found.n_accepted} and {found.replacement}"
    )


def pick(rng: np.random.Generator, edges: np.ndarray) -> int:
    """A random interval: mostly by its length, now and then any one, the far tail included."""
    if rng.random() < 0.005:
        return int(rng.integers(len(edges) - 1))
    return int(np.searchsorted(edges, rng.random(), side="right")) - 1


def test_the_law_over_the_whole_vocabulary(positions: list) -> None:
    rng = np.random.default_rng(0)
    rejections = 0
    for place in range(POSITIONS):
        p, q = laws_at(positions, place, KINDS[place % len(KINDS)])
        a, left = acceptance(p[0], q[0]), residual(p[0], q[0])
        drafts, draft_edges = draw_intervals(q[0])
        # A token arrives as an accepted draft, or from the residual after any rejection.
        kept = np.diff(draft_edges) * a[drafts]
        tokens, edges = draw_intervals(left)
        committed = np.zeros_like(p[0])
        committed[drafts] += kept
        committed[tokens] += (1.0 - kept.sum()) * np.diff(edges)
        off = np.abs(committed - p[0]).max()
        assert off < EXACT, f"position {place}: the committed law is off by {off:.3g}"

        bonuses, bonus_edges = draw_intervals(p[1])
        for _ in range(INTERVALS):
            x = int(drafts[pick(rng, draft_edges)])
            accepted = a[x] >= 1.0 or (a[x] > 0.0 and rng.random() < 0.3)
            u = a[x] / 2 if accepted else (a[x] + 1.0) / 2
            ends, which = (bonus_edges, bonuses) if accepted else (edges, tokens)
            i = pick(rng, ends)
            if ends[i] < ends[i + 1]:
                height = float(ends[i] + ends[i + 1]) / 2
                check_interval(p, q, x, u, accepted, height, int(which[i]))
                rejections += not accepted
    assert rejections > 5000, "too few rejections were looked at"


def cells(law: Law) -> Iterator[tuple[float, float]]:
    """The middle and the length of every interval of the replacement's number."""
    for lo, hi in pairwise(draw_intervals(law)[1].tolist()):
        if hi > lo:
            yield (lo + hi) / 2, hi - lo


def test_every_interval_where_both_laws_have_64_tokens(positions: list) -> None:
    for place in range(0, POSITIONS, POSITIONS // 20):
        p, q = laws_at(positions, place, TOP)
        used = np.flatnonzero((p > 0).any(axis=0) | (q > 0).any(axis=0))
        p, q = p[:, used], q[:, used]
        committed, bonus = np.zeros(len(used)), np.zeros(len(used))
        left = residual(p[0], q[0])
        for x in np.flatnonzero(q[0]):
            a = min(1.0, p[0, x] / q[0, x])
            if a > 0.0:
                committed[x] += q[0, x] * a
                for height, length in cells(p[1]) if x == q[0].argmax() else [(0.5, 0.0)]:
                    found = verify(p, q, [x], [a / 2], height)
                    assert found.is_bonus, f"position {place}: {x} was rejected at u < a"
                    bonus[found.replacement] += length
            if a < 1.0:
                for height, length in cells(left):
                    found = verify(p, q, [x], [(a + 1) / 2], height)
                    assert found.n_accepted == 0, f"position {place}: {x} was accepted at u > a"
                    committed[found.replacement] += q[0, x] * (1 - a) * length
        np.testing.assert_allclose(committed, p[0], atol=EXACT, err_msg=f"position {place}")
        if p[0, q[0].argmax()] > 0.0:
            np.testing.assert_allclose(bonus, p[1], atol=EXACT, err_msg=f"bonus after {place}")
