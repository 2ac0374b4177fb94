"""A context that was extended in pieces and cut back reads as if it had read its text at once."""

import numpy as np
import pytest
import torch
from transformers import (
    JambaConfig,
    LlamaConfig,
    LlamaForCausalLM,
    MambaConfig,
    MistralConfig,
)

from helpers.tiny_models import fresh_rows, tiny_llama
from speculation.drafts.short_head import ShortHeadModel
from speculation.models.language_model import (
    LanguageModel,
    ModelRefused,
    TransformersModel,
    choose_device,
    refuse_unless_croppable,
    to_numpy,
)
from speculation.pairs.pair import Pair

CLOSE = {"float32": 1e-4, "bfloat16": 0.25}
SUPPORT = [1, 3, 4, 9, 17, 30, 48]


def short_head(module: LlamaForCausalLM, support: list[int]) -> ShortHeadModel:
    """The lean model on the weights of a Llama, its head cut to `support`."""
    state = module.state_dict()
    tensors = {k: v for k, v in state.items() if k.startswith(("model.layers", "model.norm"))}
    tensors["head.token_ids"] = torch.tensor(support)
    tensors["head.weight"] = module.lm_head.weight.detach()[support]
    embedding = module.model.embed_tokens.weight.detach()
    return ShortHeadModel(module.config, tensors, embedding, "short head", "short")


def make(kind: str) -> LanguageModel:
    module = tiny_llama()
    if kind == "transformers":
        return TransformersModel(module, "tiny", "tiny")
    return short_head(module, SUPPORT)


@pytest.fixture(params=["transformers", "short head"])
def model(request: pytest.FixtureRequest) -> LanguageModel:
    return make(request.param)


def test_pieces_and_cuts_read_like_one_pass(model: LanguageModel) -> None:
    rng = np.random.default_rng(0)
    context, text = model.start(), []
    for step in range(60):
        more = rng.integers(0, 50, rng.integers(1, 8)).tolist()
        rows = int(rng.integers(1, len(more) + 1))
        text += more
        logits = context.extend(more, rows)
        assert logits.dtype == np.float32
        np.testing.assert_allclose(
            logits, fresh_rows(model, text, rows), atol=1e-4, err_msg=f"step {step}"
        )
        text = text[: len(text) - int(rng.integers(0, min(4, len(text))))]
        context.crop(len(text))
        assert context.length == len(text)


def test_a_long_text_outgrows_the_first_room() -> None:
    """The lean model's cache starts with room for 256 tokens."""
    model = make("short head")
    text = np.random.default_rng(1).integers(0, 50, 700).tolist()
    context = model.start()
    for start in range(0, 700, 100):
        logits = context.extend(text[start : start + 100], 3)
    np.testing.assert_allclose(logits, fresh_rows(model, text, 3), atol=1e-4)


def test_a_copy_is_independent(model: LanguageModel) -> None:
    context = model.start()
    context.extend([1, 2, 3])
    copy = context.copy()
    context.crop(1)
    context.extend([9, 9, 9, 9])
    assert copy.length == 3
    np.testing.assert_allclose(copy.extend([4]), fresh_rows(model, [1, 2, 3, 4]), atol=1e-4)
    np.testing.assert_allclose(
        context.extend([5]), fresh_rows(model, [1, 9, 9, 9, 9, 5]), atol=1e-4
    )


@pytest.mark.parametrize("length", [-1, 4])
def test_a_context_cannot_be_cut_to_more_than_it_has(model: LanguageModel, length: int) -> None:
    context = model.start()
    context.extend([1, 2, 3])
    with pytest.raises(ValueError, match=f"cannot crop a context of 3 tokens to {length}"):
        context.crop(length)


def test_a_context_says_how_much_memory_it_holds(model: LanguageModel) -> None:
    context = model.start()
    context.extend(list(range(40)))
    least = 2 * 2 * 2 * 40 * 8 * 4  # layers, keys and values, heads, tokens, dimension, bytes
    assert least <= context.nbytes <= 8 * least


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_lean_forward_pass_is_llama(kv_heads: int, precision: str) -> None:
    module = tiny_llama(num_key_value_heads=kv_heads).to(getattr(torch, precision))
    text = np.random.default_rng(2).integers(0, 50, 33).tolist()
    with torch.inference_mode():
        expected = to_numpy(module(torch.tensor([text])).logits[0])[:, SUPPORT]
    lean = short_head(module, SUPPORT)
    np.testing.assert_allclose(fresh_rows(lean, text, 33), expected, atol=CLOSE[precision])
    assert lean.support is not None
    assert lean.support.tolist() == SUPPORT


def test_the_shipped_draft_is_llama(real_pair: Pair) -> None:
    """The real weights, put into transformers' own Llama with as many layers."""
    draft, target = real_pair.draft, real_pair.target
    assert isinstance(draft, ShortHeadModel)
    assert isinstance(target, TransformersModel)
    assert draft.support is not None
    config = LlamaConfig(**draft.config.to_dict() | {"num_hidden_layers": draft.depth})
    llama = LlamaForCausalLM(config).eval()
    state = draft.weights | {"model.embed_tokens.weight": draft.embedding}
    state.pop("head.weight")
    missing, unexpected = llama.load_state_dict(state, strict=False)
    assert (set(missing), unexpected) == ({"lm_head.weight"}, []), "some weights were left out"
    text = real_pair.tokenizer("The quick brown fox jumps over the lazy dog.")["input_ids"]
    with torch.inference_mode():
        hidden = llama.model(torch.tensor([text])).last_hidden_state[0]
        expected = to_numpy(hidden @ draft.head.T)
    np.testing.assert_allclose(fresh_rows(draft, text, len(text)), expected, atol=1e-3)
    assert np.array_equal(np.unique(draft.support), draft.support), "ids must be ascending"


@pytest.mark.parametrize(
    "config",
    [
        MambaConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2),
        JambaConfig(vocab_size=50, hidden_size=32, num_hidden_layers=4),
        MistralConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2, sliding_window=16),
    ],
    ids=["recurrent", "hybrid", "sliding window"],
)
def test_a_cache_that_cannot_be_rolled_back_is_refused(config: object) -> None:
    with pytest.raises(ModelRefused, match=r"the model\b.*(rolled back|cannot be built)"):
        refuse_unless_croppable(config, "the model")


def test_a_cache_that_can_be_rolled_back_is_not_refused() -> None:
    refuse_unless_croppable(tiny_llama().config, "tiny")


def test_the_device_is_as_told() -> None:
    assert choose_device("cpu") == torch.device("cpu")
    assert choose_device("auto").type in {"cpu", "cuda", "mps"}
