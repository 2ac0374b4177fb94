"""The same inputs give the same bytes, whatever was run before; other inputs keep their dice."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from helpers.tables import TableModel, random_tree
from speculation.decode import Decoder, Request
from speculation.dice import Purpose
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.run import Run, run
from speculation.sampling import Sampling
from speculation.settings import Settings

BASE = Settings(prompt="Tell me", k=4, length=30, seed=7)


def moved(**changes: Any) -> Settings:
    return Settings(**BASE.model_dump() | changes)


def test_the_same_seed_gives_the_same_bytes(tiny_pair: Pair) -> None:
    assert run(tiny_pair, BASE).compared() == run(tiny_pair, BASE).compared()


def test_another_seed_gives_another_text(tiny_pair: Pair) -> None:
    texts = {tuple(run(tiny_pair, moved(seed=seed)).tokens) for seed in range(5)}
    assert len(texts) == 5


MOVES = [
    {"temperature": 0.9},
    {"temperature": 1.4},
    {"temperature": 0.0},
    {"top_p": 0.9},
    {"top_k": 5},
    {"min_p": 0.1},
    {"k": 2},
    {"k": 12},
    {"seed": 8},
    {"length": 60},
    {"length": 9},
    {"prompt": "Tell"},
    {"mode": "continue"},
    {"temperature": 0.9, "k": 2},
]


def test_what_warmed_the_store_changes_nothing(tiny_pair: Pair) -> None:
    """Every move from the base, and back, with one store; each compared with an empty store."""
    store = PassStore()
    base = run(tiny_pair, BASE).compared()
    for change in MOVES:
        settings = moved(**change)
        assert run(tiny_pair, settings, store).compared() == run(tiny_pair, settings).compared(), (
            f"a warm store changed the run with {change}"
        )
        assert run(tiny_pair, BASE, store).compared() == base, f"the base changed after {change}"


@pytest.mark.parametrize("seed", range(3))
def test_a_random_walk_through_the_settings_changes_nothing(tiny_pair: Pair, seed: int) -> None:
    rng = np.random.default_rng(seed)
    store = PassStore(int(rng.choice([100_000, 1_000_000, 1 << 30])))
    for _ in range(15):
        settings = moved(
            temperature=float(rng.choice([0.8, 1.0])),
            top_p=float(rng.choice([0.9, 1.0])),
            k=int(rng.choice([2, 3])),
            length=int(rng.choice([10, 20, 40])),
        )
        some = Run(tiny_pair, settings, store)
        for cycle in some:
            if rng.random() < 0.05:
                break  # a run that was stopped leaves its passes behind, too
            assert cycle.committed
        again = Run(tiny_pair, settings)
        for _ in zip(some.cycles, again, strict=False):
            pass
        assert some.cycles == again.cycles[: len(some.cycles)], f"{settings} after others"


def test_long_texts_are_the_same_after_a_copy(tiny_pair: Pair) -> None:
    """Beyond the 256 tokens that the lean model's cache has room for at first."""
    store = PassStore()
    long = moved(prompt="word " * 52, length=50)
    hotter = moved(prompt="word " * 52, length=50, temperature=1.1)
    for settings in (long, hotter, long, hotter):
        assert run(tiny_pair, settings, store).compared() == run(tiny_pair, settings).compared()


# ---- dice keep their addresses -----------------------------------------------------------------


class Watched(Decoder):
    """A decoder that remembers which number it read at which address."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.read: dict[tuple[Purpose, int], float] = {}

    def _uniform(self, purpose: Purpose, position: int) -> float:
        number = self._number(purpose, position)
        before = self.read.setdefault((purpose, position), number)
        assert before == number, f"{purpose.name} at {position} was {before}, then {number}"
        return number

    def _number(self, purpose: Purpose, position: int) -> float:
        return super()._uniform(purpose, position)


class Sequential(Watched):
    """Planted: numbers are taken in order from one generator."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._rng = np.random.default_rng(self.request.seed)

    def _number(self, purpose: Purpose, position: int) -> float:
        return float(self._rng.random())


