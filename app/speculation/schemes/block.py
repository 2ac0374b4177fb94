"""Block verification: judge the drafts together, and keep more of them.

The exact rule stops at the first token that fails its own test. But a block as a whole may be one
that the target likes, its weak token made good by a strong one after it. Carry

    w_0 = 1,   w_i = min(1, w_{i-1} p_i(x_i) / q_i(x_i))

from left to right: how much of the draft's flow into this prefix the target can take. The longest
prefix that passes its test is kept, where prefix i passes with

    h_i = s_i / (s_i + 1 - w_i),   s_i = sum over x of max(0, w_i p(x) - q(x)),   h_k = w_k,

and the token after it is drawn from max(0, w_i p - q), normalized (from p after all k).
Why it is exact: the chance that at least i drafts are kept, given the first i, is w_i; and from
there each next token is owed max(0, w_i p - q).

Source: Sun et al., "Block Verification Accelerates Speculative Decoding" (arXiv 2403.10444),
algorithm 2. Its example: p = (1/3, 2/3), q = (2/3, 1/3) at every position and k = 2 keep 11/9
drafts on average, where the token-by-token rule keeps 10/9.
"""

import numpy as np

from speculation.dice import Purpose
from speculation.rule import Law
from speculation.schemes.base import Block, Ruling, Scheme
from speculation.schemes.random_numbers import Turn


class BlockVerification(Scheme):
    """The longest prefix that passes stands. A verdict reads later drafts, so whether a position
    is drafted again depends on what had been drafted there: numbers are addressed by cycle."""

    name = "block-verification"
    case = "Sun et al., arXiv 2403.10444"
    judge = "block"
    reads_later = True

    def verify(self, block: Block, turn: Turn) -> Ruling:
        k = len(block.drafted)
        weights = prefix_weights(block)
        if k == 0 or turn.below(weights[k], Purpose.ACCEPT, k - 1):
            return self.bonus(block, turn)
        for i in range(k - 1, -1, -1):
            owed = np.maximum(weights[i] * block.target_probs[i] - block.draft_probs[i], 0.0)
            mass = float(owed.sum())
            short = 1.0 - weights[i]
            passes = mass / (mass + short) if mass + short > 0.0 else 1.0
            if i == 0 or turn.below(passes, Purpose.ACCEPT, i - 1):
                left = owed / mass if mass > np.finfo(np.float64).eps else block.target_probs[i]
                return Ruling(i, turn.draw(left, Purpose.REPLACE, i), left, left)
        raise AssertionError("the empty prefix always passes")


def prefix_weights(block: Block) -> list[float]:
    """w_0 to w_k: how much of the draft's flow into each prefix the target can take.

    >>> p, q = np.array([[1, 2]] * 3) / 3, np.array([[2, 1]] * 2) / 3
    >>> prefix_weights(Block(p, q, [0, 1]))          # a weak token, then a strong one
    [1.0, 0.5, 1.0]
    """
    weights = [1.0]
    for i, token in enumerate(block.drafted):
        ratio = float(block.target_probs[i][token]) / float(block.draft_probs[i][token])
        weights.append(min(1.0, weights[-1] * ratio))
    return weights


class BlockWithReusedNumbers(BlockVerification):
    """Planted: block verification with numbers addressed by position alone.

    A number that made an earlier cycle keep or drop a prefix is read again for the same position.
    With p = (1/3, 2/3), q = (2/3, 1/3), k = 3 the first three tokens are
    off by TV .053; one cycle shows nothing.
    """

    name = "block-reused-numbers"
    exact = False
    claims = "block-verification"
    case = "the reason why an address has a cycle number"
    seen_by = "text"
    reads_later = False
    reuses_numbers = True


def expected_kept(p: Law, q: Law, k: int) -> tuple[float, float]:
    """Drafts kept a cycle, by block and token by token, for laws that are the same everywhere.

    >>> thirds = np.array([1, 2]) / 3
    >>> expected_kept(thirds, thirds[::-1], 2)       # 11/9 and 10/9
    (1.222..., 1.111...)
    """
    by_block = by_token = 0.0
    flow = {1.0: 1.0}  # weight of the prefix -> probability of such prefixes
    for i in range(k):
        following: dict[float, float] = {}
        for weight, mass in flow.items():
            for x in np.flatnonzero(q):
                after = min(1.0, weight * float(p[x] / q[x]))
                following[after] = following.get(after, 0.0) + mass * float(q[x])
        flow = following
        by_block += sum(weight * mass for weight, mass in flow.items())
        by_token += float(np.minimum(p, q).sum()) ** (i + 1)
    return by_block, by_token
