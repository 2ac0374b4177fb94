"""A shipped draft as transformers' `assistant_model`.

The shipped drafts are read by code of their own (`short_head.py`). This module puts the same
weights into transformers' Llama, so that the same draft can serve its `generate` too:

    assistant = as_assistant(pair.draft)
    pair.target.module.generate(ids, assistant_model=assistant)   # doctest: +SKIP

Its logits are minus infinity outside the short head: what is not scored is never proposed.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from transformers import LlamaForCausalLM

from speculation.drafts.short_head import ShortHeadModel


class ShortHead(nn.Module):
    """An output head over some tokens of the vocabulary.

    weight     [S, hidden]
    token_ids  [S], the tokens that its rows stand for
    """

    def __init__(self, weight: torch.Tensor, token_ids: torch.Tensor, vocab_size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.token_ids: torch.Tensor
        self.register_buffer("token_ids", token_ids, persistent=False)
        self.vocab_size = vocab_size

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        scores = F.linear(hidden, self.weight)  # [..., S]
        logits = scores.new_full((*scores.shape[:-1], self.vocab_size), float("-inf"))
        logits[..., self.token_ids] = scores
        return logits


def as_assistant(draft: ShortHeadModel) -> Any:
    """The same draft as a LlamaForCausalLM. The weights are shared, not copied."""
    config = type(draft.config).from_dict(
        draft.config.to_dict() | {"num_hidden_layers": draft.depth, "tie_word_embeddings": False}
    )
    with torch.device("meta"):  # shapes only: every weight is put in its place below
        model = LlamaForCausalLM(config)
    weights = draft.weights | {"model.embed_tokens.weight": draft.embedding}
    del weights["head.weight"]
    model.load_state_dict(weights, strict=False, assign=True)
    assert draft.support is not None
    token_ids = torch.from_numpy(draft.support).to(draft.head.device)
    model.lm_head = ShortHead(draft.head, token_ids, draft.vocab_size)
    # What is computed rather than stored (the rotary frequencies) cannot stay a mere shape.
    with torch.device(draft.head.device):
        model.model.rotary_emb = type(model.model.rotary_emb)(config)
    return model.requires_grad_(False).eval()
