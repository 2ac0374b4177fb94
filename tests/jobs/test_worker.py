"""The worker: jobs in order, shared, stopped, refused, dropped; on a tiny pair that a gate holds.

The gate stands in front of every forward pass of the target, so that a test decides how far a run
has come. Every wait is on the worker's own state.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from environment import Environment
from helpers.gated_worker import GatedContext, StubShelf, final, settings, until
from helpers.patience import patience
from jobs import worker as module
from jobs.job import FINAL, Job, State
from jobs.worker import Full, Worker
from speculation.compare import Comparison
from speculation.models.language_model import Logits
from speculation.models.passes import PassStore
from speculation.pairs import weights
from speculation.pairs.pair import Pair
from speculation.run import run
from speculation.stopped import Stopped


@pytest.fixture
def shelf_stub(tiny_pair: Pair) -> StubShelf:
    return StubShelf(tiny_pair)


@pytest.fixture
def jobs(shelf_stub: StubShelf, tmp_path: Path) -> Iterator[Worker]:
    worker = Worker(Environment(cache_dir=tmp_path, device="cpu", threads=1, max_waiting=3))
    worker._shelf = shelf_stub  # type: ignore[assignment]
    yield worker
    shelf_stub.open()
    for visitor, kind in list(worker._of_visitor):
        worker.leave(visitor, kind)


def test_nobody_has_a_job_yet(jobs: Worker) -> None:
    assert jobs.look("nobody") is None
    jobs.stop("nobody")
    jobs.leave("nobody")


def test_cycles_are_published_as_they_finish(jobs: Worker, shelf_stub: StubShelf) -> None:
    jobs.submit("ann", settings())
    shelf_stub.open(2)
    seen = until(jobs, "ann", lambda v: len(v.cycles) >= 1)
    assert seen.state is State.RUNNING
    assert seen.trace is None
    assert {t for c in seen.cycles for t in c.committed} <= seen.pieces.keys()
    shelf_stub.open()
    done = until(jobs, "ann", final)
    assert done.state is State.DONE
    assert done.trace is not None
    assert done.trace.compared() == run(shelf_stub.tiny, settings()).compared()
    assert list(done.cycles) == done.trace.cycles


def test_order_place_and_expected_wait(jobs: Worker, shelf_stub: StubShelf) -> None:
    names = ["ann", "bob", "cy", "dee"]
    for name in names:
        jobs.submit(name, settings(name, pair=name))
        if name == "ann":
            until(jobs, "ann", lambda v: v.state is State.RUNNING)
    views = [jobs.look(name) for name in names]
    assert [v.place for v in views if v] == [0, 1, 2, 3]
    waits = [v.wait_seconds for v in views if v]
    assert waits[0] is None
    assert 0 <= waits[1] < waits[2] < waits[3]
    shelf_stub.open()
    texts = [until(jobs, name, final).trace for name in names]
    assert shelf_stub.asked == names
    for name, trace in zip(names, texts, strict=True):
        assert trace is not None
        assert trace.settings.prompt == name
        assert trace.tokens == run(shelf_stub.tiny, settings(name, pair=name)).tokens


def test_expected_wait_learns_from_what_was_seen(jobs: Worker, shelf_stub: StubShelf) -> None:
    shelf_stub.open()
    for i in range(20):
        jobs.submit("ann", settings(str(i), length=1))
        until(jobs, "ann", final)
    assert sum(jobs._durations) / len(jobs._durations) < module.TYPICAL_SECONDS / 2


def test_the_same_is_computed_once(jobs: Worker, shelf_stub: StubShelf) -> None:
    jobs.submit("ann", settings())
    jobs.submit("bob", settings())
    until(jobs, "ann", lambda v: v.state is State.RUNNING)
    jobs.submit("cy", settings())
    shelf_stub.open()
    traces = [until(jobs, name, final).trace for name in ("ann", "bob", "cy")]
    jobs.submit("dee", settings())  # finished and kept
    late = jobs.look("dee")
    assert late is not None
    assert late.final
    assert traces[0] is traces[1] is traces[2] is late.trace
    assert len(shelf_stub.asked) == 1


def test_fresh_is_computed_again(jobs: Worker, shelf_stub: StubShelf) -> None:
    """The Run button: every pass is made, and the text is the same."""
    shelf_stub.open()
    jobs.submit("ann", settings())
    first = until(jobs, "ann", final).trace
    jobs.submit("ann", settings(), fresh=True)
    again = until(jobs, "ann", final).trace
    assert first is not None
    assert again is not None
    assert again is not first
    assert again.compared() == first.compared()
    assert not any(timing.reused for timing in again.timings.cycles)
    jobs.submit("ann", settings(temperature=0.9))  # a moved slider: what was passed is reused
    moved = until(jobs, "ann", final).trace
    assert moved is not None
    assert moved.timings.cycles[0].reused


def test_next_submit_ends_the_one_before(jobs: Worker, shelf_stub: StubShelf) -> None:
    jobs.submit("ann", settings("one"))
    until(jobs, "ann", lambda v: v.state is State.RUNNING)
    first = jobs._of_visitor["ann", "run"]
    jobs.submit("ann", settings("two"))
    second = jobs._of_visitor["ann", "run"]
    jobs.submit("ann", settings("three"))
    assert second.state is State.STOPPED  # it waited, so it never began
    shelf_stub.open()
    seen = until(jobs, "ann", final)
    assert seen.trace is not None
    assert seen.trace.settings.prompt == "three"
    assert first.state is State.STOPPED
    assert len(first.cycles) <= 1


def test_back_to_what_was_just_ended(jobs: Worker, shelf_stub: StubShelf) -> None:
    """A slider moved away and back: the run that was told to end is not taken for a new one."""
    jobs.submit("ann", settings("one"))
    until(jobs, "ann", lambda v: v.state is State.RUNNING)
    jobs.submit("ann", settings("two"))
    jobs.submit("ann", settings("one"))
    shelf_stub.open()
    assert until(jobs, "ann", final).state is State.DONE


def test_a_shared_job_survives_the_next_submit(jobs: Worker, shelf_stub: StubShelf) -> None:
    for name in ("ann", "bob"):
        jobs.submit(name, settings("shared"))
    jobs.submit("ann", settings("other"))
    shelf_stub.open()
    assert until(jobs, "bob", final).state is State.DONE
    assert until(jobs, "ann", final).state is State.DONE


def test_stop_keeps_what_is_done(jobs: Worker, shelf_stub: StubShelf) -> None:
    jobs.submit("ann", settings(length=60))
    shelf_stub.open(3)
    until(jobs, "ann", lambda v: len(v.cycles) >= 2)
    jobs.stop("ann")
    shelf_stub.open()
    seen = until(jobs, "ann", final)
    assert seen.state is State.STOPPED
    assert seen.trace is not None
    assert seen.trace.finish == "stopped"
    whole = run(shelf_stub.tiny, settings(length=60))
    assert 2 <= len(seen.trace.cycles) <= 4
    assert seen.trace.cycles == whole.cycles[: len(seen.trace.cycles)]
    jobs.stop("ann")  # once more: nothing happens
    jobs.submit("ann", settings(length=60))  # a stopped run is not kept as the whole
    assert until(jobs, "ann", final).state is State.DONE


def test_stop_of_one_does_not_cut_the_others(jobs: Worker, shelf_stub: StubShelf) -> None:
    for name in ("ann", "bob"):
        jobs.submit(name, settings(length=60))
    shelf_stub.open(3)
    until(jobs, "ann", lambda v: len(v.cycles) >= 2)
    jobs.stop("ann")
    shelf_stub.open()
    stopped, done = until(jobs, "ann", final), until(jobs, "bob", final)
    assert stopped.state is State.STOPPED
    assert stopped.trace is not None  # what is done is kept for the one who stopped
    assert stopped.trace.finish == "stopped"
    assert done.state is State.DONE
    assert done.trace is not None
    n = len(stopped.trace.cycles)
    assert 2 <= n < len(done.trace.cycles)
    assert stopped.trace.cycles == done.trace.cycles[:n]


def test_stop_while_waiting(jobs: Worker, shelf_stub: StubShelf) -> None:
    jobs.submit("ann", settings("one"))
    for name in ("bob", "cy"):
        jobs.submit(name, settings("two"))
    jobs.stop("bob")  # shared: a copy of nothing
    jobs.stop("cy")
    for name in ("bob", "cy"):
        view = jobs.look(name)
        assert view is not None
        assert view.state is State.STOPPED
        assert view.trace is None
    assert not jobs._queue or jobs._queue[0].settings.prompt == "one"


def test_leaving_shows_nothing_more(jobs: Worker, shelf_stub: StubShelf) -> None:
    jobs.submit("ann", settings(length=60))
    shelf_stub.open(3)
    until(jobs, "ann", lambda v: len(v.cycles) >= 1)
    job = jobs._of_visitor["ann", "run"]
    jobs.leave("ann")
    assert jobs.look("ann") is None
    assert job.stop.is_set()
    shelf_stub.open()


def test_a_full_queue_says_so(jobs: Worker, shelf_stub: StubShelf) -> None:
    jobs.submit("ann", settings("one"))
    until(jobs, "ann", lambda v: v.state is State.RUNNING)
    for name in ("b", "c", "d"):
        jobs.submit(name, settings(name))
    with pytest.raises(Full, match=r"3 runs are waiting already. Try again in a minute"):
        jobs.submit("e", settings("e"))
    assert jobs.look("e") is None
    with pytest.raises(Full):
        jobs.submit("ann", settings("other"))
    jobs.submit("d", settings("instead"))  # gives up its own place
    jobs.submit("e", settings("b"))  # shares one
    shelf_stub.open()
    for name in ("ann", "b", "c", "d", "e"):
        assert until(jobs, name, final).state is State.DONE  # a refusal cost nobody a run


def test_an_abandoned_job_is_dropped(
    jobs: Worker, shelf_stub: StubShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs.submit("warm-up", settings("warm"))  # nobody looks at this one, ever
    until(jobs, "warm-up", lambda v: v.state is State.RUNNING)
    for name in ("gone", "gone too"):
        jobs.submit(name, settings(name))
    gone = [jobs._of_visitor[name, "run"] for name in ("gone", "gone too")]
    warm = jobs._of_visitor["warm-up", "run"]
    real = time.monotonic
    monkeypatch.setattr(module.time, "monotonic", lambda: real() + module.ABANDONED_AFTER + 1)
    jobs.submit("ann", settings("here"))
    shelf_stub.open()
    done = until(jobs, "ann", final)
    monkeypatch.undo()
    assert done.state is State.DONE
    assert [job.state for job in gone] == [State.STOPPED] * 2
    assert [len(job.cycles) for job in gone] == [0, 0]
    assert warm.state is State.DONE


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("refused", "there is no pair named 'refused'"),
        ("broken", "The run failed: RuntimeError: out of luck"),
        ("huge", "There is not enough memory for this run. Try a shorter prompt or length."),
    ],
)
def test_a_failure_has_words_and_the_worker_lives_on(
    jobs: Worker, shelf_stub: StubShelf, pair: str, words: str
) -> None:
    shelf_stub.open()
    jobs.submit("ann", settings(pair=pair))
    seen = until(jobs, "ann", final)
    assert (seen.state, seen.error, seen.trace) == (State.FAILED, words, None)
    jobs.submit("ann", settings())
    assert until(jobs, "ann", final).state is State.DONE
    jobs.submit("ann", settings(pair=pair))  # a failure is not kept: it is tried again
    assert until(jobs, "ann", final).error == words
    assert shelf_stub.asked.count(pair) == 2


def test_a_failure_in_the_middle(
    jobs: Worker, shelf_stub: StubShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bad(self: Any, tokens: Any, rows: int = 1) -> Logits:
        return np.full((rows, shelf_stub.gated.target.vocab_size), np.nan, dtype=np.float32)

    shelf_stub.open(2)
    jobs.submit("ann", settings(length=60))
    until(jobs, "ann", lambda v: len(v.cycles) >= 1)
    monkeypatch.setattr(GatedContext, "extend", bad)
    shelf_stub.open()
    seen = until(jobs, "ann", final)
    assert seen.state is State.FAILED
    assert seen.error is not None
    assert seen.error.startswith("The run failed: ")
    monkeypatch.undo()
    jobs.submit("ann", settings("again"))
    assert until(jobs, "ann", final).state is State.DONE


def test_a_prompt_longer_than_the_context(jobs: Worker, shelf_stub: StubShelf) -> None:
    shelf_stub.open()
    jobs.submit("ann", settings("x" * 2000))
    seen = until(jobs, "ann", final)
    assert seen.state is State.FAILED
    assert seen.error is not None
    assert "1,024" in seen.error or "1024" in seen.error


def test_comparison(jobs: Worker, shelf_stub: StubShelf) -> None:
    """Its own kind: it does not end the visitor's run, and reports as it goes."""
    shelf_stub.open()
    jobs.submit("ann", settings())
    jobs.submit("ann", settings(), "compare")
    seen = until(jobs, "ann", final, "compare")
    assert until(jobs, "ann", final).state is State.DONE
    assert seen.state is State.DONE
    assert isinstance(seen.comparison, Comparison)
    assert seen.comparison.done == 1.0
    assert seen.comparison.plain.tokens > 0
    assert seen.trace is None


