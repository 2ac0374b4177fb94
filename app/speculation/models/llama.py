"""A Llama's forward pass in as few steps as it takes, for one text read a few tokens at a time.

For a model this small, software around the arithmetic costs as much as the arithmetic. So: what
reads the same input is one matrix (q, k and v; gate and up), keys and values lie in one buffer that
is cut back by changing a number, the rotations are computed once, and only the rows that are asked
for reach the output head. Products run in the precision of the weights; what lies between them (the
residual stream, norms, attention) is float32 always.

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


class Norm:
    """x / rms(x) * weight for x [n, hidden] in float32 (Zhang and Sennrich, arXiv 1910.07467).

    Written with the length of x, since sqrt(mean of squares + eps) is
    sqrt(|x|^2 + hidden * eps) / sqrt(hidden): four small steps where torch's own takes a dozen.

    >>> Norm(torch.ones(2), eps=0.0)(torch.tensor([[3.0, -3.0]]))
    tensor([[ 1., -1.]])
    """

    def __init__(self, weight: torch.Tensor, eps: float) -> None:
        hidden = len(weight)
        self._weight = weight.float() * hidden**0.5
        self._least = torch.tensor([(hidden * eps) ** 0.5], device=weight.device)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        return x.div(torch.hypot(length, self._least)).mul_(self._weight)


@dataclass(frozen=True)
class Layer:
    """One decoder layer; the rows of queries and keys are interleaved."""

    attention_norm: Norm
    qkv: Matrix  # -> (heads + 2 * kv_heads) * head_dim
    attention_out: Matrix
    mlp_norm: Norm
    gate_up: Matrix  # -> 2 * intermediate
    down: Matrix


@dataclass(frozen=True)
class Llama:
    """All that a pass needs.

    embedding  [V, hidden]
    norm       the last one
    head       -> S, the size of the support
    widths     rows that a product over n rows is made with, by n: where a kernel is slow for few
               rows, more are cheaper; beyond the table, n itself
    """

    shape: Shape
    embedding: torch.Tensor
    layers: tuple[Layer, ...]
    norm: Norm
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
        self._buffer, self._turns = self._room(FIRST_ROOM)

    def _room(self, tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
        """An empty buffer [layers, 2 * kv_heads, tokens, head_dim], and the rotations for it."""
        shape, device = self._model.shape, self._model.embedding.device
        sizes = (len(self._model.layers), 2 * shape.kv_heads, tokens, shape.head_dim)
        return torch.empty(sizes, device=device), rotations(shape, 0, tokens, device)

    @property
    def nbytes(self) -> int:
        return self._buffer.nbytes

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """See `Context`. A token beyond the vocabulary is read as the last one."""
        model, n = self._model, len(tokens)
        total = self.length + n
        if total > self._buffer.shape[2]:
            larger, self._turns = self._room(2 * total)
            larger[:, :, : self.length] = self._buffer[:, :, : self.length]
            self._buffer = larger
        last = len(model.embedding) - 1
        ids = torch.tensor([min(x, last) for x in tokens], dtype=torch.int64)
        ids = ids.to(model.embedding.device)
        kept = [self._read(ids[i : i + BLOCK], n - rows - i) for i in range(0, n, BLOCK)]
        x = kept[0] if len(kept) == 1 else torch.cat([*kept, model.embedding[:0].float()])
        return to_numpy(self._scores(x))

    def _scores(self, x: torch.Tensor) -> torch.Tensor:
        """The head's scores after rows of hidden states, [n, hidden] -> [n, S]."""
        model, n = self._model, len(x)
        x = F.pad(x, (0, 0, 0, model.width(n) - n)) if model.width(n) > n else x
        return model.head(model.norm(x).to(model.embedding.dtype))[:n]

    def _read(self, ids: torch.Tensor, skip: int) -> torch.Tensor:
        """Read some tokens -> hidden states after all but the first `skip`, [n - skip, hidden]."""
        model, n, past = self._model, len(ids), self.length
        shape, dtype = model.shape, model.embedding.dtype
        width, total = model.width(n), past + n
        x = model.embedding[ids].float()
        if width > n:
            x = F.pad(x, (0, 0, 0, width - n))
        mixed = torch.zeros(
            (width, shape.heads * shape.head_dim), dtype=dtype, device=self._buffer.device
        )
        turn, mask = self._turn(n), self._mask(n)
        # What every layer needs of the buffer, cut out once: each cut costs as much as a product.
        new = self._buffer[:, :, past:total].transpose(1, 2).unbind()
        keys = self._buffer[:, : shape.kv_heads, :total].transpose(2, 3).unbind()
        values = self._buffer[:, shape.kv_heads :, :total].unbind()
        for i, layer in enumerate(model.layers):
            qkv = layer.qkv(layer.attention_norm(x).to(dtype))[:n]
            _attend(shape, qkv, (new[i], keys[i], values[i]), turn, mask, mixed[:n])
            x += layer.attention_out(mixed)
            gate, up = layer.gate_up(layer.mlp_norm(x).to(dtype)).chunk(2, dim=-1)
            x += layer.down(F.silu(gate).mul_(up))
        self.length = total
        return x[max(0, skip) : n]

    def _turn(self, n: int) -> torch.Tensor:
        """What queries, keys and values are multiplied by, [n, heads + 2 * kv_heads, dim / 2].

        Queries are scaled by 1 / sqrt(dim) on the way, and values stay as they are.
        """
        shape, turns = self._model.shape, self._turns[self.length : self.length + n]
        queries = (turns * shape.head_dim**-0.5).expand(-1, shape.heads, -1)
        keys = turns.expand(-1, shape.kv_heads, -1)
        return torch.cat((queries, keys, torch.ones_like(keys)), dim=1)

    def _mask(self, n: int) -> torch.Tensor | None:
        """What is added to the scores, [n * group, total]: row i sees everything up to itself."""
        if n == 1:
            return None
        shape, total = self._model.shape, self.length + n
        hidden = torch.full((n, total), float("-inf"), device=self._buffer.device)
        return hidden.triu_(self.length + 1).repeat_interleave(shape.heads // shape.kv_heads, 0)

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


def _attend(
    shape: Shape,
    qkv: torch.Tensor,
    cache: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    turn: torch.Tensor,
    mask: torch.Tensor | None,
    mixed: torch.Tensor,
) -> None:
    """Grouped-query attention over everything read so far, written into `mixed`.

    qkv    [n, (heads + 2 * kv_heads) * head_dim]
    cache  where new keys and values go, [n, 2 * kv_heads, dim]; all keys, [kv_heads, dim, total];
           all values, [kv_heads, total, dim]
    turn   [n, heads + 2 * kv_heads, dim / 2], complex
    mask   [n * group, total]; None for a single row, which sees everything
    mixed  [n, heads * head_dim]
    """
    (new, keys, values), n, kv_heads = cache, len(qkv), shape.kv_heads
    pairs = torch.view_as_complex(qkv.float().view(n, -1, shape.head_dim // 2, 2))
    turned = torch.view_as_real(pairs * turn).view(n, -1, shape.head_dim)
    new.copy_(turned[:, shape.heads :])
    # The queries of a group share a key head: they are rows of one product.
    q = turned[:, : shape.heads]
    if n == 1:
        q = q.view(kv_heads, -1, shape.head_dim)
    else:
        q = q.reshape(n, kv_heads, -1, shape.head_dim).transpose(0, 1)
        q = q.reshape(kv_heads, -1, shape.head_dim)
    scores = torch.bmm(q, keys) if mask is None else torch.baddbmm(mask, q, keys)
    found = torch.bmm(scores.softmax(dim=-1), values)  # [kv_heads, n * group, dim]
    found = found.view(kv_heads, n, -1, shape.head_dim).transpose(0, 1)
    mixed.view(found.shape).copy_(found)
