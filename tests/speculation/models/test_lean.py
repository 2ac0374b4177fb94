"""The lean pass computes what transformers' Llama does, layer by layer."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, MistralConfig

from helpers.tiny_models import tiny_llama
from speculation.drafts.early_exit import early_exit
from speculation.models.choice import ROWS, Choice, best_widths, choose, chosen
from speculation.models.language_model import TransformersContext, to_numpy
from speculation.models.lean import LeanModel, can_read, in_file, lean, names_in
from speculation.models.llama import BLOCK, FIRST_ROOM
from speculation.models.matrices import can_pack
from speculation.pairs.pair import Pair

CPU = torch.device("cpu")
BOUND = 2e-4  # of a logit; logits of these models reach 40
SHAPES: dict[str, dict[str, Any]] = {
    "plain": {},
    "one key head": {"num_key_value_heads": 1},
    "no groups": {"num_key_value_heads": 4},
    "head of its own": {"tie_word_embeddings": False},
    "biases": {"attention_bias": True, "mlp_bias": True},
    "another eps": {"rms_norm_eps": 0.1},
    "another theta": {"rope_parameters": {"rope_type": "default", "rope_theta": 50.0}},
    "wide heads": {"head_dim": 24},
}
TEXT = np.random.default_rng(3).integers(0, 50, 40).tolist()


def leaned(module: LlamaForCausalLM, layout: str = "plain", widths: tuple[int, ...] = ()) -> Any:
    """The same weights in the lean pass, by a given choice."""
    state = module.state_dict()
    with pytest.MonkeyPatch.context() as patch:
        choice = Choice(layout=layout, widths=widths)  # type: ignore[arg-type]
        patch.setattr("speculation.models.lean.choose", lambda *_: choice)
        return lean(module.config, state.get, "tiny", "tiny/float32/cpu", lambda: module)


def with_biases(**changes: Any) -> LlamaForCausalLM:
    module = tiny_llama(**changes)
    with torch.no_grad():
        for name, x in module.named_parameters():
            if name.endswith("bias") or "norm" in name:
                x.add_(0.3 * torch.randn_like(x))  # they start as 0 and 1, which hides mistakes
    return module


@pytest.mark.parametrize("layout", ["plain", "packed"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_layer_is_transformers(shape: str, layout: str) -> None:
    """Hidden states after each layer are compared as the logits of the model cut after it."""
    if layout == "packed" and not can_pack(CPU, torch.float32):
        pytest.skip("this build of torch has no packed products")
    module = with_biases(num_hidden_layers=3, **SHAPES[shape])
    assert can_read(module.config, module.state_dict(), CPU)
    model = leaned(module, layout)
    with torch.inference_mode():
        out = module(torch.tensor([TEXT]), output_hidden_states=True)
        for layers in (1, 2):
            hidden = module.model.norm(out.hidden_states[layers])
            cut = early_exit(model, layers).start().extend(TEXT, len(TEXT))
            found = np.abs(cut - to_numpy(module.lm_head(hidden)[0])).max()
            assert found < BOUND, f"after layer {layers} logits are off by {found}"
    found = np.abs(model.start().extend(TEXT, len(TEXT)) - to_numpy(out.logits[0])).max()
    assert found < BOUND, f"at the end logits are off by {found}"


def test_the_target_layer_by_layer(real_pair: Pair) -> None:
    target: Any = real_pair.target
    assert isinstance(target, LeanModel), "the default target is not read by the lean pass"
    text = real_pair.tokenizer("The quick brown fox jumps over the lazy dog. Once")["input_ids"]
    module = target.module
    with torch.inference_mode():
        out = module(torch.tensor([text]), output_hidden_states=True)
        for layers in range(1, 30, 4):
            expected = module.lm_head(module.model.norm(out.hidden_states[layers]))[0]
            cut = early_exit(target, layers).start().extend(text, len(text))
            assert np.abs(cut - to_numpy(expected)).max() < 1e-3, f"after layer {layers}"
    found = target.start().extend(text, len(text))
    assert np.abs(found - to_numpy(out.logits[0])).max() < 1e-3


@pytest.mark.parametrize("widths", [(), (0, 4, 4, 4, 4, 5), (0, 2, 5, 5, 5, 6)])
def test_rows_that_fill_up_a_product_change_nothing(widths: tuple[int, ...]) -> None:
    plain, filled = leaned(tiny_llama()).start(), leaned(tiny_llama(), widths=widths).start()
    for n, rows in ((7, 7), (1, 1), (2, 1), (3, 3), (4, 2), (5, 5), (1, 1)):
        one, other = plain.extend(TEXT[:n], rows), filled.extend(TEXT[:n], rows)
        np.testing.assert_allclose(one, other, atol=1e-5, err_msg=f"{n} tokens, {rows} rows")
    assert plain.length == filled.length == 23


def test_long_texts_cuts_and_pieces() -> None:
    """Past the first room and the first block of rows, and back again."""
    rng, module = np.random.default_rng(4), tiny_llama()
    text = rng.integers(0, 50, 2 * BLOCK + FIRST_ROOM // 2 + 9).tolist()
    whole = leaned(module).start()
    expected = TransformersContext(module).extend(text, len(text))
    np.testing.assert_allclose(whole.extend(text, len(text)), expected, atol=BOUND)
    rows = BLOCK + 5  # they lie in two blocks
    found = leaned(module).start().extend(text, rows)
    np.testing.assert_allclose(found, expected[-rows:], atol=BOUND)
    context = leaned(module).start()
    context.extend(text[:FIRST_ROOM])
    context.extend(rng.integers(0, 50, 30).tolist())  # thrown away
    context.crop(FIRST_ROOM - 20)
    found = context.extend(text[FIRST_ROOM - 20 : FIRST_ROOM + 3], 3)
    np.testing.assert_allclose(found, expected[FIRST_ROOM : FIRST_ROOM + 3], atol=BOUND)


def test_a_pass_over_nothing_reads_nothing() -> None:
    context = leaned(tiny_llama(), widths=(0, 4, 4)).start()
    assert context.extend([]).shape == (0, 50)
    context.extend([1, 2])
    before = context.copy().extend([3])
    assert context.extend([], 0).shape == (0, 50)
    assert context.length == 2
    np.testing.assert_array_equal(context.extend([3]), before)


@pytest.mark.parametrize(
    "config",
    [
        LlamaConfig(hidden_act="gelu"),
        LlamaConfig(rope_parameters={"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4}),
        LlamaConfig(sliding_window=12),
        LlamaConfig(architectures=["LlamaForSequenceClassification"]),
        MistralConfig(),
    ],
    ids=["activation", "rotations", "unknown field", "another head", "another family"],
)
def test_what_it_does_not_compute_it_does_not_read(config: Any) -> None:
    small = {"num_hidden_layers": 1, "vocab_size": 50, "hidden_size": 32, "intermediate_size": 64}
    config.update(small | {"num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 8})
    names = set(AutoModelForCausalLM.from_config(config).state_dict()) | {"lm_head.weight"}
    assert not can_read(config, names, CPU)
    known = tiny_llama(num_hidden_layers=1, num_key_value_heads=4)
    assert (
        can_read(known.config, names - {"lm_head.weight"}, CPU) is known.config.tie_word_embeddings
    )


def test_a_file_with_other_tensors_is_not_read(tmp_path: Path) -> None:
    module = tiny_llama()
    state = {
        k: v.contiguous().clone() for k, v in module.state_dict().items() if "lm_head" not in k
    }
    save_file(state, tmp_path / "model.safetensors")
    names = names_in(tmp_path / "model.safetensors")
    assert can_read(module.config, names, CPU)
    assert not can_read(module.config, names | {"model.layers.0.self_attn.q_norm.weight"}, CPU)
    assert not can_read(module.config, names - {"model.layers.1.mlp.up_proj.weight"}, CPU)
    get = in_file(tmp_path / "model.safetensors", torch.bfloat16, CPU)
    found = get("model.norm.weight")
    assert found is not None
    assert found.dtype == torch.bfloat16
    assert get("model.layers.0.mlp.up_proj.bias") is None


def test_a_choice_is_measured_once_and_kept(tmp_path: Path) -> None:
    if not can_pack(CPU, torch.float32):
        pytest.skip("this build of torch has no packed products: nothing is chosen")
    sample, asked = [torch.randn(64, 32)], []

    def give() -> list[torch.Tensor]:
        asked.append(1)
        return sample

    first = choose("tiny", sample[0], give, tmp_path)
    again = choose("tiny", sample[0], give, tmp_path)
    assert (first, len(asked)) == (again, 1), "it was measured again"
    assert set(first.ms) == {"plain", "packed"}
    (tmp_path / "passes.json").write_text("{")
    choose("tiny", sample[0], give, tmp_path)
    assert len(asked) == 2, "a broken file was believed"
    for i in range(40):
        choose(f"tiny {i}", sample[0], give, tmp_path)
    assert len(json.loads((tmp_path / "passes.json").read_text())) == 32, "the file grows"


def test_nothing_is_measured_where_nothing_can_be_packed() -> None:
    def never() -> list[torch.Tensor]:
        raise AssertionError("there is nothing to choose")

    assert choose("tiny", torch.empty(1, 1, device="meta"), never, None) == Choice()


def test_the_widths_are_the_cheapest() -> None:
    ms = (9.0, 8.0, 7.0, 6.0, 6.5, 6.6, 6.7, 6.8, 6.9, 9.0)
    widths = best_widths(ms)
    assert widths == (0, 4, 4, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
    assert chosen({"plain": ms, "packed": tuple(1.01 * x for x in ms)}).layout == "plain"
    assert best_widths([float(n) for n in ROWS]) == tuple(range(14))
