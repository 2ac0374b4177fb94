"""The training package on a tiny random model: every stage's promise, in a few seconds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.tiny_training import RECIPE, SHAPE, shard
from training.bigram import Bigram, make_bigram
from training.distill import Students, batches, losses
from training.draft import load_draft, most_frequent
from training.evaluate import bootstrap, first_turn, overlaps
from training.llama import hidden_states
from training.target import Target, unpermute
from training.texts.adopt import adopt
from training.texts.passages import cut_passages
from training.texts.prompts import HELDOUT_FILE, TRAINING_FILE
from training.texts.sample import Sampler, Texts
from training.texts.score import Scored, Scorer


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    """Tiny products: more threads only wait for each other."""
    torch.set_num_threads(1)


def scored(target: Target, texts: Texts) -> tuple[Scored, torch.Tensor]:
    scorer = Scorer(target, 64, torch.float32)
    return scorer.score(texts), scorer.mass


def test_sampling_is_reproducible_from_its_seed(target: Target, texts: Texts) -> None:
    again, other = shard(target, seed=5), shard(target, seed=6)
    assert np.array_equal(texts.tokens, again.tokens)
    assert not np.array_equal(texts.tokens, other.tokens)


def test_a_text_begins_with_its_prompt(texts: Texts) -> None:
    for tokens, length in zip(texts.tokens, texts.prompt_length, strict=True):
        assert tokens[:length].tolist() == list(range(3, 3 + length))


def test_cold_sampling_takes_the_argmax_of_a_full_forward_pass(target: Target) -> None:
    sampler = Sampler(target, 2, 20, torch.float32)
    prompts = [np.array([7, 8, 9], np.int32), np.array([4], np.int32)]
    text = sampler.run(prompts, torch.zeros(2), 20, seed=0)
    states = hidden_states(target.weights, SHAPE, target.embedding, text)
    best = (states @ target.embedding.T).argmax(-1)
    for row, prompt in enumerate(prompts):
        assert torch.equal(text[row, len(prompt) :], best[row, len(prompt) - 1 : -1])


def test_forward_pass_equals_transformers(target: Target) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=300,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        rms_norm_eps=SHAPE.eps,
        rope_parameters={"rope_theta": SHAPE.rope_theta, "rope_type": "default"},
        tie_word_embeddings=True,
    )
    model = LlamaForCausalLM(config).eval()
    model.load_state_dict(
        {**target.weights, "model.embed_tokens.weight": target.embedding}, strict=False
    )
    tokens = torch.randint(0, 300, (2, 17))
    with torch.inference_mode():
        mine = hidden_states(target.weights, SHAPE, target.embedding, tokens) @ target.embedding.T
        assert torch.allclose(mine, model(tokens).logits, atol=1e-4)


def test_kept_states_give_back_the_targets_law(target: Target, texts: Texts) -> None:
    kept, _ = scored(target, texts)
    states = hidden_states(target.weights, SHAPE, target.embedding, kept.tokens)
    law = (states @ target.embedding.T).softmax(-1)
    again = torch.exp(kept.states.float() @ target.embedding.T - kept.normalizer[..., None])
    assert (law - again).abs().sum(-1).max() / 2 < 0.01


def test_one_distill_step_lowers_the_loss(target: Target, texts: Texts) -> None:
    kept, mass = scored(target, texts)
    students = Students.start(target, most_frequent(mass, RECIPE.head_rows), RECIPE)
    batch = next(batches([kept], RECIPE.batch_tokens, seed=0))

    def loss() -> float:
        with torch.no_grad():
            rung = students.rungs[-1]
            mine = rung.states(target.embedding, batch.tokens, torch.float32).flatten(0, 1)
            logits = batch.states.flatten(0, 1).float() @ target.embedding[students.token_ids].T
            counted = batch.counted.flatten().float()
            return float(
                losses(mine, students.head, logits, batch.normalizer.flatten(), counted)[0]
            )

    before = loss()
    students.step(target, batch, RECIPE, progress=0.1, dtype=torch.float32)
    assert loss() < before


def test_head_ids_ascend_and_cover_the_stated_mass(target: Target, texts: Texts) -> None:
    _, mass = scored(target, texts)
    ids = most_frequent(mass, 100)
    assert torch.all(ids.diff() > 0)
    best = mass.sort(descending=True).values[:100].sum()
    assert torch.isclose(mass[ids].sum(), best)
    assert float(best / mass.sum()) > 100 / 300


def test_saved_rungs_load_and_their_law_sums_to_one(
    target: Target, texts: Texts, tmp_path: Path
) -> None:
    _, mass = scored(target, texts)
    students = Students.start(target, most_frequent(mass, 100), RECIPE)
    students.save(tmp_path, seen=123)
    draft = load_draft(tmp_path / "layers-2", target)
    law = draft.log_law(target.embedding, torch.arange(10)[None]).exp()
    assert torch.allclose(law.sum(-1), torch.ones(1, 10), atol=1e-5)
    assert int((law[0, 0] > 0).sum()) == 100
    resumed = Students.resume(target, tmp_path, RECIPE)
    assert [r.shape.layers for r in resumed.rungs] == [1, 2]


def test_bigram_law_sums_to_one(target: Target, texts: Texts, tmp_path: Path) -> None:
    make_bigram([texts], SHAPE.vocab, successors=4, at_least=1).save(tmp_path / "m.safetensors")
    bigram = Bigram.load(tmp_path / "m.safetensors")
    assert int(bigram.start.diff().max()) <= 4
    many = bigram.laws(torch.arange(SHAPE.vocab))
    for token in range(SHAPE.vocab):
        law = bigram.law(token)
        assert abs(law.sum() - 1) < 1e-9
        assert law.min() > 0
        assert np.allclose(law, many[token].numpy(), atol=1e-6)


def test_held_out_prompts_share_nothing_with_training() -> None:
    training, heldout = (json.loads(p.read_text()) for p in (TRAINING_FILE, HELDOUT_FILE))

    def parts(spec: dict[str, object], name: str) -> set[str]:
        kinds = spec["kinds"]
        assert isinstance(kinds, dict)
        found = {t for part in kinds.values() if name in part for t in part[name] if part[name]}
        found |= set(spec.get(name, []))  # type: ignore[call-overload]
        return {text.lower() for text in found if len(text) > 1}

    for name in ("templates", "topics"):
        assert not parts(training, name) & parts(heldout, name)
    text = TRAINING_FILE.read_text().lower()
    assert not [t for t in parts(heldout, "topics") if t in text]


def test_passages_are_neighboring_sentences_of_prose() -> None:
    first = "The mill by the river was sold to a family from the north in the same year."
    second = "Nobody in the village had ever seen so many clocks in a single kitchen."
    third = "They were wound by hand every evening, and no two of them agreed."
    prose = f"{first} {second} {third}"
    text = f"# Title\n{prose}\n- {first} {second}<|im_end|>x = [{first}]"
    for seed in range(5):
        found = list(cut_passages(text, np.random.default_rng(seed)))
        assert found
        assert all(one in prose for one in found)
        assert len({s for one in found for s in (first, second, third) if s in one}) >= 2


def test_overlap_is_one_for_equal_laws_and_alpha_has_an_interval() -> None:
    logits = torch.randn(4, 50)
    for temperature in (0.0, 0.5, 1.0):
        same = overlaps(logits, logits.log_softmax(-1), temperature)
        assert torch.allclose(same, torch.ones(4), atol=1e-5)
    alpha = bootstrap(np.array([1.0, 3.0, 2.0]), np.array([2.0, 4.0, 4.0]))
    assert alpha.mean == 0.6
    assert alpha.low <= alpha.mean <= alpha.high


def test_a_turn_is_counted_up_to_its_end() -> None:
    tokens = np.array([[9, 2, 8, 7, 2, 6, 6]], np.uint16)  # prompt 9 2, answer 8 7 2
    one = np.array([2], np.int32)
    texts = Texts(tokens, one, np.array([7], np.int32), np.ones(1, np.float32), one, one)
    assert first_turn(texts)[0].tolist() == [False, True, True, True, False, False, False]


def test_adopted_texts_keep_their_lengths(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "old.npz",
        token_ids=np.arange(9, dtype=np.uint16),
        length=np.array([5, 4]),
        prompt_length=np.array([2, 1]),
        temperature=np.array([1.0, 0.3], np.float32),
    )
    assert adopt(tmp_path / "old.npz", tmp_path / "samples", rows=8) == 1
    texts = Texts.load(tmp_path / "samples" / "shard-000.npz")
    assert texts.tokens.tolist() == [[5, 6, 7, 8, 0], [0, 1, 2, 3, 4]]
    assert texts.wrote().sum() == 6  # 3 of each: the last position's next token is unknown


def test_unpermute_undoes_llama_cpp() -> None:
    ours = torch.arange(16.0).view(16, 1)  # 2 heads of 8 rows
    theirs = ours.view(2, 2, 4, 1).transpose(1, 2).reshape(16, 1)
    assert torch.equal(unpermute(theirs, heads=2), ours)
