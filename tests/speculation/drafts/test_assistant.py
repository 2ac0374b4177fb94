"""The shipped draft under transformers' Llama: the same logits, and a working assistant."""

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM

from helpers.tiny_models import tiny_llama
from speculation.drafts.assistant import as_assistant
from speculation.drafts.short_head import ShortHeadModel
from speculation.pairs.pair import Pair

TEXT = [3, 17, 4, 4, 30, 8, 41, 2, 25]
SUPPORT = [2, 3, 4, 8, 17, 25, 30, 41, 49]


@pytest.fixture
def tiny() -> tuple[LlamaForCausalLM, ShortHeadModel]:
    """A random target, and its own first layer with a head over nine tokens as a draft."""
    target = tiny_llama(seed=3)
    weights = {
        name: x
        for name, x in target.state_dict().items()
        if name.startswith(("model.layers.0.", "model.norm"))
    }
    weights["head.weight"] = target.lm_head.weight.detach()[SUPPORT].clone()
    weights["head.token_ids"] = torch.tensor(SUPPORT)
    embedding = target.get_input_embeddings().weight.detach()
    return target, ShortHeadModel(target.config, weights, embedding, "tiny", "tiny")


def same_logits(draft: ShortHeadModel, text: list[int], tolerance: float) -> None:
    with torch.inference_mode():
        found = as_assistant(draft)(torch.tensor([text])).logits[0].float().numpy()
    own = draft.start().extend(text, len(text))
    assert draft.support is not None
    outside = np.setdiff1d(np.arange(draft.vocab_size), draft.support)
    assert np.isneginf(found[:, outside]).all()
    assert np.abs(found[:, draft.support] - own).max() < tolerance


def test_the_same_logits(tiny: tuple[LlamaForCausalLM, ShortHeadModel]) -> None:
    same_logits(tiny[1], TEXT, 1e-4)


def test_the_same_logits_of_the_shipped_draft(real_pair: Pair) -> None:
    text = real_pair.tokenizer("The lighthouse stands at the end of the pier.")["input_ids"]
    same_logits(real_pair.draft, text, 1e-3)


def test_the_weights_are_shared(tiny: tuple[LlamaForCausalLM, ShortHeadModel]) -> None:
    draft = tiny[1]
    assistant = as_assistant(draft)
    assert assistant.lm_head.weight.data_ptr() == draft.head.data_ptr()
    first = assistant.model.layers[0].self_attn.q_proj.weight
    assert first.data_ptr() == draft.weights["model.layers.0.self_attn.q_proj.weight"].data_ptr()


def test_it_assists(tiny: tuple[LlamaForCausalLM, ShortHeadModel]) -> None:
    """Greedy text with the assistant is the target's own; what it proposes is in its head."""
    target, draft = tiny
    ids = torch.tensor([TEXT])
    options = {"max_new_tokens": 20, "do_sample": False, "pad_token_id": 0}
    alone = target.generate(ids, attention_mask=torch.ones_like(ids), **options)
    helped = target.generate(
        ids, attention_mask=torch.ones_like(ids), assistant_model=as_assistant(draft), **options
    )
    assert helped.tolist() == alone.tolist()
    proposed = as_assistant(draft).generate(
        ids, attention_mask=torch.ones_like(ids), **options | {"do_sample": True}
    )
    assert set(proposed[0, len(TEXT) :].tolist()) <= set(SUPPORT)
