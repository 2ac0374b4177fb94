"""The target writes the training texts, many rows at a time.

All rows start at position 0 and step together, so nothing is padded and no row needs a mask of its
own: while a row is still inside its prompt the next token is the prompt's, after it a sampled one.
A text that ends its turn goes on (the target then writes the next question itself), so no row is
wasted.

A token is drawn with the Gumbel trick: argmax(logits + T * noise), which at T = 0 is the argmax.
On a GPU one step is a CUDA graph, one for each multiple of SPAN positions looked back on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from training.llama import matmul32, rope_tables, run_layers
from training.recipe import Recipe
from training.target import Target
from training.texts.prompts import Prompts

SPAN = 64


def attention(q: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
    """One new position, q [rows, kv_heads, group, d], over keys [rows, kv_heads, span, d]."""
    return F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)


@dataclass(frozen=True)
class Texts:
    """Rows of equal length; the target wrote everything from `prompt_length` up to `length`."""

    tokens: NDArray[np.uint16]  # [rows, width]; what lies beyond `length` is filling
    prompt_length: NDArray[np.int32]  # [rows]
    length: NDArray[np.int32]  # [rows]
    temperature: NDArray[np.float32]  # [rows]
    kind: NDArray[np.int32]  # [rows], index into Prompts.kinds
    prompt: NDArray[np.int32]  # [rows], index into the prompts

    def save(self, path: Path) -> None:
        """Write to a temporary name first: a broken run leaves no half file."""
        partial = path.with_suffix(".partial.npz")
        np.savez(partial, **vars(self))
        partial.rename(path)

    @staticmethod
    def load(path: Path) -> Texts:
        """Read what `save` wrote."""
        with np.load(path) as file:
            return Texts(**{name: file[name] for name in Texts.__dataclass_fields__})

    def wrote(self) -> NDArray[np.bool_]:
        """True at positions whose next token the target wrote: from the prompt's last one on."""
        position = np.arange(self.tokens.shape[1])[None]
        return (position >= self.prompt_length[:, None] - 1) & (position < self.length[:, None] - 1)


