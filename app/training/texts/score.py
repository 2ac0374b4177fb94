"""The target's own law at every position of a text, computed once.

What is kept is not the law (49,152 numbers) but the last hidden state it comes from (576 numbers
in float16) and the logarithm of its normalizer. Any part of the law is then one small matrix
product away, and exact over the full vocabulary:

    p(token) = exp(state . embedding[token] - normalizer)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from training.llama import hidden_states, matmul32
from training.target import Target
from training.texts.sample import Texts

CHUNK = 8_192  # positions whose full law is in memory at once
KEPT = ("states", "normalizer", "mass")


@dataclass(frozen=True)
class Scored:
    """A shard of texts with the target's law at every position."""

    tokens: Tensor  # [rows, length]
    states: Tensor  # [rows, length, hidden] float16
    normalizer: Tensor  # [rows, length]
    counted: Tensor  # [rows, length] bool: the target wrote what follows this position


@torch.inference_mode()
def target_states(target: Target, tokens: Tensor, batch_tokens: int, dtype: torch.dtype) -> Tensor:
    """Last hidden states [rows, length, hidden] in float16, a few rows at a time."""
    weights = {name: w.to(dtype) for name, w in target.weights.items()}
    embedding = target.embedding.to(dtype)
    rows = max(1, batch_tokens // tokens.shape[1])
    return torch.cat(
        [
            hidden_states(weights, target.shape, embedding, part, dtype).half()
            for part in tokens.split(rows)  # type: ignore[no-untyped-call]
        ]
    )


@torch.inference_mode()
def normalizers(states: Tensor, embedding16: Tensor, mass: Tensor | None = None) -> Tensor:
    """log sum exp of the full logits for states [..., hidden]; adds each token's mass to `mass`."""
    found = []
    for part in states.flatten(0, -2).split(CHUNK):  # type: ignore[no-untyped-call]
        logits = matmul32(part, embedding16.T)
        found.append(logits.logsumexp(-1))
        if mass is not None:
            mass += logits.sub_(found[-1][:, None]).exp_().sum(0)
    return torch.cat(found).view(states.shape[:-1])


class Scorer:
    """Scores shards and adds up the mass of every token, from which the head is chosen."""

    def __init__(self, target: Target, batch_tokens: int, dtype: torch.dtype) -> None:
        self.target, self.batch_tokens, self.dtype = target, batch_tokens, dtype
        self.embedding16 = target.embedding.half()
        self.mass = torch.zeros(target.shape.vocab, device=target.embedding.device)

    @torch.inference_mode()
    def score(self, texts: Texts, store: Path | None = None) -> Scored:
        """One shard; with `store` (.npz), the results are read from or written to that file."""
        device = self.target.embedding.device
        tokens = torch.from_numpy(texts.tokens.astype(np.int64)).to(device)
        counted = torch.from_numpy(texts.wrote()).to(device)
        if store and store.exists():
            with np.load(store) as kept:
                states, normalizer, mass = (torch.from_numpy(kept[n]).to(device) for n in KEPT)
        else:
            states = target_states(self.target, tokens, self.batch_tokens, self.dtype)
            normalizer = normalizers(states, self.embedding16)
            some = slice(0, max(1, len(tokens) // 8))  # the masses need not see every row
            mass = torch.zeros_like(self.mass)
            normalizers(states[some][counted[some]], self.embedding16, mass)
            if store:
                store.parent.mkdir(parents=True, exist_ok=True)
                partial = store.with_suffix(".partial.npz")
                found = (x.cpu().numpy() for x in (states, normalizer, mass))
                arrays: dict[str, Any] = dict(zip(KEPT, found, strict=True))
                np.savez(partial, **arrays)
                partial.rename(store)
        self.mass += mass
        return Scored(tokens, states, normalizer, counted)
