"""What is measured besides planned runs: laws in longer contexts, and one curve for the page."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from helpers.tiny_models import tiny_llama
from measuring.curve_here import ORDER, Here, MeasureHere
from measuring.intervals import ratio_of_sums
from measuring.ladder.agreement import Agreements, Written, agreement, let_target_write
from measuring.ladder.context import compare_laws, write_texts
from measuring.ladder.heldout_prompts import KINDS, many_prompts
from measuring.ladder.on_presets import preset_runs
from measuring.ladder_cells import speed_cells
from measuring.ladder_file import DRAFT_LENGTHS
from measuring.run_record import PLAIN
from speculation.drafts.lookup import LookupModel
from speculation.models.language_model import LanguageModel, TransformersModel
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.sampling import Sampling, law
from speculation.text import encode, end_tokens

# Longer contexts, and what changes a law


def test_laws_are_compared_in_windows(tiny_pair: Pair) -> None:
    rng = np.random.default_rng(0)
    texts = rng.integers(0, 200, (2, 160)).tolist()
    drafts = {"same": tiny_pair.target, "other": tiny_pair.draft}
    *_, found = compare_laws(texts, tiny_pair.target, tiny_pair.target, drafts, (64, 128))
    by_rung = {(x.rung, x.tokens): x.alpha.mean for x in found.context}
    assert by_rung["same", 64] == pytest.approx(1.0, abs=1e-5)
    assert 0.1 < by_rung["other", 128] < 0.95
    changes = {x.name: x.tv.mean for x in found.changes}
    assert changes["bfloat16"] == pytest.approx(0.0, abs=1e-5), "here it is the same model"
    assert 0.0 < changes["top-p .95"] < changes["top-p .9"] <= 0.1 + 1e-9
    assert 0.0 < changes["top-k 50"] < changes["top-k 20"] < 1.0


# Agreement on the target's own texts


@pytest.fixture(scope="module")
def written(tiny_pair: Pair) -> list[Written]:
    *_, texts = let_target_write(tiny_pair, texts=3, length=12)
    return texts


def test_the_target_answers_every_prompt_whole(tiny_pair: Pair, written: list[Written]) -> None:
    ends = end_tokens(tiny_pair.tokenizer)
    assert [text.kind for text in written] == [kind for kind in KINDS for _ in range(3)]
    prompts = [prompt for some in many_prompts(3).values() for prompt in some]
    assert len(set(prompts)) == len(prompts)
    for prompt, text in zip(prompts, written, strict=True):
        start = encode(tiny_pair.tokenizer, prompt, "chat")
        assert text.tokens[: text.given] == tuple(start), "prompts of other lengths stand beside it"
        answer = text.tokens[text.given :]
        assert len(answer) == 12 or answer[-1] in ends
        assert not ends.intersection(answer[:-1])


def test_texts_written_together_are_those_written_alone(tiny_pair: Pair) -> None:
    cold = tiny_llama(tiny_pair.target.vocab_size)
    with torch.no_grad():
        cold.lm_head.weight.mul_(1e4)  # so sure that no draw can differ
    pair = replace(tiny_pair, target=TransformersModel(cold, "cold", "cold"))
    starts = [[5, 6, 7], [8, 9, 10, 11, 12, 13], [14]]
    *_, together = write_texts(pair, starts, 20, seed=0)
    for start, text in zip(starts, together, strict=True):
        *_, [alone] = write_texts(pair, [start], 20, seed=1)
        assert text == alone


def test_agreement_is_the_overlap_at_every_written_position(
    tiny_pair: Pair, written: list[Written]
) -> None:
    drafts: dict[str, LanguageModel] = {
        "same": tiny_pair.target,
        "other": tiny_pair.draft,
        "lookup": LookupModel(tiny_pair.target.vocab_size, tiny_pair.target.max_length),
    }
    *_, found = agreement(written, tiny_pair.target, drafts)
    positions = [len(text.tokens) - text.given for text in written]
    assert found.counts["same"] == found.counts["other"] == positions
    assert found.counts["lookup"] != positions, "it has nothing to propose at most places"
    same, other = found.of("same"), found.of("other", "story")
    assert same is not None
    assert other is not None
    assert same.mean == pytest.approx(1.0, abs=1e-5)
    expected = []
    for text in (x for x in written if x.kind == "story"):
        for n in range(text.given, len(text.tokens)):
            p, q = (
                law(model.start().extend(text.tokens[:n])[0], Sampling())
                for model in (tiny_pair.target, tiny_pair.draft)
            )
            expected.append(np.minimum(p, q).sum())
    assert other.mean == pytest.approx(np.mean(expected), abs=1e-5)
    assert other.count == 3


def test_drafts_are_compared_on_the_same_texts_only(written: list[Written]) -> None:
    counts = [10] * len(written)
    start = {"start": [4.0] * len(written), "better": [float(i % 3 + 4) for i in range(15)]}
    found = Agreements.empty(written).model_copy(
        update={"sums": start | {"lookup": [0.0] * 15},
                "counts": dict.fromkeys(start, counts) | {"lookup": [0] * 15}}
    )  # fmt: skip
    base = found.baseline("start", "digest")
    gain = found.above("better", base)
    assert gain is not None
    assert gain.mean == pytest.approx(0.1)
    assert gain.low < 0.1 < gain.high
    assert found.above("start", base) == ratio_of_sums([0.0] * 15, counts)
    assert [cell.rung for cell in found.cells(["better", "lookup", "missing"], base)] == ["better"]
    other = found.model_copy(update={"digest": "of other texts"})
    assert other.above("better", base) is None
    assert found.baseline("missing", "digest") is None


# On the page's machine


def test_presets_are_measured_between_turns_of_plain_decoding(tiny_pair: Pair) -> None:
    class Ready:
        def get(self, rung: str, precision: str) -> Pair:
            return tiny_pair

    ready: Any = Ready()
    records = list(preset_runs(ready, ["layers-4", "layers-1"], quick=True))
    assert {record.kind for record in records} == {"code"}, "one preset, since it is quick"
    order = [(x.rung, x.k, x.turn) for x in records if x.temperature == 0.0]
    every = [(rung, k) for rung in ("layers-4", "layers-1") for k in (2, 4)]
    expected = [(PLAIN, 0, 0), *((*one, 0) for one in every)]
    expected += [(PLAIN, 0, 1), *((*one, 1) for one in every), (PLAIN, 0, 2)]
    assert order == expected
    cells = speed_cells(records)
    assert {(x.rung, x.k, x.temperature) for x in cells} == {
        (*one, heat) for one in every for heat in (0.0, 0.7)
    }


def test_a_curve_measured_here_has_every_k(tiny_pair: Pair) -> None:
    work = MeasureHere("tiny", "code", "to be or not", "chat", 1.0, "float32", 12)
    assert hash(work) == hash(
        MeasureHere("tiny", "code", "to be or not", "chat", 1.0, "float32", 12)
    )
    states: list[Any] = list(work.states(tiny_pair, PassStore()))
    assert [x.done for x in states] == sorted(x.done for x in states)
    last = states[-1]
    assert isinstance(last, Here)
    assert len(last.records) == len(ORDER)
    assert [x.k for x in last.cells] == list(DRAFT_LENGTHS)
    assert states[len(states) // 2].done < 1.0 == last.done
