"""A tiny Llama as files that engines load: a Hugging Face folder, and a GGUF for llama.cpp.

Weights are given as arrays by the names that transformers uses, so that the same numbers make the
same bytes on every machine. A vocabulary is single letters, the last of which ends a text.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from speculation.rule import Law

Weights = Mapping[str, npt.NDArray[np.float32]]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"
EPSILON = 1e-6
THETA = 10_000.0


@dataclass(frozen=True)
class Shape:
    """How large a tiny Llama is; `vocabulary` counts its letters."""

    vocabulary: int
    layers: int
    width: int = 48
    heads: int = 3
    context: int = 512

    @property
    def letters(self) -> list[str]:
        """The tokens, in the order of their ids.

        >>> Shape(vocabulary=4, layers=1).letters
        ['A', 'B', 'C', 'D']
        """
        return list(LETTERS[: self.vocabulary])

    @property
    def end(self) -> int:
        """The id that ends a text: the last."""
        return self.vocabulary - 1

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Every weight's name and shape, in the order in which they are drawn."""
        w = self.width
        found: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (self.vocabulary, w)}
        for i in range(self.layers):
            for part in PARTS:
                size = (w,) if "norm" in part else (w, w)
                found[f"model.layers.{i}.{part}.weight"] = size
        return found | {"model.norm.weight": (w,), "lm_head.weight": (self.vocabulary, w)}


PARTS = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}  # fmt: skip
"""A layer's weights: transformers' name, llama.cpp's name."""


def write_folder(folder: Path, shape: Shape, weights: Weights) -> None:
    """A folder that `from_pretrained` reads: weights, config and tokenizer."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file(dict(weights), folder / "model.safetensors", metadata={"format": "pt"})
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
        "vocab_size": shape.vocabulary, "hidden_size": shape.width,
        "intermediate_size": shape.width, "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads, "num_key_value_heads": shape.heads,
        "head_dim": shape.width // shape.heads, "max_position_embeddings": shape.context,
        "rms_norm_eps": EPSILON, "rope_theta": THETA, "tie_word_embeddings": False,
        "attention_bias": False, "mlp_bias": False, "bos_token_id": 0, "eos_token_id": shape.end,
        "torch_dtype": "float32",
    }  # fmt: skip
    _json(folder / "config.json", config)
    words = {letter: i for i, letter in enumerate(shape.letters)}
    _json(folder / "tokenizer.json", {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
        "normalizer": None, "post_processor": None,
        "pre_tokenizer": {
            "type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": False
        },
        "decoder": {"type": "Fuse"},
        "model": {"type": "WordLevel", "vocab": words, "unk_token": shape.letters[0]},
    })  # fmt: skip
    _json(folder / "tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": shape.context,
        "eos_token": shape.letters[-1],
    })  # fmt: skip


def write_gguf(file: Path, shape: Shape, weights: Weights) -> None:
    """The same model for llama.cpp, in float32."""
    import gguf

    out = gguf.GGUFWriter(file, "llama")
    out.add_block_count(shape.layers)
    out.add_context_length(shape.context)
    out.add_embedding_length(shape.width)
    out.add_feed_forward_length(shape.width)
    out.add_head_count(shape.heads)
    out.add_head_count_kv(shape.heads)
    out.add_layer_norm_rms_eps(EPSILON)
    out.add_rope_dimension_count(shape.width // shape.heads)
    out.add_rope_freq_base(THETA)
    out.add_vocab_size(shape.vocabulary)
    out.add_file_type(0)
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("gpt-2")
    out.add_token_list(shape.letters)
    out.add_token_types([1] * shape.vocabulary)
    out.add_token_merges(["A B"])  # a server refuses a file without any
    out.add_bos_token_id(0)
    out.add_eos_token_id(shape.end)
    out.add_add_bos_token(False)
    out.add_add_eos_token(False)
    for theirs, ours in _gguf_names(shape).items():
        x: Law | npt.NDArray[np.float32] = weights[theirs]
        if "q_proj" in theirs or "k_proj" in theirs:  # llama.cpp turns neighbors, not halves
            halves = x.reshape(shape.heads, 2, -1, shape.width)
            x = halves.swapaxes(1, 2).reshape(x.shape)
        out.add_tensor(ours, np.ascontiguousarray(x))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def _gguf_names(shape: Shape) -> dict[str, str]:
    names = {
        "model.embed_tokens.weight": "token_embd.weight",
        "model.norm.weight": "output_norm.weight",
        "lm_head.weight": "output.weight",
    }
    for i in range(shape.layers):
        for theirs, ours in PARTS.items():
            names[f"model.layers.{i}.{theirs}.weight"] = f"blk.{i}.{ours}.weight"
    return names


def _json(file: Path, content: dict[str, Any]) -> None:
    file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
