"""The drafts learn the target's law: several rungs on the same batches, with one shared head.

The loss is the cross-entropy against the target's law, -sum p log q. Later in the run it gives way
to 1 - sum min(p, q), one minus the overlap, which is the thing wanted (alpha).
Both are exact: q is 0 outside the head, so nothing outside it adds to the overlap.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from training.chunked_loss import mixed_loss
from training.draft import (
    Draft,
    as_leaf,
    load_draft,
    more_rows,
    save_head,
    save_rung,
    tokens_seen,
    trainable,
)
from training.llama import matmul32
from training.recipe import Recipe
from training.target import Target
from training.texts.score import Scored


def losses(
    states: Tensor, head: Tensor, target_logits: Tensor, normalizer: Tensor, counted: Tensor
) -> tuple[Tensor, Tensor]:
    """Mean cross-entropy and mean overlap of N positions.

    states [N, hidden] are the draft's, head [H, hidden]; target_logits [N, H] and normalizer [N]
    give the target's law on the head's tokens; positions with counted [N] = 0 do not count.
    """
    law = torch.exp(target_logits - normalizer[:, None])  # sums to less than 1
    log_draft = F.log_softmax(F.linear(states, head.to(states.dtype)).float(), dim=-1)
    entropy = -(law * log_draft).sum(-1)
    overlap = torch.minimum(law, log_draft.exp()).sum(-1)
    total = counted.sum()
    return (entropy * counted).sum() / total, (overlap * counted).sum() / total


LOSSES: list[Callable[..., tuple[Tensor, Tensor]]] = [losses]


def compile_losses() -> None:
    """Fuse the loss with torch.compile (worth it on a GPU only)."""
    LOSSES[0] = torch.compile(losses, dynamic=False)


@dataclass
class Students:
    """The rungs in training, their shared head, and the optimizers."""

    rungs: list[Draft]
    head: Tensor
    token_ids: Tensor
    optimizers: list[torch.optim.Optimizer]

    @staticmethod
    def start(target: Target, token_ids: Tensor, recipe: Recipe) -> Students:
        """From the target's own layers and embedding rows."""
        head = as_leaf(target.embedding[token_ids])
        rungs = [Draft.start(target, n, head, token_ids) for n in recipe.depths]
        return Students(rungs, head, token_ids, optimizers(rungs, head, recipe))

    @staticmethod
    def start_from(target: Target, folder: Path, token_ids: Tensor, recipe: Recipe) -> Students:
        """From a draft trained before: each rung takes its first layers, all share its head.

        A head shorter than `token_ids` [recipe.head_rows], the most frequent ones, grows by those
        that it does not have.
        """
        early = load_draft(folder, target)
        if early.shape.layers < max(recipe.depths):
            raise ValueError(
                f"{folder} has {early.shape.layers} layers; {max(recipe.depths)} wanted"
            )
        rows, ids = early.head, early.token_ids
        if len(ids) < len(token_ids):
            rows, ids = more_rows(rows, ids, target.embedding, token_ids)
        head = as_leaf(rows)
        rungs = [replace(early.first(n, head), token_ids=ids) for n in recipe.depths]
        return Students(rungs, head, ids, optimizers(rungs, head, recipe))

    @staticmethod
    def resume(target: Target, folder: Path, recipe: Recipe) -> Students:
        """From saved rungs; the optimizers' averages start anew."""
        saved = [load_draft(folder / f"layers-{n}", target) for n in recipe.depths]
        head = as_leaf(saved[0].head)
        rungs = [
            Draft({k: as_leaf(w) for k, w in s.weights.items()}, s.shape, head, s.token_ids)
            for s in saved
        ]
        return Students(rungs, head, saved[0].token_ids, optimizers(rungs, head, recipe))

    def save(self, folder: Path, seen: int) -> None:
        """Write every rung and the head."""
        for rung in self.rungs:
            save_rung(rung, folder, seen)
        save_head(self.head, self.token_ids, folder, seen)

    def step(
        self, target: Target, batch: Scored, recipe: Recipe, progress: float, dtype: torch.dtype
    ) -> Tensor:
        """One update on one batch; returns each rung's overlap."""
        states, normalizer = batch.states.flatten(0, 1), batch.normalizer.flatten()
        counted, share = batch.counted.flatten().float(), overlap_share(recipe, progress)
        rows, says = target.embedding[self.token_ids], recipe.head_shares
        if states.device.type == "cpu":
            mine = [self._states(rung, target, batch, dtype) for rung in self.rungs]
            loss, parts = mixed_loss(
                mine, self.head, states, rows, normalizer, counted, share, says
            )
            torch.autograd.backward(loss)
            told = parts[1]
        else:
            overlaps = []
            logits = matmul32(states, rows.to(states.dtype).T)
            for rung, say in zip(self.rungs, says, strict=True):
                own = self._states(rung, target, batch, dtype)
                entropy, overlap = LOSSES[0](own, self.head, logits, normalizer, counted)
                torch.autograd.backward(say * ((1 - share) * entropy + share * (1 - overlap)))
                overlaps.append(overlap.detach())
            told = torch.stack(overlaps)
        rate = learning_rate(recipe, progress)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = group["peak"] * rate
            optimizer.step()
            optimizer.zero_grad()
        return told

    @staticmethod
    def _states(rung: Draft, target: Target, batch: Scored, dtype: torch.dtype) -> Tensor:
        return rung.states(target.embedding, batch.tokens, dtype).flatten(0, 1).to(dtype)


