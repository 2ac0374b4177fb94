"""A tiny random model to train from, and texts of its own."""

from dataclasses import replace

import numpy as np
import torch

from training.llama import Shape
from training.recipe import CPU
from training.target import Target
from training.texts.prompts import Prompts
from training.texts.sample import Sampler, Texts, draw_texts

SHAPE = Shape(layers=3, hidden=32, heads=4, kv_heads=2, head_dim=8, vocab=300)
RECIPE = replace(CPU, rows=6, depths=(1, 2), head_shares=(0.5, 0.5), head_rows=100, batch_tokens=96)


def random_target() -> Target:
    """A random Llama whose laws are far from flat."""
    torch.manual_seed(0)
    weights = {"model.norm.weight": torch.full((32,), 3.0)}
    for i in range(SHAPE.layers):
        for name, rows, columns in (
            ("self_attn.q_proj", 32, 32),
            ("self_attn.k_proj", 16, 32),
            ("self_attn.v_proj", 16, 32),
            ("self_attn.o_proj", 32, 32),
            ("mlp.gate_proj", 64, 32),
            ("mlp.up_proj", 64, 32),
            ("mlp.down_proj", 32, 64),
        ):
            weights[f"model.layers.{i}.{name}.weight"] = torch.randn(rows, columns) * 0.2
        for name in ("input_layernorm", "post_attention_layernorm"):
            weights[f"model.layers.{i}.{name}.weight"] = torch.ones(32)
    return Target(weights, torch.randn(SHAPE.vocab, 32) * 0.3, SHAPE)


def shard(target: Target, seed: int) -> Texts:
    ids = [np.arange(3, 3 + n, dtype=np.int32) for n in (2, 5, 9)]
    prompts = Prompts(ids, np.array([0, 1, 1], np.int32), ["a", "b"], np.array([0.5, 0.5]))
    return draw_texts(Sampler(target, 6, 24, torch.float32), prompts, RECIPE, 24, seed)
