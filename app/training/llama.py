"""A Llama forward pass in plain functions, for training and for sampling in bulk.

The app runs the target and its drafts through transformers. Here a few functions on a dictionary of
weights are enough, and the same ones serve three uses: scoring whole texts, training the first
layers, and stepping thousands of texts at once inside a CUDA graph.

Weights carry LlamaModel's names (``model.layers.0.self_attn.q_proj.weight``). The residual stream
is float32; matrix products run in ``dtype``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

Weights = Mapping[str, Tensor]


@dataclass(frozen=True)
class Shape:
    """The sizes of a Llama."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    eps: float = 1e-5
    rope_theta: float = 100_000.0


def rope_tables(shape: Shape, length: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """cos and sin for every position: two tensors [length, head_dim]."""
    steps = torch.arange(0, shape.head_dim, 2, device=device, dtype=torch.float32)
    frequency = shape.rope_theta ** (-steps / shape.head_dim)
    angle = torch.arange(length, device=device, dtype=torch.float32)[:, None] * frequency
    angle = torch.cat([angle, angle], dim=-1)
    return angle.cos(), angle.sin()


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """x / rms(x) * weight, in float32."""
    return F.rms_norm(x.float(), (x.shape[-1],), weight.float(), eps)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary position embedding of x [N, heads, head_dim] by cos, sin [N, head_dim]."""
    half = x.shape[-1] // 2
    turned = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return x * cos[:, None] + turned * sin[:, None]


def attention_inputs(
    x: Tensor,
    norm: Tensor,
    wq: Tensor,
    wk: Tensor,
    wv: Tensor,
    cos: Tensor,
    sin: Tensor,
    head_dim: int,
    eps: float,
    dtype: torch.dtype,
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values [N, heads, head_dim] of N tokens x [N, hidden]."""
    y = rms_norm(x, norm, eps).to(dtype)
    q, k, v = (F.linear(y, w.to(dtype)).view(len(x), -1, head_dim) for w in (wq, wk, wv))
    return rotate(q.float(), cos, sin).to(dtype), rotate(k.float(), cos, sin).to(dtype), v


def after_attention(
    x: Tensor,
    attended: Tensor,
    wo: Tensor,
    norm: Tensor,
    gate: Tensor,
    up: Tensor,
    down: Tensor,
    eps: float,
    dtype: torch.dtype,
) -> Tensor:
    """The rest of a layer: output projection and MLP, both added to x [N, hidden]."""
    x = x + F.linear(attended, wo.to(dtype)).float()
    y = rms_norm(x, norm, eps).to(dtype)
    y = F.silu(F.linear(y, gate.to(dtype))) * F.linear(y, up.to(dtype))
    return x + F.linear(y, down.to(dtype)).float()


@dataclass
class Parts:
    """The two halves of a layer around its attention; ``compile_parts`` makes them faster."""

    before: Callable[..., tuple[Tensor, Tensor, Tensor]] = attention_inputs
    after: Callable[..., Tensor] = after_attention


PARTS = Parts()


def compile_parts() -> None:
    """Fuse the small operations with torch.compile (worth it on a GPU only)."""
    PARTS.before = torch.compile(attention_inputs, dynamic=False)
    PARTS.after = torch.compile(after_attention, dynamic=False)


def run_layers(
    weights: Weights,
    shape: Shape,
    x: Tensor,
    cos: Tensor,
    sin: Tensor,
    attend: Callable[[int, Tensor, Tensor, Tensor], Tensor],
    dtype: torch.dtype,
) -> Tensor:
    """All layers and the final norm over N tokens x [N, hidden] -> [N, hidden] in float32.

    ``attend(layer, q, k, v)`` says which tokens see which, and returns [N, heads * head_dim].
    """
    for i in range(shape.layers):
        w = {
            name: weights[f"model.layers.{i}.{name}.weight"]
            for name in (
                "input_layernorm",
                "self_attn.q_proj",
                "self_attn.k_proj",
                "self_attn.v_proj",
                "self_attn.o_proj",
                "post_attention_layernorm",
                "mlp.gate_proj",
                "mlp.up_proj",
                "mlp.down_proj",
            )
        }
        q, k, v = PARTS.before(
            x,
            w["input_layernorm"],
            w["self_attn.q_proj"],
            w["self_attn.k_proj"],
            w["self_attn.v_proj"],
            cos,
            sin,
            shape.head_dim,
            shape.eps,
            dtype,
        )
        x = PARTS.after(
            x,
            attend(i, q, k, v),
            w["self_attn.o_proj"],
            w["post_attention_layernorm"],
            w["mlp.gate_proj"],
            w["mlp.up_proj"],
            w["mlp.down_proj"],
            shape.eps,
            dtype,
        )
    return rms_norm(x, weights["model.norm.weight"], shape.eps)


def hidden_states(
    weights: Weights,
    shape: Shape,
    embedding: Tensor,
    tokens: Tensor,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Last hidden states (after the final norm) of whole texts, tokens [B, L] -> [B, L, hidden].

    No padding and no mask: every row has the same length, and a position sees those before it.
    """
    rows, length = tokens.shape
    cos, sin = rope_tables(shape, length, tokens.device)
    group = shape.heads // shape.kv_heads

    def attend(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        q, k, v = (t.view(rows, length, -1, shape.head_dim).transpose(1, 2) for t in (q, k, v))
        k, v = (t.repeat_interleave(group, dim=1) for t in (k, v))  # [B, heads, L, head_dim]
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return out.transpose(1, 2).reshape(rows * length, -1)

    x = F.embedding(tokens, embedding).float().flatten(0, 1)
    states = run_layers(weights, shape, x, cos.repeat(rows, 1), sin.repeat(rows, 1), attend, dtype)
    return states.view(rows, length, -1)


def matmul32(a: Tensor, b: Tensor) -> Tensor:
    """a @ b with a float32 result, also where the inputs are 16 bit (no gradient)."""
    if a.device.type == "cuda" and a.dtype != torch.float32:
        return torch.mm(a, b, out_dtype=torch.float32)
    return a.float() @ b.float()
