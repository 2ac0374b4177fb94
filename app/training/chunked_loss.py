"""The loss of `distill.losses` with its gradient written out, a few positions at a time.

On a CPU the plain form spends its time moving [N, H] tables of float32 through memory, a dozen of
them forward and as many back. Here a chunk of positions stays in the cache, the target's law is
computed once for all rungs, and one sweep gives the losses and their gradients. With q the softmax
of the draft's scores z, and p the target's law on the head's tokens (which sums to less than 1):

    d/dz (-sum p log q)       =  q sum(p) - p
    d/dz (1 - sum min(p, q))  =  q sum(kept) - kept,   kept = q where q < p, else 0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

ROWS = 256  # positions at a time: [256, 8192] float32 is 8 MB


class _Divergence(torch.autograd.Function):
    """The mixed loss of several rungs; both parts of each are returned to be told."""

    @staticmethod
    def forward(
        ctx: Any,
        head: Tensor,
        target_states: Tensor,
        target_rows: Tensor,
        normalizer: Tensor,
        counted: Tensor,
        share: float,
        says: Sequence[float],
        *states: Tensor,
    ) -> tuple[Tensor, Tensor]:
        short = head.to(states[0].dtype)
        by_state = [torch.empty_like(one) for one in states]
        slopes = [one.new_empty(len(one), len(head)) for one in states]
        parts = torch.zeros(2, len(states))
        weight = counted / counted.sum()
        for start in range(0, len(weight), ROWS):
            here = slice(start, start + ROWS)
            w = weight[here, None]
            law = (target_states[here].float() @ target_rows.T).sub_(normalizer[here, None]).exp_()
            for r, (one, say) in enumerate(zip(states, says, strict=True)):
                q = (one[here] @ short.T).float().log_softmax(-1)
                parts[0, r] -= ((law * q).sum(-1, keepdim=True) * w).sum()
                q.exp_()
                parts[1, r] += (torch.minimum(law, q).sum(-1, keepdim=True) * w).sum()
                kept = torch.where(q < law, q, 0.0)
                pull = (1 - share) * law.sum(-1, keepdim=True) + share * kept.sum(-1, keepdim=True)
                slope = q.mul_(pull).sub_(law, alpha=1 - share).sub_(kept, alpha=share)
                small = slope.mul_(say * w).to(one.dtype)
                by_state[r][here], slopes[r][here] = small @ short, small
        by_head = torch.zeros_like(head)
        for slope, one in zip(slopes, states, strict=True):
            by_head += slope.T @ one
        ctx.save_for_backward(by_head, *by_state)
        says_ = torch.tensor(says)
        loss = (says_ * ((1 - share) * parts[0] + share * (1 - parts[1]))).sum()
        ctx.mark_non_differentiable(parts)
        return loss, parts

    @staticmethod
    def backward(ctx: Any, slope: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        by_head, *by_state = ctx.saved_tensors
        return slope * by_head, None, None, None, None, None, None, *(slope * g for g in by_state)


def mixed_loss(
    states: Sequence[Tensor],
    head: Tensor,
    target_states: Tensor,
    target_rows: Tensor,
    normalizer: Tensor,
    counted: Tensor,
    share: float,
    says: Sequence[float],
) -> tuple[Tensor, Tensor]:
    """The rungs' losses, weighted by `says` and added up; and each one's two parts [2, rungs].

    states        each rung's last hidden states [N, hidden]
    head          [H, hidden], shared
    target_states [N, hidden] and target_rows [H, hidden]: their products are the target's logits
    normalizer    [N]; counted [N], 0 where a position does not count
    share         of the overlap in the loss, see `distill.overlap_share`

    The parts are mean cross-entropy and mean overlap, as `distill.losses` gives them.
    """
    loss, parts = _Divergence.apply(  # type: ignore[no-untyped-call]
        head, target_states, target_rows, normalizer, counted, share, tuple(says), *states
    )
    return loss, parts
