"""A target and a draft of a few thousand weights by chance: a Hugging Face folder and a GGUF each.

They are Llamas over 16 letters, the last of which ends a text. The draft has one layer, the target
two; they share embedding and head, so that they agree about half the time.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

VOCABULARY = 16
WIDTH = 64
HEADS = 2
CONTEXT = 512
SHARPNESS = 9.0
LETTERS = [chr(ord("A") + i) for i in range(VOCABULARY)]


def make(folder: Path) -> None:
    """Write target and draft."""
    target = _llama(1, layers=2)
    draft = _llama(2, layers=1)
    import torch

    with torch.no_grad():
        draft.lm_head.weight.copy_(target.lm_head.weight)
        draft.model.embed_tokens.weight.copy_(target.model.embed_tokens.weight)
    for name, model in (("target", target), ("draft", draft)):
        model.save_pretrained(folder / name)
        config = json.loads((folder / name / "config.json").read_text())
        (folder / name / "config.json").write_text(json.dumps(config | {"rope_theta": 10000.0}))
        _tokenizer(folder / name)
        _gguf(model, folder / name / "model.gguf")


def _llama(seed: int, layers: int) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=WIDTH, intermediate_size=WIDTH,
        num_hidden_layers=layers, num_attention_heads=HEADS, num_key_value_heads=HEADS,
        max_position_embeddings=CONTEXT, tie_word_embeddings=False, bos_token_id=0,
        eos_token_id=VOCABULARY - 1, pad_token_id=None,
    )  # fmt: skip
    model = LlamaForCausalLM(config).eval()
    with torch.no_grad():
        model.lm_head.weight.mul_(SHARPNESS)
    return model


def _tokenizer(folder: Path) -> None:
    words = {letter: i for i, letter in enumerate(LETTERS)}
    made: dict[str, Any] = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
        "normalizer": None, "post_processor": None,
        "pre_tokenizer": {
            "type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": False
        },
        "decoder": {"type": "Fuse"},
        "model": {"type": "WordLevel", "vocab": words, "unk_token": LETTERS[0]},
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(made))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": CONTEXT}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


def _gguf(model: Any, file: Path) -> None:
    import gguf

    weights = {name: x.float().numpy() for name, x in model.state_dict().items()}
    layers = model.config.num_hidden_layers
    out = gguf.GGUFWriter(file, "llama")
    out.add_block_count(layers)
    out.add_context_length(CONTEXT)
    out.add_embedding_length(WIDTH)
    out.add_feed_forward_length(WIDTH)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_layer_norm_rms_eps(model.config.rms_norm_eps)
    out.add_rope_dimension_count(WIDTH // HEADS)
    out.add_rope_freq_base(10000.0)
    out.add_vocab_size(VOCABULARY)
    out.add_file_type(0)
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("gpt-2")
    out.add_token_list(LETTERS)
    out.add_token_types([1] * VOCABULARY)
    out.add_token_merges(["A B"])  # a server refuses a file without any
    out.add_bos_token_id(0)
    out.add_eos_token_id(VOCABULARY - 1)
    out.add_add_bos_token(False)
    out.add_add_eos_token(False)
    for theirs, ours in _names(layers).items():
        x = weights[theirs]
        if "q_proj" in theirs or "k_proj" in theirs:  # llama.cpp turns neighbors, not halves
            x = x.reshape(HEADS, 2, -1, WIDTH).swapaxes(1, 2).reshape(x.shape)
        out.add_tensor(ours, np.ascontiguousarray(x))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def _names(layers: int) -> dict[str, str]:
    names = {
        "model.embed_tokens.weight": "token_embd.weight",
        "model.norm.weight": "output_norm.weight",
        "lm_head.weight": "output.weight",
    }
    parts = {
        "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }  # fmt: skip
    for i in range(layers):
        for theirs, ours in parts.items():
            names[f"model.layers.{i}.{theirs}.weight"] = f"blk.{i}.{ours}.weight"
    return names
