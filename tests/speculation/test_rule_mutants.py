"""Wrong rules fail: each mistake planted here is caught by the checks that the real rule passes.

`Variant` is the rule written once more, with every part exchangeable. Unchanged it passes; each
mutant changes one part, the way real implementations have got it wrong. test_rule.py puts the real
`verify` to the same checks, one by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from helpers.integrate import check_rule
from speculation.dice import draw
from speculation.rule import Law, Verification, residual


def at_most_p_over_q(p: Law, q: Law, x: int, u: float) -> bool:
    return u < p[x] / q[x]


@dataclass(frozen=True)
class Variant:
    """The rule with exchangeable parts.

    accepts   (p, q, x, u) -> whether the drafted x stands
    replaces  (target_probs, draft_probs, n) -> the law after a rejection at n
    bonus     (target_probs, draft_probs) -> the law after k acceptances
    counts    (verdicts) -> n_accepted
    number    (accept_uniforms, replace_uniform, n) -> the number the replacement is drawn with
    """

    accepts: Callable[[Law, Law, int, float], bool] = at_most_p_over_q
    replaces: Callable[[Law, Law, int], Law] = lambda p, q, n: residual(p[n], q[n])
    bonus: Callable[[Law, Law], Law] = lambda p, q: p[len(q)]
    counts: Callable[[list[bool]], int] = lambda kept: (*kept, False).index(False)
    number: Callable[[Sequence[float], float, int], float] = lambda accept, replace, n: replace
    picks: Callable[[Law, float], int] = draw

    def __call__(
        self,
        target_probs: Law,
        draft_probs: Law,
        drafted: Sequence[int],
        accept_uniforms: Sequence[float],
        replace_uniform: float,
    ) -> Verification:
        rows = zip(target_probs, draft_probs, drafted, accept_uniforms, strict=False)
        n = self.counts([bool(self.accepts(*row)) for row in rows])
        law = (
            self.bonus(target_probs, draft_probs)
            if n == len(drafted)
            else self.replaces(target_probs, draft_probs, n)
        )
        u = self.number(accept_uniforms, replace_uniform, n)
        return Verification(n, self.picks(law, u), None)


def normalized(weights: Law) -> Law:
    return weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))


def without_the_drafted(p: Law, q: Law, n: int) -> Law:
    """p with its likeliest token struck out, whatever the residual says."""
    law = p[n].copy()
    law[np.argmax(law)] = 0.0
    return normalized(law)


def not_normalized(p: Law, q: Law, n: int) -> Law:
    """The bare difference: what its sum leaves of [0, 1) goes to its last token."""
    left = np.maximum(p[n] - q[n], 0.0)
    return left if left.any() else p[n]


MUTANTS = {
    "replacement from p": Variant(replaces=lambda p, q, n: p[n]),
    "replacement from q": Variant(replaces=lambda p, q, n: q[n]),
    "residual swapped": Variant(replaces=lambda p, q, n: normalized(np.maximum(q[n] - p[n], 0))),
    "residual of absolute values": Variant(replaces=lambda p, q, n: normalized(abs(p[n] - q[n]))),
    "residual not normalized": Variant(replaces=not_normalized),
    "residual one row late": Variant(
        replaces=lambda p, q, n: residual(p[n + 1], q[min(n + 1, len(q) - 1)])
    ),
    "residual of the first row": Variant(replaces=lambda p, q, n: residual(p[0], q[0])),
    "p without its likeliest token": Variant(replaces=without_the_drafted),
    "replacement by argmax": Variant(picks=lambda law, u: int(np.argmax(law))),
    "ratio inverted": Variant(accepts=lambda p, q, x, u: u * p[x] < q[x]),
    "accept everything": Variant(accepts=lambda p, q, x, u: True),
    "reject everything": Variant(accepts=lambda p, q, x, u: False),
    "accept when p >= q": Variant(accepts=lambda p, q, x, u: p[x] >= q[x]),
    "accept with chance p": Variant(accepts=lambda p, q, x, u: u < p[x]),
    "divide by the largest p": Variant(accepts=lambda p, q, x, u: u < p[x] / p.max()),
    "u <= a instead of u < a": Variant(accepts=lambda p, q, x, u: u <= p[x] / q[x]),
    "accept when u is large": Variant(accepts=lambda p, q, x, u: 1 - u < p[x] / q[x]),
    "bonus from q": Variant(bonus=lambda p, q: q[-1] if len(q) else p[0]),
    "bonus from the row before": Variant(bonus=lambda p, q: p[max(0, len(q) - 1)]),
    "acceptances counted, not the first rejection": Variant(counts=sum),
    "the last token never looked at": Variant(
        counts=lambda kept: (*kept[:-1], *[True] * bool(kept), False).index(False)
    ),
    "replacement reads an accept number": Variant(
        number=lambda accept, replace, n: accept[n] if n < len(accept) else replace
    ),
}


def test_the_variant_without_a_change_is_the_rule() -> None:
    check_rule(Variant())


@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_mistake_is_caught(name: str) -> None:
    with pytest.raises(AssertionError):
        check_rule(MUTANTS[name])