class Sampler:
    """A batch of `rows` texts with a key-value cache of `length` positions."""

    def __init__(self, target: Target, rows: int, length: int, dtype: torch.dtype) -> None:
        shape, device = target.shape, target.embedding.device
        self.target, self.rows, self.length, self.dtype = target, rows, length, dtype
        self.weights = {name: w.to(dtype) for name, w in target.weights.items()}
        self.embedding = target.embedding.to(dtype)
        on_cpu = device.type == "cpu"  # where float32 is the fast way to a float32 product
        self.head = (target.embedding if on_cpu else self.embedding).T
        self.cos, self.sin = rope_tables(shape, length, device)
        cache = (shape.layers, rows, shape.kv_heads, length, shape.head_dim)
        self.keys = torch.zeros(cache, dtype=dtype, device=device)
        self.values = torch.zeros(cache, dtype=dtype, device=device)
        self.text = torch.zeros(rows, length + 1, dtype=torch.long, device=device)
        self.prompt_length = torch.zeros(rows, dtype=torch.long, device=device)
        self.temperature = torch.ones(rows, 1, device=device)
        self.position = torch.zeros(1, dtype=torch.long, device=device)
        self.graphs: dict[int, torch.cuda.CUDAGraph] = {}

    def step(self, span: int) -> None:
        """Advance every row by one token, looking back on at most `span` positions."""
        shape, rows, here = self.target.shape, self.rows, self.position
        group = shape.heads // shape.kv_heads
        masked = here.device.type == "cuda"  # on the CPU the span is exact
        seen = torch.arange(span, device=here.device) <= here
        bias = torch.zeros(span, dtype=self.dtype, device=here.device)
        bias = bias.masked_fill(~seen, float("-inf"))

        def attend(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            self.keys[layer].index_copy_(2, here, k[:, :, None])
            self.values[layer].index_copy_(2, here, v[:, :, None])
            keys, values = self.keys[layer][:, :, :span], self.values[layer][:, :, :span]
            q = q.view(rows, shape.kv_heads, group, shape.head_dim)  # heads that share a key
            mask = bias.expand(rows, shape.kv_heads, group, span) if masked else None
            return attention(q, keys, values, mask).reshape(rows, -1)

        x = F.embedding(self.text.index_select(1, here)[:, 0], self.embedding).float()
        cos = self.cos.index_select(0, here).expand(rows, -1)
        sin = self.sin.index_select(0, here).expand(rows, -1)
        x = run_layers(self.weights, shape, x, cos, sin, attend, self.dtype)
        logits = matmul32(x.to(self.head.dtype), self.head)
        # -log(-log(uniform)) is Gumbel noise; torch's own exponential_ is slow on a CPU.
        noise = (
            torch.rand_like(logits).clamp_(min=1e-12).log_().neg_().log_().mul_(self.temperature)
        )
        drawn = logits.sub_(noise).argmax(-1, keepdim=True)
        given = self.text.index_select(1, here + 1)
        inside = (here + 1 < self.prompt_length)[:, None]
        self.text.index_copy_(1, here + 1, torch.where(inside, given, drawn))
        here.add_(1)

    def _graph(self, span: int) -> torch.cuda.CUDAGraph:
        """The step for one span, recorded once."""
        if span not in self.graphs:
            kept = self.text.clone(), self.position.clone()
            side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):  # warm up outside the recording
                self.step(span)
            torch.cuda.current_stream().wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            shared = next(iter(self.graphs.values())).pool() if self.graphs else None
            with torch.cuda.graph(graph, pool=shared):  # they never run at the same time
                self.step(span)
            self.text.copy_(kept[0])
            self.position.copy_(kept[1])
            self.graphs[span] = graph
        return self.graphs[span]

    @torch.inference_mode()
    def run(
        self, prompts: list[NDArray[np.int32]], temperature: Tensor, length: int, seed: int
    ) -> Tensor:
        """Texts [rows, length] for one prompt and one temperature a row; the seed fixes them."""
        given = np.zeros(self.text.shape, np.int64)
        for row, ids in enumerate(prompts):
            given[row, : len(ids)] = ids
        self.text.copy_(torch.from_numpy(given))
        self.prompt_length.copy_(torch.tensor([len(ids) for ids in prompts]))
        self.temperature.copy_(temperature[:, None])
        self.position.zero_()
        on_gpu = self.text.device.type == "cuda"
        if on_gpu:
            for span in range(SPAN, length + 1, SPAN):
                self._graph(span)
        torch.manual_seed(seed)
        for position in range(length - 1):
            if on_gpu:
                self._graph(-(-(position + 1) // SPAN) * SPAN).replay()
            else:
                self.step(position + 1)
        return self.text[:, :length].clone()


def draw_texts(sampler: Sampler, prompts: Prompts, recipe: Recipe, length: int, seed: int) -> Texts:
    """One shard: prompts and temperatures drawn from the seed, then the texts."""
    rng = np.random.default_rng(seed)
    chosen = prompts.draw(rng, sampler.rows)
    shares = np.array(recipe.temperature_shares)
    heat = rng.choice(recipe.temperatures, sampler.rows, p=shares / shares.sum())
    ids = [prompts.ids[i][:length] for i in chosen]
    tokens = sampler.run(ids, torch.tensor(heat, dtype=torch.float32), length, seed)
    return Texts(
        tokens=tokens.cpu().numpy().astype(np.uint16),
        prompt_length=np.array([len(i) for i in ids], np.int32),
        length=np.full(len(ids), length, np.int32),
        temperature=heat.astype(np.float32),
        kind=prompts.kind[chosen],
        prompt=chosen.astype(np.int32),
    )


def sample(
    target: Target,
    prompts: Prompts,
    recipe: Recipe,
    folder: Path,
    dtype: torch.dtype,
    until: float = math.inf,
) -> Iterator[Texts]:
    """All shards, written to `folder` as they are made; those already there are read.

    No shard is begun after the monotonic time `until`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sampler: Sampler | None = None
    done, index, start = 0, 0, time.monotonic()
    while done < recipe.sample_tokens:
        if time.monotonic() > until:
            break
        path = folder / f"shard-{index:03d}.npz"
        if path.exists():
            texts = Texts.load(path)
        else:
            sampler = sampler or Sampler(target, recipe.rows, max(recipe.lengths), dtype)
            length = recipe.lengths[index % len(recipe.lengths)]
            texts = draw_texts(sampler, prompts, recipe, length, recipe.seed * 1000 + index)
            texts.save(path)
        done, index = done + texts.tokens.size, index + 1
        seconds = time.monotonic() - start
        print(
            f"sample: shard {index}, {done / 1e6:.2f} of {recipe.sample_tokens / 1e6:.1f} M tokens,"
            f" {seconds:.0f} s",
            flush=True,
        )
        yield texts
