"""Rounding or bug? Every verdict, on a target small enough to make each case by hand."""

import copy
import dataclasses
import json
from collections.abc import Sequence

import numpy as np
import pytest
import torch

from engines.rounding import scores, sentences
from engines.rounding.check import RoundingCheck, Step, check
from engines.rounding.found import FAR, Rounding, Side, judge
from engines.rounding.scores import both_ways, forced, in_precision, spacing
from helpers.parted_texts import LENGTH, PROMPT, greedy, parted
from helpers.tiny_models import fresh_rows
from speculation.models.blocks import rows_in_blocks
from speculation.models.language_model import TransformersModel
from speculation.pairs.pair import Pair
from speculation.text import PromptRefused, encode, end_tokens


def asked(
    pair: Pair, one: Sequence[int] | str, two: Sequence[int] | str, **more: object
) -> Rounding:
    """The answer; texts as ids, or as they are."""
    given = [x if isinstance(x, str) else json.dumps([int(t) for t in x]) for x in (one, two)]
    options = {"precision": "float32", "k": 3} | more
    return check(pair, RoundingCheck(PROMPT, *given, **options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def text(tiny_pair: Pair) -> list[int]:
    return greedy(tiny_pair)


PLACE = 3


def with_twin(pair: Pair, factor: float) -> tuple[Pair, list[int], int]:
    """The pair with a second token whose logit is `factor` times that of the fourth greedy token.

    -> pair, its greedy text, and the one of the two tokens that the text does not have there
    """
    text = greedy(pair)
    assert text[PLACE] not in text[:PLACE]
    with torch.inference_mode():
        module = copy.deepcopy(pair.target.module)  # type: ignore[attr-defined]
        weight = module.get_input_embeddings().weight
        twin = next(i for i in range(200, 250) if i not in text)
        weight[twin] = weight[text[PLACE]] * factor
    near = dataclasses.replace(pair, target=TransformersModel(module, "near", "near/float32"))
    found = greedy(near)
    assert found[:PLACE] == text[:PLACE]
    return near, found, twin if found[PLACE] == text[PLACE] else text[PLACE]


# The verdicts


def test_equal_texts_have_nothing_to_explain(tiny_pair: Pair, text: list[int]) -> None:
    found = asked(tiny_pair, text, text)
    assert found.verdict == "identical"
    assert found.common == LENGTH
    assert "nothing to explain" in sentences.verdict_sentence(found)


def test_another_token_is_not_explained_by_rounding(tiny_pair: Pair, text: list[int]) -> None:
    found = asked(tiny_pair, text, parted(tiny_pair, text, 7))
    assert (found.verdict, found.common) == ("not-rounding", 7)
    assert found.one.behind == 0.0
    assert found.two.behind > 100 * found.reach
    assert found.two.token == parted(tiny_pair, text, 7)[7]
    assert found.gap == pytest.approx(found.two.behind)
    assert found.flips == 0
    assert "Text two's token" in sentences.verdict_sentence(found)
    swapped = asked(tiny_pair, parted(tiny_pair, text, 7), text)
    assert "Text one's token" in sentences.verdict_sentence(swapped)


TIE = 1.0 + 1e-7


def test_a_tie_is_called_a_tie(tiny_pair: Pair) -> None:
    pair, text, twin = with_twin(tiny_pair, TIE)
    found = asked(pair, text, parted(pair, text, PLACE, twin))
    assert (found.verdict, found.common) == ("near-tie", PLACE)
    assert 0.0 < found.reach < 1e-4
    assert found.spacing == spacing(found.candidates[0].plain, "float32")
    assert "not to blame" in sentences.verdict_sentence(found)
    assert "meets the topmost" in sentences.picture_sentence(found)


def test_what_is_a_tie_depends_on_the_precision(tiny_pair: Pair) -> None:
    """A gap of some hundredths of a logit: rounding in bfloat16, far too much in float32."""
    pair, text, twin = with_twin(tiny_pair, 0.999)
    other = parted(pair, text, PLACE, twin)
    exact = asked(pair, text, other)
    coarse = asked(pair, text, other, precision="bfloat16")
    assert exact.verdict == "not-rounding"
    assert coarse.verdict == "near-tie"
    assert coarse.gap32 == pytest.approx(exact.gap, abs=1e-4)
    assert coarse.reach >= 2 * coarse.spacing > 1000 * exact.reach


def test_a_tie_does_not_hide_what_comes_later(tiny_pair: Pair) -> None:
    pair, text, twin = with_twin(tiny_pair, TIE)
    found = asked(pair, text, parted(pair, parted(pair, text, PLACE, twin), 15))
    assert found.verdict == "later"
    assert (found.one.far, found.two.far) == ([], [15])
    assert "does not explain those" in sentences.verdict_sentence(found)


def test_a_text_that_was_cut(tiny_pair: Pair, text: list[int]) -> None:
    for one, two in ((text[:9], text), (text, text[:9]), ([], text)):
        found = asked(tiny_pair, one or "", two)
        assert found.verdict == "cut", found
        assert found.common == len(min(one, two, key=len))
        assert "was cut" in sentences.verdict_sentence(found)


def test_a_text_that_goes_on_after_its_end(tiny_pair: Pair, text: list[int]) -> None:
    end = min(end_tokens(tiny_pair.tokenizer))
    found = asked(tiny_pair, [*text[:9], end], [*text[:9], end, *text[9:]])
    assert found.verdict == "past-end"
    assert any("after an end token" in note for note in found.notes)
    assert "that is a bug" in sentences.verdict_sentence(found)


def test_an_end_that_the_target_wanted_and_one_text_ignored(tiny_pair: Pair) -> None:
    class Ending:
        """The target, made sure of the end after nine tokens."""

        def __init__(self, pair: Pair, after: int, end: int) -> None:
            self._target, self._after, self._end = pair.target, after, end

        def __getattr__(self, name: str) -> object:
            return getattr(self._target, name)

        def start(self) -> object:
            inner, outer = self._target.start(), self

            class Context:
                def extend(self, tokens: Sequence[int], rows: int = 1) -> object:
                    logits = inner.extend(tokens, rows).copy()
                    place = outer._after - (inner.length - rows) - 1
                    if 0 <= place < rows:
                        logits[place, outer._end] = logits[place].max() + 9.0
                    return logits

            return Context()

    text = greedy(tiny_pair)
    end = min(end_tokens(tiny_pair.tokenizer))
    prompt = encode(tiny_pair.tokenizer, PROMPT, "chat")
    target = Ending(tiny_pair, len(prompt) + 9, end)
    pair = dataclasses.replace(tiny_pair, target=target)  # type: ignore[arg-type]
    found = asked(pair, text[:9], text)
    assert found.verdict == "not-rounding"
    assert found.one.ended
    assert (found.one.token, found.one.behind) == (end, 0.0)
    assert found.two.behind > 8.9


def test_sampled_texts_are_recognized(tiny_pair: Pair, text: list[int]) -> None:
    rng = np.random.default_rng(1)
    sampled = [[int(x) for x in rng.integers(0, 200, LENGTH)] for _ in range(2)]
    found = asked(tiny_pair, *sampled)
    assert found.verdict == "not-greedy"
    assert "were sampled" in sentences.verdict_sentence(found)
    shared = asked(tiny_pair, sampled[0], [*sampled[0][:12], *text[:12]])
    assert shared.verdict == "not-greedy", "wrong before the difference"
    one = asked(tiny_pair, text, sampled[0])
    assert one.verdict == "not-rounding"
    assert len(one.two.far) > 5, "counted, so that the page can say it"


def test_just_outside_is_doubtful() -> None:
    sides = Side(tokens=9), Side(tokens=9, behind=0.5)
    assert judge(*sides, 3, reach=0.5) == "near-tie"
    assert judge(*sides, 3, reach=0.49) == "doubtful"
    assert judge(*sides, 3, reach=0.49 / FAR) == "not-rounding"


# What goes in


@pytest.mark.parametrize(
    ("one", "two", "said"),
    [
        ("", " ", "Both texts are empty"),
        ("[1, 2]", "abc", "in the same way"),
        ("[1, 9999]", "[1]", "9999 is no token"),
        ("x" * 2000, "y", "at most"),
    ],
)
def test_what_cannot_be_compared_is_refused(tiny_pair: Pair, one: str, two: str, said: str) -> None:
    with pytest.raises(PromptRefused, match=said):
        check(tiny_pair, RoundingCheck(PROMPT, one, two))


def test_texts_are_split_by_the_tokenizer_and_that_is_said(tiny_pair: Pair) -> None:
    found = asked(tiny_pair, "[almost] a list", "a text")
    assert not found.one.written
    assert any("split by the target's tokenizer" in note for note in found.notes)
    assert asked(tiny_pair, [1, 2], [1, 3]).notes == []


# The passes


def test_forcing_gives_what_one_fresh_pass_gives(tiny_pair: Pair) -> None:
    before, tokens = [1, 2, 3], [int(x) for x in np.random.default_rng(0).integers(0, 200, 130)]
    rows = fresh_rows(tiny_pair.target, [*before, *tokens], len(tokens) + 1)[:-1]
    found = forced(tiny_pair.target, before, tokens)
    assert (found.best == rows.argmax(axis=1)).all()
    behind = rows.max(axis=1) - rows[np.arange(len(tokens)), tokens]
    assert found.behind == pytest.approx(behind, abs=1e-3)


@pytest.mark.parametrize("length", [1, 3, 30, 90])
def test_both_ways_score_the_same_row(tiny_pair: Pair, length: int) -> None:
    text = [int(x) for x in np.random.default_rng(0).integers(0, 200, length)]
    *_, (_, both) = both_ways(tiny_pair.target, text, 4, [7, 8])
    assert both is not None
    row = fresh_rows(tiny_pair.target, text)[-1]
    assert both.plain == pytest.approx(row, abs=1e-3)
    assert both.blocks.shape == (4, tiny_pair.target.vocab_size)
    assert np.abs(both.blocks - row).max() < 1e-3
    assert 0.0 < both.moved < 1e-3 or length == 1


def test_rows_do_not_depend_on_the_blocks(tiny_pair: Pair) -> None:
    text = [int(x) for x in np.random.default_rng(2).integers(0, 200, 20)]
    whole = fresh_rows(tiny_pair.target, text, 20)
    for first, block in ((0, 1), (0, 7), (3, 4), (19, 4)):
        rows = rows_in_blocks(tiny_pair.target, text, first, block)
        assert np.abs(rows - whole[first:]).max() < 1e-3


@pytest.mark.parametrize("precision", scores.PRECISIONS)
def test_a_copy_in_another_precision(tiny_pair: Pair, precision: str) -> None:
    model = in_precision(tiny_pair.target, precision)  # type: ignore[arg-type]
    if model is None:
        pytest.skip(f"this machine cannot compute in {precision}")
    off = np.abs(fresh_rows(model, [1, 2, 3]) - fresh_rows(tiny_pair.target, [1, 2, 3])).max()
    assert (off == 0.0) == (precision == "float32")
    assert off < 1.0
    assert tiny_pair.target.module.dtype == torch.float32  # type: ignore[attr-defined]


def test_a_precision_that_the_machine_lacks(
    tiny_pair: Pair, text: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engines.rounding.check.in_precision", lambda *_: None)
    found = asked(tiny_pair, text, parted(tiny_pair, text, 7), precision="float16")
    assert not found.computed
    assert found.reach == 2 * found.spacing
    assert any("cannot compute in float16" in x for x in sentences.numbers_sentences(found))


def test_states_tell_how_far_it_is(tiny_pair: Pair, text: list[int]) -> None:
    question = RoundingCheck(PROMPT, json.dumps(text), json.dumps(parted(tiny_pair, text, 7)))
    states = list(question.states(tiny_pair))
    done = [step.done for step in states]
    assert done == sorted(done)
    assert done[-1] == 1.0
    assert all(isinstance(step, Step) and step.doing for step in states)
    assert [step.result is None for step in states] == [True] * (len(states) - 1) + [False]
    assert hash(question) == hash(dataclasses.replace(question))
    result = states[-1].result
    assert result is not None
    assert Rounding.model_validate_json(result.model_dump_json()) == result
