"""The shipped target on its 4-bit weights, as they lie in the GGUF file."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import LlamaConfig

from speculation.models.choice import Choice
from speculation.models.four_bits import FourBitMatrix, can_multiply
from speculation.models.language_model import ModelRefused
from speculation.models.lean import LeanModel, Tensors, needed, shape_of
from speculation.models.llama import Layer, Llama, Norm
from speculation.models.matrices import matrix


@lru_cache(maxsize=4)
def offered(device: torch.device) -> bool:
    """Whether the precision int4 can be had on this device."""
    return can_multiply(device)


class FourBitModel(LeanModel):
    """The same pass on other matrices."""

    @property
    def read_by(self) -> str:
        return "own, 4-bit weights"


@torch.inference_mode()
def four_bit_target(
    gguf: Path,
    config: LlamaConfig,
    get: Tensors,
    name: str,
    digest: str,
    module: Callable[[], Any],
    choice: Choice,
) -> LeanModel:
    """The target whose layers' matrices are those of the file, in codes of four bits.

    get     the converted tensors, for the norms and the embedding, which the file stores otherwise
            (eight bits); the head is the embedding, in bfloat16
    choice  how the head lies in memory, and a draft's matrices

    The file's queries and keys lie interleaved already, as the pass wants them (`llama.py`). Raises
    ModelRefused for a file whose matrices are of another kind.
    """
    from gguf import GGUFReader

    found = {tensor.name: tensor for tensor in GGUFReader(gguf).tensors}
    shape = shape_of(config)

    def rows(place: int, *names: str) -> FourBitMatrix:
        tensors = [found[f"blk.{place}.{x}.weight"] for x in names]
        odd = {x.tensor_type.name for x in tensors} - {"Q4_1"}
        if odd:
            raise ModelRefused(f"{gguf.name} stores {names[0]} as {min(odd)}, not as Q4_1")
        return FourBitMatrix(np.concatenate([np.asarray(x.data) for x in tensors]))

    def norm(key: str) -> Norm:
        return Norm(needed(get, f"{key}.weight"), shape.eps)

    layers = tuple(
        Layer(
            attention_norm=norm(f"model.layers.{i}.input_layernorm"),
            qkv=rows(i, "attn_q", "attn_k", "attn_v"),
            attention_out=rows(i, "attn_output"),
            mlp_norm=norm(f"model.layers.{i}.post_attention_layernorm"),
            gate_up=rows(i, "ffn_gate", "ffn_up"),
            down=rows(i, "ffn_down"),
        )
        for i in range(config.num_hidden_layers)
    )
    embedding = needed(get, "model.embed_tokens.weight")
    head = matrix(choice.layout, [embedding])
    llama = Llama(shape, embedding, layers, norm("model.norm"), head)
    return FourBitModel(config, llama, name, digest, module, choice)
