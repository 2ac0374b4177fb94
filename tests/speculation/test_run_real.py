"""The real pair, in float32: what the tables and the tiny models show holds here as well."""

from typing import Any

import pytest
import torch

from helpers.cache_check import Crooked, check_cached_steps
from speculation import text
from speculation.decode import Request
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.pairs.shelf import Shelf
from speculation.run import Run, run
from speculation.settings import Settings
from speculation.text import PromptRefused

BASE = Settings(length=24)


def moved(**changes: Any) -> Settings:
    return Settings(**BASE.model_dump() | changes)


HARD = "Tell a long story about an honest thief."  # the draft is often rejected


def request_of(pair: Pair, length: int, asked: str = BASE.prompt) -> Request:
    prompt = text.encode(pair.tokenizer, asked, "chat")
    return Request(prompt, BASE.sampling, 4, 1, length, text.end_tokens(pair.tokenizer))


def test_cached_steps_equal_fresh_ones(real_pair: Pair) -> None:
    assert check_cached_steps(real_pair.target, real_pair.draft, request_of(real_pair, 24)) > 20


@pytest.mark.parametrize("by", [1, -1])
def test_a_rollback_off_by_one_is_caught(real_pair: Pair, by: int) -> None:
    crooked: Any = Crooked(real_pair.target, by)
    with pytest.raises(AssertionError, match="the target's cached logits are off"):
        check_cached_steps(crooked, real_pair.draft, request_of(real_pair, 24, HARD))


def test_greedy_text_is_what_generate_writes(real_pair: Pair) -> None:
    settings = moved(temperature=0.0, length=40)
    trace = run(real_pair, settings)
    prompt = torch.tensor([trace.prompt_ids])
    with torch.inference_mode():
        written = real_pair.target.module.generate(  # type: ignore[attr-defined]
            prompt,
            attention_mask=torch.ones_like(prompt),
            do_sample=False,
            max_new_tokens=settings.length,
            eos_token_id=sorted(text.end_tokens(real_pair.tokenizer)),
            pad_token_id=0,
        )
    assert trace.tokens == written[0, prompt.shape[1] :].tolist()


@pytest.mark.parametrize("change", [{}, {"temperature": 0.7, "top_p": 0.9, "k": 3}])
def test_the_target_as_its_own_draft_is_never_rejected(shelf: Shelf, change: dict) -> None:
    trace = run(shelf.pair("smollm2-135m/target", "float32"), moved(**change))
    refused = [x for cycle in trace.cycles for x in cycle.drafted if x.verdict != "accepted"]
    assert not refused, f"q = p, yet {refused[0]} was not accepted"


def test_a_warm_store_changes_no_byte(real_pair: Pair) -> None:
    store = PassStore()
    first = run(real_pair, BASE, store).compared()
    for change in ({"temperature": 0.8}, {"k": 2, "length": 12}):
        warm = run(real_pair, moved(**change), store).compared()
        assert warm == run(real_pair, moved(**change)).compared(), f"{change} on a warm store"
    assert run(real_pair, BASE, store).compared() == first, "the way back gave other bytes"


def test_stop_and_resume_equals_one_go(real_pair: Pair) -> None:
    store = PassStore()
    stopped = Run(real_pair, BASE, store)
    for cycle in stopped:
        if cycle.index == 1:
            break
    half = stopped.trace()
    for _ in stopped:
        pass
    whole = run(real_pair, BASE)
    assert stopped.trace().compared() == whole.compared(), "a paused run went on differently"
    assert half.cycles == whole.cycles[: len(half.cycles)]
    assert run(real_pair, BASE, store).compared() == whole.compared(), "a new run after the stop"


def test_a_prompt_that_leaves_no_room_is_refused_with_the_numbers(real_pair: Pair) -> None:
    long = moved(prompt="\u9fa5" * 8000, mode="continue", length=200)
    with pytest.raises(PromptRefused, match=r"reads at most 8192 tokens; the prompt has \d+"):
        Run(real_pair, long)


@pytest.mark.parametrize("mode", ["chat", "continue"])
def test_an_empty_prompt_works(real_pair: Pair, mode: str) -> None:
    trace = run(real_pair, moved(prompt="", mode=mode, length=3))
    assert trace.prompt_ids
    assert len(trace.tokens) == 3 or trace.finish == "end"
