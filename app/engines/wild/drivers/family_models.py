"""Tiny models of a family that brings its own assistant, with weights by chance.

    python family_models.py FOLDER

writes FOLDER/target and FOLDER/draft: a Gemma 4 of two layers and its assistant, which reads the
target's keys and values. The assistant's head is the target's, so that it agrees now and then.
"""

import sys
from pathlib import Path

import torch
from transformers import (
    Gemma4AssistantConfig,
    Gemma4AssistantForCausalLM,
    Gemma4ForCausalLM,
    Gemma4TextConfig,
)

VOCABULARY = 16
WIDTH = 32


def text_config(layers, **more):
    return Gemma4TextConfig(
        vocab_size=VOCABULARY, hidden_size=WIDTH, intermediate_size=64, num_hidden_layers=layers,
        num_attention_heads=2, num_key_value_heads=1, head_dim=16, max_position_embeddings=256,
        sliding_window=128, layer_types=["sliding_attention", "full_attention"][-layers:],
        vocab_size_per_layer_input=0, hidden_size_per_layer_input=0, pad_token_id=0,
        eos_token_id=VOCABULARY - 1, bos_token_id=None, **more,
    )  # fmt: skip


def main(folder):
    torch.manual_seed(3)
    target = Gemma4ForCausalLM(text_config(2)).eval()
    config = Gemma4AssistantConfig(
        text_config=text_config(2, num_kv_shared_layers=2), backbone_hidden_size=WIDTH
    )
    draft = Gemma4AssistantForCausalLM(config).eval()
    with torch.no_grad():
        for name, value in target.named_parameters():
            if value.dim() > 1 and "embed" not in name:
                value.mul_(8.0)
        target.get_input_embeddings().weight.mul_(7.0)
        draft.get_input_embeddings().weight.copy_(target.get_input_embeddings().weight)
        for name, value in draft.named_parameters():
            if value.dim() > 1 and "embed" not in name:
                value.mul_(8.0)
    target.save_pretrained(folder / "target")
    draft.save_pretrained(folder / "draft")
    return target, draft


if __name__ == "__main__":
    main(Path(sys.argv[1]))
