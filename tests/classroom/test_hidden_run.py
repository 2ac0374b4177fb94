"""What is hidden is not sent: the bytes hold nothing of what comes after the stop shown."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom.hidden_run import cut_run, cut_step
from classroom.place import Spot, before_decision, last_decision, rank, settle
from helpers.classes.made_runs import SEED, Maker, some_cycles
from recordings.trace_files import recorded
from speculation.trace import Cycle, Trace

seeds = st.integers(0, 10_000)


def stops(trace: Trace) -> list[Spot]:
    """Every stop of a run, in order."""
    found = []
    for cycle in trace.cycles:
        places = [("draft", 0), ("verify", 0)]
        places += [("decide", i) for i in range(len(cycle.checked))]
        last = cycle.n_accepted if cycle.replacement else max(cycle.n_accepted - 1, 0)
        places.append(("replace", last))
        found += [Spot(cycle=cycle.index, stage=stage, position=i) for stage, i in places]  # type: ignore[arg-type]
    return found


def hidden(cycle: Cycle, spot: Spot | None) -> list[object]:
    """The tokens and numbers of a cycle that a stop does not show; None shows nothing."""
    if spot is not None and spot.stage == "replace":
        return []
    found: list[object] = []
    decided = spot.position + 1 if spot and spot.stage == "decide" else 0
    for i, x in enumerate(cycle.drafted):
        found += [x.token, x.q] if spot is None else []
        found += [x.p] if spot is None or spot.stage == "draft" else []
        found += [x.a, x.u] if i >= decided else []
    if cycle.replacement:
        end = cycle.replacement
        found += [end.token, end.p, end.r, end.u]
    return found


def tables(trace: Trace, spot: Spot) -> list[object]:
    """What stands in tables alone, of the cycles that have not ended at a stop; and the seed."""
    found: list[object] = [SEED]
    for cycle in trace.cycles[spot.cycle + (spot.stage == "replace") :]:
        for x in cycle.drafted:
            if x.table:
                found += [x.overlap, *x.table.p, *x.table.q, *x.table.left, *x.table.tokens[1:]]
        if cycle.replacement and cycle.replacement.table:
            found += [*cycle.replacement.table.p, *cycle.replacement.table.tokens]
    return found


@given(seeds, st.data())
def test_nothing_of_the_rest_is_in_the_bytes(seed: int, data: Any) -> None:
    maker = Maker(seed)
    trace = maker.trace(some_cycles(maker, 0, 0, 3))
    spot = data.draw(st.sampled_from(stops(trace)))
    sent = json.dumps(cut_run(trace, spot)) + json.dumps(cut_step(trace, spot))
    rest = tables(trace, spot)
    for cycle in trace.cycles[spot.cycle :]:
        rest += hidden(cycle, spot if cycle.index == spot.cycle else None)
    assert [x for x in rest if json.dumps(x) in sent] == []


@given(seeds, st.data())
def test_two_runs_that_part_later_are_sent_alike(seed: int, data: Any) -> None:
    """Not even the shape of what is sent tells how the run goes on."""
    maker = Maker(seed)
    trace = maker.trace(some_cycles(maker, 0, 0, 3))
    spot = data.draw(st.sampled_from(stops(trace)))
    cycle = trace.cycles[spot.cycle]
    other = Maker(seed + 1)
    other.tokens, other.used = maker.tokens, maker.used
    if spot.stage == "replace":
        here = cycle
    else:
        decided = spot.position + 1 if spot.stage == "decide" else 0
        k, rejected = len(cycle.drafted), decided > cycle.n_accepted
        over = decided and decided == len(cycle.checked)
        n = cycle.n_accepted if rejected else other.random.randint(decided, k)
        if over and not rejected:
            n = cycle.n_accepted
        ends = cycle.replacement is None and bool(over)
        verified = spot.stage != "draft"
        here = other.cycle(spot.cycle, cycle.start, k, n, ends, cycle, decided, verified)
    before = trace.cycles[: spot.cycle]
    start = here.start + len(here.committed)
    more = some_cycles(other, spot.cycle + 1, start, data.draw(st.integers(0, 3)))
    parted = other.trace([*before, here, *more])
    assert cut_run(trace, spot) == cut_run(parted, spot)
    assert cut_step(trace, spot) == cut_step(parted, spot)


@given(seeds)
def test_a_later_stop_shows_more(seed: int) -> None:
    maker = Maker(seed)
    trace = maker.trace(some_cycles(maker, 0, 0, 3))
    every = stops(trace)
    assert sorted(every, key=rank) == every
    assert len({rank(spot) for spot in every}) == len(every)
    shown = [sum(v is not None for v in flat(cut_run(trace, spot))) for spot in every]
    assert shown == sorted(shown)
    assert [settle(spot, trace) for spot in every] == every


def flat(data: Any) -> list[Any]:
    """All values in a JSON object, but for the mark of an unfinished cycle."""
    if isinstance(data, dict):
        return [x for key, value in data.items() if key != "until" for x in flat(value)]
    if isinstance(data, list):
        return [x for value in data for x in flat(value)]
    return [data]


@pytest.mark.parametrize("name", ["code", "story", "quote"])
def test_a_real_run_is_whole_at_its_last_stop(name: str) -> None:
    trace = recorded(name)
    assert trace is not None
    every = stops(trace)
    assert cut_run(trace, every[-1]) == cut_run(trace, None)
    whole = cut_run(trace, None)["cycles"]
    assert [cycle["committed"] for cycle in whole] == [cycle.committed for cycle in trace.cycles]
    assert "until" not in whole[-1]
    for spot in every:
        step = cut_step(trace, spot)
        assert step is not None
        assert step["cycle"] == cut_run(trace, spot)["cycles"][-1]


def test_a_cycle_that_has_ended_has_its_distributions() -> None:
    trace = recorded("code")
    assert trace is not None
    cycle = trace.cycles[0]
    decided = Spot(cycle=0, stage="decide", position=len(cycle.checked) - 1)
    assert all(x["laws"] is None for x in cut_run(trace, decided)["cycles"][0]["drafted"])
    run = cut_run(trace, Spot(cycle=0, stage="replace", position=cycle.n_accepted))
    laws = [x["laws"] for x in run["cycles"][0]["drafted"] if x["laws"]]
    assert len(laws) == len(cycle.checked)
    for one, x in zip(laws, cycle.checked, strict=True):
        assert one["overlap"] == pytest.approx(x.overlap, rel=1e-5)
        assert all(str(token) in run["pieces"] for token in one["tokens"])


def test_the_stops_before_an_answer() -> None:
    maker = Maker(1)
    cycle = maker.cycle(0, 0, 4, 2, False)
    assert last_decision(cycle) == Spot(cycle=0, stage="decide", position=2)
    assert before_decision(cycle, 0) == Spot(cycle=0, stage="verify")
    assert before_decision(cycle, 2) == Spot(cycle=0, stage="decide", position=1)
    assert last_decision(maker.cycle(0, 0, 0, 0, False)) == Spot(cycle=0, stage="verify")
