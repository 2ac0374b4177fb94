"""A target and a draft of a few thousand weights by chance: a Hugging Face folder and a GGUF each.

They are Llamas over 16 letters, the last of which ends a text. The draft has one layer, the target
two; they share embedding and head, so that they agree about half the time.
"""

from pathlib import Path
from typing import Any

from engines.conformance.model_files import Shape, write_folder, write_gguf

SHARPNESS = 9.0


def make(folder: Path) -> None:
    """Write target and draft."""
    import torch

    shapes = {"target": Shape(16, 2, width=64, heads=2), "draft": Shape(16, 1, width=64, heads=2)}
    target, draft = (_llama(seed, shapes[name]) for seed, name in ((1, "target"), (2, "draft")))
    with torch.no_grad():
        draft.lm_head.weight.copy_(target.lm_head.weight)
        draft.model.embed_tokens.weight.copy_(target.model.embed_tokens.weight)
    for name, model in (("target", target), ("draft", draft)):
        weights = {part: x.float().numpy() for part, x in model.state_dict().items()}
        write_folder(folder / name, shapes[name], weights)
        write_gguf(folder / name / "model.gguf", shapes[name], weights)


def _llama(seed: int, shape: Shape) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=shape.vocabulary, hidden_size=shape.width, intermediate_size=shape.width,
        num_hidden_layers=shape.layers, num_attention_heads=shape.heads,
        num_key_value_heads=shape.heads, max_position_embeddings=shape.context,
        tie_word_embeddings=False, bos_token_id=0, eos_token_id=shape.end, pad_token_id=None,
    )  # fmt: skip
    model = LlamaForCausalLM(config).eval()
    with torch.no_grad():
        model.lm_head.weight.mul_(SHARPNESS)
    return model
