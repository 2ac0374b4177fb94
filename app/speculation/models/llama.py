"""A Llama's forward pass in as few steps as it takes, for one text read a few tokens at a time.

For a model this small, software around the arithmetic costs as much as the arithmetic. So: what
reads the same input is one matrix (q, k and v; gate and up), keys and values lie in one buffer that
is cut back by changing a number, the rotations are computed once, and only the rows that are asked
for reach the output head. Attention is written as plain products, in float32 whatever the precision
of the weights.

Rotary position embedding (Su et al., arXiv 2104.09864) turns pairs of numbers by an angle. Where
the pairs are neighbors, a pair is a complex number and the turn one complex product; `interleaved`
reorders the rows of the weights so that they are. Scores do not change by it, since queries and
keys are reordered alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F

from speculation.models.language_model import Logits, to_numpy
from speculation.models.matrices import Matrix

FIRST_ROOM = 256  # tokens that a new buffer of keys and values has room for
BLOCK = 256  # most tokens read at once: bounds the memory that attention takes


@dataclass(frozen=True)
class Shape:
    """The sizes of a Llama; eps and theta as in its config."""

    heads: int
    kv_heads: int
    head_dim: int
    eps: float
    theta: float


@dataclass(frozen=True)
class Layer:
    """One decoder layer; the rows of queries and keys are interleaved."""

    attention_norm: torch.Tensor  # [hidden]
    qkv: Matrix  # -> (heads + 2 * kv_heads) * head_dim
    attention_out: Matrix
    mlp_norm: torch.Tensor  # [hidden]
    gate_up: Matrix  # -> 2 * intermediate
    down: Matrix


@dataclass(frozen=True)
class Llama:
    """All that a pass needs.

    embedding  [V, hidden]
    norm       [hidden], the last norm
    head       -> S, the size of the support
    widths     rows that a product over n rows is made with, by n: where a kernel is slow for few
               rows, more are cheaper; beyond the table, n itself
    """

    shape: Shape
    embedding: torch.Tensor
    layers: tuple[Layer, ...]
    norm: torch.Tensor
    head: Matrix
    widths: tuple[int, ...] = ()

    def first(self, layers: int) -> "Llama":
        """The same with its first layers only; nothing is copied."""
        return replace(self, layers=self.layers[:layers])

    def width(self, rows: int) -> int:
        """How many rows to make a product over `rows` rows with."""
        return self.widths[rows] if rows < len(self.widths) else rows


def interleaved(weight: torch.Tensor, head_dim: int) -> torch.Tensor:
    """Rows (or a bias) of queries or keys, [heads * head_dim, ...], with each pair side by side.

    >>> interleaved(torch.arange(4), 4).tolist()
    [0, 2, 1, 3]
    """
    pairs = weight.view(-1, 2, head_dim // 2, *weight.shape[1:])
    return pairs.transpose(1, 2).reshape(weight.shape)


def rotations(shape: Shape, first: int, last: int, device: torch.device) -> torch.Tensor:
    """cos + i sin of every angle at positions first to last - 1, complex [n, 1, head_dim / 2]."""
    steps = torch.arange(0, shape.head_dim, 2, dtype=torch.float32, device=device)
    frequency = 1.0 / shape.theta ** (steps / shape.head_dim)
    places = torch.arange(first, last, dtype=torch.float32, device=device)
    angles = torch.outer(places, frequency)[:, None]
    return torch.complex(angles.cos(), angles.sin())


class LlamaContext:
    """A text read by a Llama: keys and values of every layer in one buffer, and a length."""

    def __init__(self, model: Llama) -> None:
        self._model = model
        self.length = 0
        self._none = torch.zeros(1, device=model.embedding.device)
        self._buffer, self._turns = self._room(FIRST_ROOM)

    def _room(self, tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
        """An empty buffer [layers, 2, kv_heads, tokens, head_dim], and the rotations for it."""
        shape, device = self._model.shape, self._model.embedding.device
        sizes = (len(self._model.layers), 2, shape.kv_heads, tokens, shape.head_dim)
        return torch.empty(sizes, device=device), rotations(shape, 0, tokens, device)

    @property
    def nbytes(self) -> int:
        return self._buffer.nbytes

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """See `Context`. A token beyond the vocabulary is read as the last one."""
        model, n = self._model, len(tokens)
        total = self.length + n
        if total > self._buffer.shape[3]:
            larger, self._turns = self._room(2 * total)
            larger[:, :, :, : self.length] = self._buffer[:, :, :, : self.length]
            self._buffer = larger
        last = len(model.embedding) - 1
        ids = torch.tensor([min(x, last) for x in tokens], dtype=torch.int64)
        ids = ids.to(model.embedding.device)
        kept = [self._read(ids[i : i + BLOCK], n - rows - i) for i in range(0, n, BLOCK)]
        x = kept[0] if len(kept) == 1 else torch.cat([*kept, model.embedding[:0]])
        return to_numpy(self._scores(x))

    def _scores(self, x: torch.Tensor) -> torch.Tensor:
        """The head's scores after rows of hidden states, [n, hidden] -> [n, S]."""
        model, n = self._model, len(x)
        x = F.pad(x, (0, 0, 0, model.width(n) - n)) if model.width(n) > n else x
        return model.head(self._normed(x, model.norm))[:n]

    def _read(self, ids: torch.Tensor, skip: int) -> torch.Tensor:
        """Read some tokens -> hidden states after all but the first `skip`, [n - skip, hidden]."""
        model, n, past = self._model, len(ids), self.length
        width = model.width(n)
        x = model.embedding[ids]
        if width > n:
            x = F.pad(x, (0, 0, 0, width - n))
        mixed = x.new_zeros((width, model.shape.heads * model.shape.head_dim))
        turn, mask = self._turns[past : past + n], self._mask(n)
        for layer, buffer in zip(model.layers, self._buffer, strict=True):
            qkv = layer.qkv(self._normed(x, layer.attention_norm))
            self._attend(qkv[:n], buffer, turn, mask, mixed[:n])
            x = x + layer.attention_out(mixed)
            gate, up = layer.gate_up(self._normed(x, layer.mlp_norm)).chunk(2, dim=-1)
            x = x + layer.down(F.silu(gate).mul_(up))
        self.length = past + n
        return x[max(0, skip) : n]

    def _normed(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, weight.shape, weight, self._model.shape.eps)

    def _mask(self, n: int) -> torch.Tensor | None:
        """What is added to the scores, [n * group, total]: row i sees everything up to itself."""
        if n == 1:
            return None
        shape, total = self._model.shape, self.length + n
        hidden = torch.full((n, total), float("-inf"), device=self._buffer.device)
        return hidden.triu_(self.length + 1).repeat_interleave(shape.heads // shape.kv_heads, 0)

    def _attend(
        self,
        qkv: torch.Tensor,
        buffer: torch.Tensor,
        turn: torch.Tensor,
        mask: torch.Tensor | None,
        mixed: torch.Tensor,
    ) -> None:
        """Grouped-query attention over everything read so far, written into `mixed`.

        qkv     [n, (heads + 2 * kv_heads) * head_dim]
        buffer  [2, kv_heads, room, head_dim], this layer's keys and values
        turn    [n, 1, head_dim / 2], complex
        mixed   [n, heads * head_dim]
        """
        shape, n, past = self._model.shape, len(qkv), self.length
        heads, kv_heads, dim = shape.heads, shape.kv_heads, shape.head_dim
        group, total = heads // kv_heads, past + n
        split = qkv.float().view(n, heads + 2 * kv_heads, dim)
        pairs = torch.view_as_complex(split.view(n, -1, dim // 2, 2)[:, : heads + kv_heads])
        qk = torch.view_as_real(pairs * turn).flatten(-2)  # [n, heads + kv_heads, dim]
        buffer[0, :, past:total] = qk[:, heads:].transpose(0, 1)
        buffer[1, :, past:total] = split[:, heads + kv_heads :].transpose(0, 1)
        keys, values = buffer[0, :, :total], buffer[1, :, :total]  # [kv_heads, total, dim]
        # The queries of a group share a key head: they are rows of one product.
        q = qk[:, :heads].reshape(n, kv_heads, group, dim).transpose(0, 1)
        q = q.reshape(kv_heads, n * group, dim)
        beta = 0 if mask is None else 1
        scores = torch.baddbmm(
            self._none if mask is None else mask,
            q,
            keys.transpose(1, 2),
            beta=beta,
            alpha=dim**-0.5,
        )
        found = torch.bmm(scores.softmax(dim=-1), values)  # [kv_heads, n * group, dim]
        mixed.view(n, kv_heads, group, dim).copy_(
            found.view(kv_heads, n, group, dim).transpose(0, 1)
        )

    def crop(self, length: int) -> None:
        """See `Context`."""
        if not 0 <= length <= self.length:
            raise ValueError(f"cannot crop a context of {self.length} tokens to {length}")
        self.length = length

    def copy(self) -> "LlamaContext":
        """See `Context`."""
        other = LlamaContext.__new__(LlamaContext)
        other.__dict__.update(self.__dict__)
        with torch.inference_mode():
            other._buffer = self._buffer.clone()
        return other