def check_numbers_stay(decoder: Callable[..., Watched]) -> None:
    """Runs with other k, temperature and text read the same number at the same address."""
    p, q = random_tree(1, 9), random_tree(2, 9)
    target, draft = TableModel(p, 9, "target"), TableModel(q, 9, "draft")
    seen: dict[tuple[Purpose, int], float] = {}
    for k, temperature in [(4, 1.0), (2, 1.0), (1, 1.0), (7, 1.0), (4, 0.5), (4, 2.0)]:
        watched = decoder(target, draft, Request((0,), Sampling(temperature), k, 11, 40))
        for cycle, _ in watched:
            for x in cycle.drafted:
                assert watched.read[Purpose.ACCEPT, x.index] == x.u
        for address, number in watched.read.items():
            assert seen.setdefault(address, number) == number, (
                f"k = {k}, temperature {temperature}: the number at {address} has moved"
            )
    assert {purpose for purpose, _ in seen} == set(Purpose)


def test_numbers_keep_their_addresses() -> None:
    check_numbers_stay(Watched)


def test_a_sequential_generator_is_caught() -> None:
    with pytest.raises(AssertionError, match=r"has moved|then"):
        check_numbers_stay(Sequential)


def test_changing_k_keeps_what_is_drafted_and_decided_first(tiny_pair: Pair) -> None:
    runs = {k: run(tiny_pair, moved(k=k)) for k in (1, 2, 4, 8)}
    numbers = [
        {x.index: x.u for cycle in trace.cycles for x in cycle.drafted} for trace in runs.values()
    ]
    for one in numbers:
        for other in numbers:
            assert all(one[i] == other[i] for i in one.keys() & other.keys())
    first = [[x.token for x in trace.cycles[0].drafted] for trace in runs.values()]
    assert all(long[: len(short)] == short for short, long in pairwise(first))


# ---- stop and resume ---------------------------------------------------------------------------


def test_a_paused_run_goes_on_as_if_nothing_had_been(tiny_pair: Pair) -> None:
    whole = run(tiny_pair, BASE).compared()
    for store in (PassStore(), PassStore(0)):
        paused = Run(tiny_pair, BASE, store)
        for _ in range(100):
            for _ in paused:
                break  # the loop is left after each cycle, and entered again
        assert paused.trace().compared() == whole, f"with a store of {store.max_bytes} bytes"


def test_a_stopped_run_is_marked_and_a_new_one_completes_it(tiny_pair: Pair) -> None:
    store = PassStore()
    stopped = Run(tiny_pair, BASE, store)
    for cycle in stopped:
        if cycle.index == 2:
            break
    assert stopped.trace().finish == "stopped"
    whole = run(tiny_pair, BASE, store)
    assert whole.compared() == run(tiny_pair, BASE).compared()
    assert whole.cycles[:3] == stopped.trace().cycles


def test_a_trace_can_be_asked_for_before_the_first_cycle(tiny_pair: Pair) -> None:
    trace = Run(tiny_pair, BASE).trace()
    assert (trace.cycles, trace.tokens, trace.finish) == ([], [], "stopped")


def test_plain_decoding_of_the_same_pair(tiny_pair: Pair) -> None:
    greedy = moved(temperature=0.0)
    plain = Run(tiny_pair, greedy, k=0)
    assert all(len(cycle.committed) == 1 for cycle in plain)
    assert plain.trace().tokens == run(tiny_pair, greedy).tokens


@pytest.mark.parametrize("mode", ["chat", "continue"])
def test_an_empty_prompt_works(tiny_pair: Pair, mode: str) -> None:
    trace = run(tiny_pair, moved(prompt="", mode=mode, length=8))
    assert trace.prompt_ids
    assert 0 < len(trace.tokens) <= 8
