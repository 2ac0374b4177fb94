"""Every kind of draft in the catalog: its law, exactness with it, and a cycle without a draft."""

from typing import Any

import numpy as np
import pytest

from helpers.cache_check import Crooked, check_cached_steps
from helpers.rungs import (
    KINDS,
    SIZE,
    as_table,
    check_drafted_from_its_law,
    tiny_rung,
    tiny_target,
    whole,
)
from helpers.tables import TableModel, joint_law, random_tree
from helpers.tiny_models import fresh_rows
from speculation.decode import Decoder, Request
from speculation.drafts.lookup import LookupModel
from speculation.exactness.counts import pearson_of
from speculation.pairs.catalog import pairs
from speculation.pairs.shelf import Shelf
from speculation.rule import committed_law
from speculation.sampling import Sampling, law
from speculation.text import encode

TEXTS, LENGTH = 1_000, 2
PROMPT = (0, 1, 4, 0, 1)  # the lookup finds what followed
REAL = list(pairs())


def kind_of(pair: str) -> str:
    name = pair.split("/")[1]
    return next((kind for kind in KINDS if name.startswith(kind)), name)


def test_every_draft_in_the_catalog_is_of_a_kind_that_is_tested() -> None:
    assert {kind_of(pair) for pair in REAL} <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.0])
def test_a_drafted_token_is_drawn_from_the_recorded_law(kind: str, temperature: float) -> None:
    target = tiny_target()
    request = Request(PROMPT, Sampling(temperature), 3, 5, 24)
    seen = check_drafted_from_its_law(target, tiny_rung(kind, target), request)
    assert seen > (3 if kind == "lookup" else 15)


# The lookup's context is its text: that it is cut to the right length is in the test above.
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "lookup"])
def test_cached_steps_equal_fresh_ones(kind: str) -> None:
    target = tiny_target()
    request = Request(PROMPT, Sampling(), 3, 2, 20)
    assert check_cached_steps(target, tiny_rung(kind, target), request) > 10


@pytest.mark.parametrize("kind", ["layers", "early-exit"])
def test_a_draft_cut_to_the_wrong_length_is_caught(kind: str) -> None:
    target = tiny_target()
    draft: Any = Crooked(tiny_rung(kind, target), 1)
    with pytest.raises(AssertionError, match="the draft's cached logits are off"):
        check_cached_steps(target, draft, Request(PROMPT, Sampling(), 3, 2, 30))


@pytest.mark.parametrize("kind", KINDS)
def test_the_texts_follow_the_targets_law(kind: str) -> None:
    """With whatever draft, texts of two tokens are counted against the enumerated law."""
    target = tiny_target()
    p, q = as_table(target), as_table(tiny_rung(kind, target))
    claimed = joint_law(lambda text: p.law_after(PROMPT + text), SIZE, LENGTH)
    counts: dict[tuple[int, ...], int] = {}
    for seed in range(TEXTS):
        decoder = Decoder(p, q, Request(PROMPT, Sampling(), 2, seed, LENGTH))
        for _ in decoder:
            pass
        text = tuple(decoder.generated)
        counts[text] = counts.get(text, 0) + 1
    found = pearson_of(counts, claimed, np.random.default_rng(0))
    assert found.p_value > 1e-3, f"with {kind} the texts are not the target's: {found}"


def test_the_same_count_catches_a_draft_that_is_kept_too_often() -> None:
    """The planted bug: the draft's own texts, as if all had been accepted."""
    target = tiny_target()
    p, q = as_table(target), as_table(tiny_rung("bigram", target))
    claimed = joint_law(lambda text: p.law_after(PROMPT + text), SIZE, LENGTH)
    counts: dict[tuple[int, ...], int] = {}
    for seed in range(TEXTS):
        decoder = Decoder(q, q, Request(PROMPT, Sampling(), 2, seed, LENGTH))
        for _ in decoder:
            pass
        text = tuple(decoder.generated)
        counts[text] = counts.get(text, 0) + 1
    assert pearson_of(counts, claimed, np.random.default_rng(0)).p_value < 1e-6


def test_a_cycle_without_a_draft_is_a_cycle() -> None:
    """Nothing matches, nothing is proposed: one target step, one bonus, and no passes wasted."""
    target = TableModel(random_tree(1, SIZE), SIZE)
    decoder = Decoder(target, LookupModel(SIZE, 100), Request((0, 1, 2, 3), Sampling(), 4, 1, 30))
    cycles = [cycle for cycle, _ in decoder]
    empty = [cycle for cycle in cycles if not cycle.drafted]
    assert empty, "some place of this text repeats nothing"
    for cycle in empty:
        assert cycle.n_accepted == 0
        assert cycle.replacement is not None
        assert cycle.replacement.bonus
        assert cycle.committed == [cycle.replacement.token]
    assert any(cycle.drafted for cycle in cycles), "and some place repeats something"
    assert target.passes == len(cycles) + 1, "one pass a cycle, and the prompt's"


@pytest.mark.parametrize("pair", REAL)
def test_every_shipped_draft(shelf: Shelf, pair: str) -> None:
    """On the real models: the law it drafts from, and what the rule commits with it."""
    loaded = shelf.pair(pair, "float32")
    prompt = encode(loaded.tokenizer, " one two three, one two", "continue")
    request = Request(prompt, Sampling(), 2, 3, 4)
    check_drafted_from_its_law(loaded.target, loaded.draft, request, 1e-3)
    p = law(fresh_rows(loaded.target, prompt)[0], Sampling())
    logits = whole(loaded.draft, fresh_rows(loaded.draft, prompt)[0], len(p))
    q = law(logits, Sampling())
    assert abs(q.sum() - 1.0) < 1e-12
    committed = committed_law(p, q)
    assert np.abs(committed - p).max() < 1e-12