def optimizers(rungs: list[Draft], head: Tensor, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Muon (or AdamW) for the layers' matrices, AdamW for the head and the norms."""
    matrices, norms = trainable(rungs)
    adam: list[dict[str, object]] = [
        {"params": [head], "lr": recipe.head_rate},
        {"params": norms, "lr": recipe.norm_rate},
    ]
    made: list[torch.optim.Optimizer] = []
    if recipe.optimizer == "muon":
        muon = torch.optim.Muon(
            matrices,
            lr=recipe.matrix_rate,
            weight_decay=0.0,
            adjust_lr_fn="match_rms_adamw",
        )
        made.append(muon)
    else:
        adam.append({"params": matrices, "lr": recipe.matrix_rate})
    fused = head.device.type == "cuda"
    made.append(torch.optim.AdamW(adam, betas=(0.9, 0.98), weight_decay=0.0, fused=fused))
    for optimizer in made:
        for group in optimizer.param_groups:
            group["peak"] = group["lr"]
    return made


def learning_rate(recipe: Recipe, progress: float) -> float:
    """The share of the peak rate: a short climb, then a cosine down to 2%."""
    if progress < recipe.warmup:
        return max(0.01, progress / recipe.warmup)
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))


def overlap_share(recipe: Recipe, progress: float) -> float:
    """The overlap's share of the loss: 0, then a ramp over a tenth of the run."""
    ramp = (progress - recipe.overlap_from) / 0.1
    return recipe.overlap_share * min(1.0, max(0.0, ramp))


def batches(shards: list[Scored], batch_tokens: int, seed: int) -> Iterator[Scored]:
    """Endless batches of about `batch_tokens` positions, each from one shard; whole passes."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        todo = []
        for shard in shards:
            count, length = shard.tokens.shape
            rows = max(1, min(count, batch_tokens // length))
            order = torch.randperm(count, generator=generator)
            order = order[: count // rows * rows].to(shard.tokens.device)
            todo += [(shard, part) for part in order.split(rows)]  # type: ignore[no-untyped-call]
        for i in torch.randperm(len(todo), generator=generator).tolist():
            shard, part = todo[i]
            yield Scored(
                shard.tokens[part], shard.states[part], shard.normalizer[part], shard.counted[part]
            )


def distill(
    target: Target,
    shards: list[Scored],
    token_ids: Tensor,
    recipe: Recipe,
    folder: Path,
    dtype: torch.dtype,
    save_every: float = 60.0,
    start_from: Path | None = None,
) -> Students:
    """Train to the end of the budget; continue where saved weights stopped.

    Without saved weights: from the draft in `start_from`, or from the target's own layers.
    """
    head_file, done = folder / "head.safetensors", 0
    if head_file.exists():
        done = tokens_seen(head_file)
        students = Students.resume(target, folder, recipe)
    elif start_from is not None:
        students = Students.start_from(target, start_from, token_ids, recipe)
    else:
        students = Students.start(target, token_ids, recipe)
    start = saved = time.monotonic()
    recent: list[Tensor] = []
    step = 0
    for batch in batches(shards, recipe.batch_tokens, recipe.seed + done):
        elapsed = time.monotonic() - start
        progress = done / recipe.train_tokens
        if recipe.train_seconds:
            progress = max(progress, elapsed / recipe.train_seconds)
        if progress >= 1:
            break
        recent.append(students.step(target, batch, recipe, progress, dtype))
        done, step = done + batch.tokens.numel(), step + 1
        if step % 100 == 0 or step in (1, 10):
            mean = torch.stack(recent).mean(0).tolist()
            recent = []
            told = "  ".join(
                f"layers-{r.shape.layers} {m:.4f}"
                for r, m in zip(students.rungs, mean, strict=True)
            )
            print(
                f"distill: {progress:4.0%}, {done / 1e6:.2f} M tokens,"
                f" {time.monotonic() - start:.0f} s, overlap {told}",
                flush=True,
            )
        if time.monotonic() - saved > save_every:
            students.save(folder, done)
            saved = time.monotonic()
    students.save(folder, done)
    return students
