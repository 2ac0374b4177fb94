"""Integrate a `verify` over all its random numbers, and compare what it commits with the target.

`verify` reads k + 1 uniforms. As a function of each it is a step function, so integrating it needs
no sampling: cut [0, 1) where it may step, call it once in the middle of every piece, and add up
the lengths. Accept numbers step at a = min(1, p/q); the replacement's number steps at the edges of
the cumulative law it is drawn from.

Everything here takes `verify` as an argument, so that wrong rules can be put to the same checks.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise, product
from math import prod

import numpy as np

from helpers.tables import Prefix, Tree, joint_law, one_hot, random_tree
from speculation.dice import draw_intervals
from speculation.rule import Law, Verification

Verify = Callable[..., Verification]

EXACT = 1e-12


def accept_chance(p: Law, q: Law, token: int) -> float:
    """a(x) = min(1, p(x)/q(x)), written out once more, apart from the code that is tested."""
    return min(1.0, float(p[token]) / float(q[token]))


def leftover(p: Law, q: Law) -> Law:
    """The residual, written out once more; p itself where nothing is left over."""
    left = np.maximum(p - q, 0.0)
    return left / left.sum() if left.sum() > 1e-15 else p


def pieces(cuts: list[float]) -> list[tuple[float, float]]:
    """The intervals between cuts that have any length: (middle, length)."""
    return [((lo + hi) / 2, hi - lo) for lo, hi in pairwise(cuts) if hi > lo]


def committed_sequences(
    verify: Verify, target: Tree, draft: Tree, size: int, k: int
) -> Iterator[tuple[Prefix, float]]:
    """Every way one cycle can go: (committed tokens, its probability)."""
    for drafted in product(range(size), repeat=k):
        prefixes = [drafted[:i] for i in range(k + 1)]
        p = np.stack([target(prefix) for prefix in prefixes])
        q = np.array([draft(prefix) for prefix in prefixes[:-1]]).reshape(k, size)
        chance_of_draft = prod(float(q[i, x]) for i, x in enumerate(drafted))
        if chance_of_draft == 0.0:
            continue
        cuts = [accept_chance(p[i], q[i], x) for i, x in enumerate(drafted)]
        for cell in product(*(pieces([0.0, a, 1.0]) for a in cuts)):
            uniforms = [middle for middle, _ in cell]
            refused = [i for i in range(k) if uniforms[i] >= cuts[i]]
            n = refused[0] if refused else k
            law = leftover(p[n], q[n]) if refused else p[k]
            for middle, length in pieces(draw_intervals(law)[1].tolist()):
                found = verify(p, q, drafted, uniforms, middle)
                weight = chance_of_draft * prod(side for _, side in cell) * length
                yield (*drafted[: found.n_accepted], found.replacement), weight


def check_law(verify: Verify, target: Tree, draft: Tree, size: int, k: int) -> None:
    """What a cycle commits, continued by the target up to k + 1 tokens, follows the target."""
    total: defaultdict[Prefix, float] = defaultdict(float)
    for committed, weight in committed_sequences(verify, target, draft, size, k):
        # A cycle commits n + 1 <= k + 1 tokens. The target writes on where it stopped short, so
        # that whole sequences can be compared.
        rest = k + 1 - len(committed)
        for ending, chance in joint_law(
            lambda more, start=committed: target(start + more), size, rest
        ).items():
            total[committed + ending] += weight * chance
    for sequence, expected in joint_law(target, size, k + 1).items():
        assert abs(total[sequence] - expected) < EXACT, (
            f"V = {size}, k = {k}: the rule commits {sequence} with probability "
            f"{total[sequence]:.6f}, the target with {expected:.6f}"
        )


def check_edges(verify: Verify, target: Tree, draft: Tree, size: int) -> None:
    """At the very ends of the intervals `verify` is on the right side: u < a accepts, u = a not."""
    p, q = np.stack([target(()), target((0,))]), draft(())[None]
    for token in np.flatnonzero(q[0]):
        a = accept_chance(p[0], q[0], token)
        for u, accepted in [(np.nextafter(a, 0), 1)] * (a > 0) + [(a, 0)] * (a < 1):
            found = verify(p, q, [token], [u], 0.5)
            assert found.n_accepted == accepted, (
                f"token {token} with a = {a!r} and u = {float(u)!r}: n_accepted is "
                f"{found.n_accepted}, expected {accepted}"
            )
            law = p[1] if accepted else leftover(p[0], q[0])
            tokens, edges = draw_intervals(law)
            for expected, (lo, hi) in zip(tokens, pairwise(edges), strict=True):
                for height in (lo, np.nextafter(hi, 0)) if hi > lo else ():
                    found = verify(p, q, [token], [u], float(height))
                    assert found.replacement == expected, (
                        f"replacement at u = {float(height)!r} is {found.replacement}, "
                        f"expected {expected}"
                    )


def laws(size: int) -> dict[str, tuple[Tree, Tree]]:
    """Targets and drafts of every kind, by name; their laws change with the prefix."""
    p, q = random_tree(1, size), random_tree(2, size)
    p_zeros, q_zeros = random_tree(3, size, zeros=1), random_tree(4, size, zeros=1)

    def low(prefix: Prefix) -> Law:  # on the first half of the vocabulary
        return np.pad(random_tree(5, size // 2)(prefix), (0, size - size // 2))

    def high(prefix: Prefix) -> Law:  # on the rest
        return np.pad(random_tree(6, size - size // 2)(prefix), (size // 2, 0))

    return {
        "random": (p, q),
        "peaked": (random_tree(7, size, peak=8.0), random_tree(8, size, peak=8.0)),
        "zeros in p": (p_zeros, q),
        "zeros in q": (p, q_zeros),
        "zeros in both": (p_zeros, q_zeros),
        "p = q": (p, p),
        "p = q up to rounding": (p, lambda prefix: p(prefix) * (1.0 + 1e-15)),
        "p close to q": (p, lambda prefix: 0.999999 * p(prefix) + 1e-6 * q(prefix)),
        "disjoint supports": (low, high),
        "a one-hot p": (lambda prefix: one_hot(size, len(prefix) % size), q),
        "a one-hot q": (p, lambda prefix: one_hot(size, (1 + sum(prefix)) % size)),
        "two one-hots": (
            lambda prefix: one_hot(size, (sum(prefix) + 1) % size),
            lambda prefix: one_hot(size, (sum(prefix) + len(prefix)) % size),
        ),
    }


def check_rule(verify: Verify) -> None:
    """Everything a right `verify` must pass: all small vocabularies, draft lengths and laws."""
    for size in (2, 3, 4):
        for target, draft in laws(size).values():
            for k in (0, 1, 2, 3):
                check_law(verify, target, draft, size, k)
            check_edges(verify, target, draft, size)