def test_comparison_stopped(jobs: Worker, shelf_stub: StubShelf) -> None:
    jobs.submit("ann", settings(length=200), "compare")
    shelf_stub.open(6)
    until(jobs, "ann", lambda v: v.comparison is not None, "compare")
    jobs.stop("ann", "compare")
    shelf_stub.open()
    seen = until(jobs, "ann", final, "compare")
    assert seen.state is State.STOPPED
    assert seen.comparison is not None
    assert seen.comparison.done < 1.0


def test_unavailable_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    off = Worker(Environment(cache_dir=tmp_path, live=False))
    assert "recorded runs only" in str(off.unavailable())
    off.warm(settings())
    assert off.look("warm-up") is None

    def missing() -> None:
        raise weights.WeightsMissing("the weights are not installed")

    monkeypatch.setattr(weights, "find_gguf", missing)
    assert Worker(Environment(cache_dir=tmp_path)).unavailable() == "the weights are not installed"


def test_many_visitors_at_once(jobs: Worker, shelf_stub: StubShelf) -> None:
    """Threads that submit, stop, leave and look without order: nothing is lost or mixed up."""
    shelf_stub.open()
    bad: list[str] = []

    def visitor(number: int) -> None:
        rng, name = np.random.default_rng(number), f"v{number}"
        try:
            for _ in range(12):
                prompt = str(rng.integers(4))
                try:
                    jobs.submit(name, settings(prompt, length=4))
                except Full:
                    continue
                what = rng.integers(4)
                if what == 0:
                    jobs.stop(name)
                elif what == 1:
                    jobs.leave(name)
                    continue
                seen = until(jobs, name, final)
                if seen.error or seen.settings.prompt != prompt:
                    bad.append(f"{name}: {seen.error}, {seen.settings.prompt} for {prompt}")
                if what > 1 and seen.state is not State.DONE:
                    bad.append(f"{name}: {seen.state}")
        except BaseException as error:
            bad.append(repr(error))

    threads = [threading.Thread(target=visitor, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience())
    assert bad == []
    assert not jobs._queue


def test_what_is_kept_is_bounded(
    jobs: Worker, shelf_stub: StubShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    shelf_stub.open()
    for prompt in "abcd":
        jobs.submit("ann", settings(prompt, length=1))
        until(jobs, "ann", final)
    jobs.submit("ann", settings("e", length=1))
    assert len(jobs._kept) <= 2
    old = Job("run", settings("old"), State.DONE, watchers={"long gone": -1e9})
    jobs._of_visitor["long gone", "run"] = old
    jobs.submit("ann", settings("f", length=1))
    assert ("long gone", "run") not in jobs._of_visitor
    assert old.state in FINAL


# Work of another kind


@dataclass(frozen=True)
class Counting:
    """Publishes how many passes it has made."""

    passes: int
    gives_way: bool = False

    def states(self, pair: Pair, store: PassStore) -> Iterator[object]:
        context = pair.target.start()
        for made in range(self.passes):
            context.extend([1])
            yield made + 1


def test_work_publishes_its_states_and_equal_work_is_shared(
    jobs: Worker, shelf_stub: StubShelf
) -> None:
    for visitor in ("ann", "bob"):
        jobs.submit(visitor, settings(), "work", work=Counting(3))
    shelf_stub.open(2)
    until(jobs, "ann", lambda v: v.published == 2, "work")
    jobs.stop("ann", "work")
    stopped = jobs.look("ann", "work")
    assert stopped is not None
    assert stopped.published == 2
    shelf_stub.open()
    assert until(jobs, "bob", final, "work").published == 3
    assert shelf_stub.asked == [settings().pair]
    jobs.submit("ann", settings(), "work", work=Counting(4))
    assert until(jobs, "ann", final, "work").published == 4


@dataclass(frozen=True)
class Summing(Counting):
    """Says at the end, and when it is stopped, what it all came to."""

    def states(self, pair: Pair, store: PassStore) -> Iterator[object]:
        made = 0
        try:
            for made in super().states(pair, store):
                yield made
        except Stopped:
            yield f"stopped after {made}"


def test_work_that_is_stopped_says_a_last_word(jobs: Worker, shelf_stub: StubShelf) -> None:
    jobs.submit("ann", settings(), "work", work=Summing(60))
    shelf_stub.open(2)
    until(jobs, "ann", lambda v: v.published == 2, "work")
    jobs.stop("ann", "work")
    shelf_stub.open()
    seen = until(jobs, "ann", final, "work")
    assert seen.state is State.STOPPED
    assert seen.published in ("stopped after 2", "stopped after 3")


@pytest.mark.parametrize("gives_way", [True, False])
def test_long_work_lets_runs_by_if_it_says_so(
    jobs: Worker, shelf_stub: StubShelf, gives_way: bool
) -> None:
    jobs.submit("audit", settings(), "work", work=Counting(60, gives_way))
    shelf_stub.open(1)
    until(jobs, "audit", lambda v: v.published == 1, "work")
    jobs.submit("ann", settings("b"))
    jobs.submit("bob", settings("c"))
    shelf_stub.open()
    until(jobs, "bob", final)
    first, meanwhile = jobs.look("ann"), until(jobs, "audit", final, "work")
    assert first is not None
    assert first.state is State.DONE
    assert meanwhile.state is State.DONE
    assert meanwhile.published == 60
    order = [key[1].prompt for key in jobs._kept]
    assert order == (["b", "c", "a"] if gives_way else ["a", "b", "c"])


def test_work_that_lets_runs_by_can_be_stopped_meanwhile(
    jobs: Worker, shelf_stub: StubShelf
) -> None:
    jobs.submit("audit", settings(), "work", work=Counting(60, gives_way=True))
    shelf_stub.open(1)
    until(jobs, "audit", lambda v: v.published == 1, "work")
    jobs.submit("ann", settings("b"))
    shelf_stub.open(2)
    until(jobs, "ann", lambda v: v.state is State.RUNNING)
    jobs.stop("audit", "work")
    shelf_stub.open()
    assert until(jobs, "ann", final).state is State.DONE
    stopped = until(jobs, "audit", final, "work")
    assert stopped.state is State.STOPPED
    assert stopped.published in (1, 2)
