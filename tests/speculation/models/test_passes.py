"""The cache is cut back to the right place, and passes from the store change nothing."""

from typing import Any

import numpy as np
import pytest

from helpers.cache_check import Crooked, check_cached_steps
from helpers.tables import TableModel, random_tree
from helpers.tiny_models import fresh_rows
from speculation.decode import Decoder, Request
from speculation.models.passes import PassStore, Reader
from speculation.pairs.pair import Pair
from speculation.sampling import Sampling
from speculation.trace import Cycle

PROMPT = tuple(b"A prompt of a few bytes")


def a_request(k: int = 4, length: int = 40, seed: int = 3) -> Request:
    return Request(PROMPT, Sampling(), k, seed, length)


@pytest.mark.parametrize("k", [1, 2, 4, 12])
def test_cached_steps_equal_fresh_ones(tiny_pair: Pair, k: int) -> None:
    assert check_cached_steps(tiny_pair.target, tiny_pair.draft, a_request(k)) > 20


def test_the_tiny_pair_both_accepts_and_rejects(tiny_pair: Pair) -> None:
    """Else the checks here would prove little."""
    cycles = [c for c, _ in Decoder(tiny_pair.target, tiny_pair.draft, a_request(3, 80))]
    assert {cycle.n_accepted for cycle in cycles} == {0, 1, 2, 3}


@pytest.mark.parametrize("by", [1, -1])
@pytest.mark.parametrize("crooked", ["target", "draft"])
def test_a_rollback_off_by_one_is_caught(tiny_pair: Pair, crooked: str, by: int) -> None:
    target: Any = Crooked(tiny_pair.target, by) if crooked == "target" else tiny_pair.target
    draft: Any = Crooked(tiny_pair.draft, by) if crooked == "draft" else tiny_pair.draft
    with pytest.raises(AssertionError, match=f"the {crooked}'s cached logits are off"):
        check_cached_steps(target, draft, a_request())


def test_a_reader_refuses_to_cut_to_more_than_it_read(tiny_pair: Pair) -> None:
    reader = Reader(tiny_pair.target, PassStore())
    reader.extend([1, 2, 3])
    with pytest.raises(ValueError, match="cannot crop a text of 3 tokens to 4"):
        reader.crop(4)


def test_a_pass_is_known_by_where_it_was_cut_back_to(tiny_pair: Pair) -> None:
    """The same tokens fed after another cut are another text, and another pass."""
    store = PassStore()
    for kept in (1, 2, 3):
        reader = Reader(tiny_pair.target, store)
        reader.extend([10, 20, 30])
        reader.crop(kept)
        text = [*[10, 20, 30][:kept], 40]
        fresh = fresh_rows(tiny_pair.target, text)
        np.testing.assert_allclose(reader.extend([40]), fresh, atol=1e-4, err_msg=f"after {text}")


# ---- the store ---------------------------------------------------------------------------------


def size_of(store: PassStore) -> int:
    """What the store really holds."""
    logits = sum(x.nbytes for x in store._logits.values())
    return logits + sum(x.context.nbytes for x in store._snapshots.values())


def run(pair: Any, store: PassStore, request: Request) -> Decoder:
    decoder = Decoder(pair.target, pair.draft, request, store)
    for _ in decoder:
        assert store.nbytes == size_of(store) <= store.max_bytes
    return decoder


@pytest.mark.parametrize("max_bytes", [0, 2_000, 30_000, 200_000])
def test_the_store_is_bounded_and_eviction_changes_nothing(tiny_pair: Pair, max_bytes: int) -> None:
    store = PassStore(max_bytes)
    for seed, k in [(1, 3), (2, 3), (1, 5), (1, 3), (2, 3)]:
        found = run(tiny_pair, store, a_request(k, 30, seed)).generated
        assert found == run(tiny_pair, PassStore(), a_request(k, 30, seed)).generated
        assert store.nbytes == size_of(store) <= max_bytes


def test_the_longest_unused_go_first() -> None:
    row = np.zeros((1, 25), dtype=np.float32)  # 100 bytes
    store = PassStore(300)
    for key in (b"a", b"b", b"c"):
        store.put(key, row)
    assert store.get(b"a") is not None  # used again
    store.put(b"d", row)
    assert store.get(b"b") is None, "the longest unused should have gone"
    assert all(store.get(key) is not None for key in (b"a", b"c", b"d"))
    store.put(b"too large", np.zeros((1, 1000), dtype=np.float32))
    assert store.nbytes <= 300


class Tables:
    """A pair of counting tables."""

    def __init__(self) -> None:
        p, q = random_tree(1, 9), random_tree(2, 9)
        self.target = TableModel(p, 9, "target")
        self.draft = TableModel(lambda prefix: 0.7 * p(prefix) + 0.3 * q(prefix), 9, "draft")

    def passes(self) -> int:
        passes = self.target.passes + self.draft.passes
        self.target.passes = self.draft.passes = 0
        return passes


def test_a_run_again_makes_no_pass() -> None:
    pair, store = Tables(), PassStore()
    first = run(pair, store, a_request(length=30)).generated
    assert pair.passes() > 0
    assert run(pair, store, a_request(length=30)).generated == first
    assert pair.passes() == 0


def test_a_move_of_temperature_makes_no_pass_before_the_departure() -> None:
    pair, store = Tables(), PassStore()
    before = [c for c, _ in Decoder(pair.target, pair.draft, a_request(4, 60, 3), store)]
    pair.passes()
    decoder = Decoder(pair.target, pair.draft, Request(PROMPT, Sampling(0.99), 4, 3, 60), store)
    known, steps = 0, []
    while decoder.finish is None:
        cycle, timing = decoder.cycle()
        steps.append((pair.passes(), timing.reused))
        if known == cycle.index < len(before) and same_tokens(cycle, before[known]):
            known += 1
    assert 3 < known < len(steps) - 5, f"{known} cycles before the departure: nothing to see"
    assert steps[:known] == [(0, True)] * known, "a pass was made in a cycle that was known"
    assert all(passes > 0 for passes, _ in steps[known:])
    assert not any(reused for _, reused in steps[known + 1 :]), "made, but counted as reused"


def same_tokens(one: Cycle, other: Cycle) -> bool:
    """Whether two cycles drafted and committed the same; the laws may differ."""
    drafted = [[x.token for x in cycle.drafted] for cycle in (one, other)]
    return drafted[0] == drafted[1] and one.committed == other.committed


def test_catching_up_starts_from_the_context_that_was_left() -> None:
    """Beyond the departure only the passes from there are made, not the whole text again."""
    pair, store = Tables(), PassStore()
    run(pair, store, a_request(length=60))
    pair.passes()
    run(pair, store, a_request(length=64))
    assert 0 < pair.passes() < 25, "a longer run of the same settings read the text again"


def test_a_move_of_k_streams_anew_but_shares_the_prompt() -> None:
    pair, store = Tables(), PassStore()
    run(pair, store, a_request(k=4))
    pair.passes()
    moved = run(pair, store, a_request(k=2))
    shared = pair.passes()
    alone = Tables()
    run(alone, PassStore(), a_request(k=2))
    assert 0 < shared < alone.passes(), "the prompt's passes are the same for every k"
    assert moved.generated
