"""The shipped drafts: the first layers of the target, fine-tuned, with a short output head.

A draft must be cheap before it is good: its k steps are paid one after another in every cycle.
Two things make these cheap. They have few layers, and their output head scores only the most
frequent tokens (8,192 or 12,288 of 49,152; FR-Spec, arXiv 2502.14856): their law is 0 elsewhere,
which any verifier allows, since q may be any law.

The forward pass is written out by hand, because for a model this small the time goes into the
layers of software around the arithmetic: joined projections, one preallocated cache, and plain
matrix products for attention. A test compares it with transformers' Llama on the same weights.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from transformers import LlamaConfig

from speculation.models.language_model import Logits, Tokens, to_numpy


@dataclass(frozen=True)
class Layer:
    """One decoder layer, with the projections that read the same input joined into one."""

    attention_norm: torch.Tensor  # [hidden]
    qkv: torch.Tensor  # [(heads + 2 * kv_heads) * head_dim, hidden]
    attention_out: torch.Tensor  # [hidden, heads * head_dim]
    mlp_norm: torch.Tensor  # [hidden]
    gate_up: torch.Tensor  # [2 * intermediate, hidden]
    down: torch.Tensor  # [hidden, intermediate]


class ShortHeadModel:
    """A Llama of few layers whose head scores the tokens in `support` only.

    weights    "model.layers.i.*" and "model.norm.weight" under their Llama names,
               "head.weight" [S, hidden] and "head.token_ids" [S], ascending
    embedding  [V, hidden], the target's own
    """

    def __init__(
        self,
        config: LlamaConfig,
        weights: dict[str, torch.Tensor],
        embedding: torch.Tensor,
        name: str,
        digest: str,
    ) -> None:
        device, dtype = embedding.device, embedding.dtype

        def get(key: str) -> torch.Tensor:
            return weights[key].to(device=device, dtype=dtype)

        depth = 1 + max(int(key.split(".")[2]) for key in weights if key.startswith("model.layers"))
        self.layers = [self._layer(f"model.layers.{i}", get) for i in range(depth)]
        self.norm = get("model.norm.weight")
        self.head = get("head.weight")
        self.embedding = embedding
        self.support: Tokens | None = weights["head.token_ids"].numpy().astype("int64")
        self.config = config
        self.name = name
        self.digest = digest
        self.vocab_size = int(config.vocab_size)
        self.max_length = int(config.max_position_embeddings)
        self.head_dim = int(config.head_dim)
        base = float(config.rope_parameters["rope_theta"])
        steps = torch.arange(0, self.head_dim, 2, dtype=torch.float32, device=device)
        self.inverse_frequency = 1.0 / base ** (steps / self.head_dim)  # [head_dim / 2]

    @staticmethod
    def _layer(prefix: str, get: Callable[[str], torch.Tensor]) -> Layer:
        attention, mlp = f"{prefix}.self_attn", f"{prefix}.mlp"
        return Layer(
            attention_norm=get(f"{prefix}.input_layernorm.weight"),
            qkv=torch.cat([get(f"{attention}.{x}_proj.weight") for x in "qkv"]),
            attention_out=get(f"{attention}.o_proj.weight"),
            mlp_norm=get(f"{prefix}.post_attention_layernorm.weight"),
            gate_up=torch.cat([get(f"{mlp}.{x}_proj.weight") for x in ("gate", "up")]),
            down=get(f"{mlp}.down_proj.weight"),
        )

    def start(self) -> "ShortHeadContext":
        return ShortHeadContext(self)


class ShortHeadContext:
    """A text read by a ShortHeadModel: keys and values of every layer, in one growing block."""

    def __init__(self, model: ShortHeadModel) -> None:
        self._model = model
        self.length = 0
        self._cache = self._room(256)

    def _room(self, tokens: int) -> torch.Tensor:
        """An empty cache, [layers, 2, kv_heads, tokens, head_dim]."""
        m = self._model
        shape = (len(m.layers), 2, m.config.num_key_value_heads, tokens, m.head_dim)
        return torch.empty(shape, dtype=m.embedding.dtype, device=m.embedding.device)

    @property
    def nbytes(self) -> int:
        return self._cache.nbytes

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        m, n, past = self._model, len(tokens), self.length
        total = past + n
        if total > self._cache.shape[3]:
            larger = self._room(2 * total)
            larger[:, :, :, :past] = self._cache[:, :, :, :past]
            self._cache = larger
        device = m.embedding.device
        x = m.embedding[torch.tensor(tokens, device=device)]  # [n, hidden]
        places = torch.arange(past, total, dtype=torch.float32, device=device)
        angles = torch.outer(places, m.inverse_frequency).repeat(1, 2)  # [n, head_dim]
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        mask = None
        if n > 1:  # row i sees everything up to itself
            mask = torch.full((n, total), float("-inf"), device=device).triu_(past + 1)
        for layer, cache in zip(m.layers, self._cache, strict=True):
            x = x + self._attention(layer, cache, x, cos, sin, mask)
            gate, up = F.linear(self._normed(x, layer.mlp_norm), layer.gate_up).chunk(2, dim=-1)
            x = x + F.linear(F.silu(gate) * up, layer.down)
        self.length = total
        return to_numpy(F.linear(self._normed(x[-rows:], m.norm), m.head))

    def _normed(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, weight.shape, weight, self._model.config.rms_norm_eps)

    def _attention(
        self,
        layer: Layer,
        cache: torch.Tensor,
        x: torch.Tensor,
        cos: torch.Tensor,
        sin: torch.Tensor,
        mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """Grouped-query attention over everything read so far; x [n, hidden] -> [n, hidden]."""
        m, n, total = self._model, len(x), self.length + len(x)
        kv_heads, dim = m.config.num_key_value_heads, m.head_dim
        group = m.config.num_attention_heads // kv_heads
        qkv = F.linear(self._normed(x, layer.attention_norm), layer.qkv).view(n, -1, dim)
        qk, v = qkv[:, :-kv_heads], qkv[:, -kv_heads:]
        # Rotary position embedding, queries and keys at once.
        first, second = qk.chunk(2, dim=-1)
        qk = qk * cos[:, None] + torch.cat((-second, first), dim=-1) * sin[:, None]
        cache[0, :, self.length : total] = qk[:, -kv_heads:].transpose(0, 1)
        cache[1, :, self.length : total] = v.transpose(0, 1)
        # The queries of a group share a key head: stack them as rows of one product.
        q = qk[:, :-kv_heads].reshape(n, kv_heads, group, dim).permute(1, 2, 0, 3)
        keys, values = cache[0, :, :total], cache[1, :, :total]  # [kv_heads, total, dim]
        scores = q.reshape(kv_heads, group * n, dim) @ keys.transpose(1, 2) * dim**-0.5
        scores = scores.float().view(kv_heads, group, n, total)
        weights = (scores if mask is None else scores + mask).softmax(dim=-1).to(x.dtype)
        mixed = weights.view(kv_heads, group * n, total) @ values
        mixed = mixed.view(kv_heads * group, n, dim).transpose(0, 1).reshape(n, -1)
        return F.linear(mixed, layer.attention_out)

    def crop(self, length: int) -> None:
        if not 0 <= length <= self.length:
            raise ValueError(f"cannot crop a context of {self.length} tokens to {length}")
        self.length = length

    def copy(self) -> "ShortHeadContext":
        other = ShortHeadContext.__new__(ShortHeadContext)
        other._model, other.length = self._model, self.length
        with torch.inference_mode():
            other._cache = self._cache.clone()
        return other
