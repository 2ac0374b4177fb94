"""A layered draft: the target's first layers, its embedding, and a short output head.

The head has a row only for the most frequent tokens, and gives every other token probability 0.
It is ranked by the target's own mass, and its token ids ascend.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from training.llama import Shape, hidden_states
from training.target import TARGET_NAME, Target

FORMAT = "1"


def most_frequent(mass: Tensor, rows: int) -> Tensor:
    """Ids of the `rows` tokens with the largest mass, ascending.

    >>> most_frequent(torch.tensor([.1, .5, .0, .4]), 2).tolist()
    [1, 3]
    """
    return torch.topk(mass, rows).indices.sort().values


def more_rows(
    head: Tensor, token_ids: Tensor, embedding: Tensor, wanted: Tensor
) -> tuple[Tensor, Tensor]:
    """A trained head with further tokens -> its rows and ids, ascending.

    head [n, hidden] of `token_ids` [n]; embedding [vocab, hidden] the target's; `wanted` ids that
    must be in it. Training moved the head away from the target's rows, much in the same way for
    all tokens: a new row is the target's, moved by the affine map that fits the trained rows best
    (ridge regression). The rows that were there do not change.
    """
    fresh = wanted[~torch.isin(wanted, token_ids)]
    rows = embedding.float()
    one = rows.new_ones(len(rows), 1)
    known, new = (torch.cat([rows[ids], one[: len(ids)]], 1) for ids in (token_ids, fresh))
    square = known.T @ known + torch.eye(known.shape[1], device=rows.device)
    moved = new @ torch.linalg.solve(square, known.T @ head.float())
    order = torch.argsort(ids := torch.cat([token_ids, fresh]))
    return torch.cat([head.float(), moved])[order], ids[order]


@dataclass(frozen=True)
class Draft:
    """Layers and final norm (LlamaModel names), the head's rows and their token ids."""

    weights: Mapping[str, Tensor]
    shape: Shape
    head: Tensor  # [head rows, hidden]
    token_ids: Tensor  # [head rows], ascending

    @staticmethod
    def start(target: Target, layers: int, head: Tensor, token_ids: Tensor) -> Draft:
        """Copy the first layers and the final norm of the target, as trainable float32."""
        weights = _first_layers(target.weights, layers)
        return Draft(weights, replace(target.shape, layers=layers), head, token_ids)

    def first(self, layers: int, head: Tensor) -> Draft:
        """Its first layers and final norm, copied to be trained on, with a head to share."""
        weights = _first_layers(self.weights, layers)
        return Draft(weights, replace(self.shape, layers=layers), head, self.token_ids)

    def states(self, embedding: Tensor, tokens: Tensor, dtype: torch.dtype) -> Tensor:
        """Last hidden states [rows, length, hidden]."""
        return hidden_states(self.weights, self.shape, embedding, tokens, dtype)

    def log_law(self, embedding: Tensor, tokens: Tensor) -> Tensor:
        """log q over the full vocabulary [rows, length, vocab], -inf outside the head."""
        logits = self.states(embedding, tokens, torch.float32) @ self.head.float().T
        full = logits.new_full((*tokens.shape, self.shape.vocab), float("-inf"))
        full[..., self.token_ids] = logits.log_softmax(-1)
        return full


def save_rung(draft: Draft, folder: Path, tokens_seen: int) -> None:
    """Write `layers-N/model.safetensors` in bfloat16."""
    path = folder / f"layers-{draft.shape.layers}" / "model.safetensors"
    weights = {name: w.detach().to("cpu", torch.bfloat16) for name, w in draft.weights.items()}
    write(path, weights, layers=draft.shape.layers, tokens=tokens_seen)


def save_head(head: Tensor, token_ids: Tensor, folder: Path, tokens_seen: int) -> None:
    """Write the shared `head.safetensors`."""
    tensors = {
        "head.weight": head.detach().to("cpu", torch.bfloat16).contiguous(),
        "head.token_ids": token_ids.to("cpu", torch.int32).contiguous(),
    }
    write(folder / "head.safetensors", tensors, rows=len(token_ids), tokens=tokens_seen)


def write(path: Path, tensors: dict[str, Tensor], **metadata: object) -> None:
    """A safetensors file with the common metadata, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    notes = {"format": "pt", "draft_format": FORMAT, "target": TARGET_NAME}
    save_file(tensors, partial, notes | {key: str(value) for key, value in metadata.items()})
    partial.rename(path)


def tokens_seen(path: Path) -> int:
    """How many tokens the weights in a file had been trained on."""
    with safe_open(path, "pt") as file:
        return int((file.metadata() or {}).get("tokens", 0))


def load_draft(folder: Path, target: Target) -> Draft:
    """Read a rung; its head lies in its own file or one folder up, shared."""
    device = target.embedding.device
    tensors = load_file(folder / "model.safetensors", device=str(device))
    if "head.weight" not in tensors:
        tensors |= load_file(folder.parent / "head.safetensors", device=str(device))
    head, token_ids = tensors.pop("head.weight"), tensors.pop("head.token_ids")
    layers = 1 + max(int(n.split(".")[2]) for n in tensors if n.startswith("model.layers."))
    return Draft(
        {name: w.float() for name, w in tensors.items()},
        replace(target.shape, layers=layers),
        head.float(),
        token_ids.long(),
    )


def trainable(drafts: list[Draft]) -> tuple[list[Tensor], list[Tensor]]:
    """The layers' matrices and the norms of several drafts, apart."""
    every = [w for draft in drafts for w in draft.weights.values()]
    return [w for w in every if w.dim() == 2], [w for w in every if w.dim() == 1]


def _first_layers(weights: Mapping[str, Tensor], layers: int) -> dict[str, Tensor]:
    """The first layers and the final norm, copied to be trained."""
    wanted = (*(f"model.layers.{i}." for i in range(layers)), "model.norm.")
    return {name: as_leaf(w) for name, w in weights.items() if name.startswith(wanted)}


def as_leaf(tensor: Tensor) -> Tensor:
    """A float32 copy that collects gradients."""
    return tensor.detach().float().clone().requires_grad_()


__all__ = [
    "Draft",
    "as_leaf",
    "load_draft",
    "most_frequent",
    "save_head",
    "save_rung",
    "tokens_seen",
    "trainable",
    "write",
]
