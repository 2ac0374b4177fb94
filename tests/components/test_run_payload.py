"""A run as the browser gets it: small, exact where it decided, and the numbers of the chart."""

import json
from typing import Any

import pytest

from charts.run.laws import laws_figure, laws_numbers
from components.run_payload import PackedLaws, RunPayload, pack, payload_of
from helpers.made_traces import as_trace, make_trace, odd_trace
from recordings.trace_files import recorded, recorded_names
from speculation.trace import Cycle, Trace

LIMIT = 300_000


def sent(trace: Trace) -> bytes:
    return pack(trace).model_dump_json().encode()


def cut(trace: Trace, tokens: int) -> Trace:
    """The cycles of a run that commit so many tokens."""
    cycles = [cycle for cycle in trace.cycles if cycle.start < tokens]
    return as_trace(cycles, trace.settings.k)


@pytest.mark.parametrize("k", [1, 4, 12])
def test_two_hundred_tokens_are_small(k: int) -> None:
    """The worst drafts there are: nearly every cycle commits one token, and k are thrown away."""
    trace = cut(make_trace(k=k, n_cycles=200, sharpness=6.0), 200)
    assert len(trace.tokens) >= 200
    size = len(sent(trace))
    assert size < LIMIT, f"{size:,} bytes at k = {k}"
    assert size < len(trace.model_dump_json())


def test_a_real_run_is_smaller_than_its_trace() -> None:
    for name in recorded_names():
        trace = recorded(name)
        assert trace is not None
        assert len(sent(trace)) * 200 / max(len(trace.tokens), 1) < LIMIT, name


def test_what_decided_is_exact_and_the_rest_has_six_digits() -> None:
    for trace in (make_trace(), odd_trace()):
        packed = pack(trace)
        for cycle, small in zip(trace.cycles, packed.cycles, strict=True):
            assert small.tokens == [x.token for x in cycle.drafted]
            assert small.u == [x.u for x in cycle.checked]
            assert small.a == [x.a for x in cycle.checked]
            assert small.p[: len(cycle.checked)] == [x.p for x in cycle.checked]
            for x, p, q in zip(cycle.drafted, small.p, small.q, strict=True):
                assert p == pytest.approx(x.p, rel=1e-5)
                assert q == pytest.approx(x.q, rel=1e-5)
            assert len(small.laws) == len(cycle.checked)


def test_each_distribution_sums_to_one() -> None:
    packed = pack(make_trace())
    for laws in laws_of(packed):
        assert sum(laws.p) + laws.rest[0] == pytest.approx(1.0, abs=1e-5)
        if laws.q:
            assert sum(laws.q) + laws.rest[1] == pytest.approx(1.0, abs=1e-5)
            assert laws.overlap == pytest.approx(1.0 - sum(laws.left) - laws.rest[2], abs=1e-5)


def laws_of(packed: RunPayload) -> list[PackedLaws]:
    ends = [cycle.end.laws for cycle in packed.cycles if cycle.end and cycle.end.laws]
    return [laws for cycle in packed.cycles for laws in cycle.laws] + ends


@pytest.mark.parametrize("name", ["made", "code"])
def test_the_chart_draws_the_numbers_that_are_sent(name: str) -> None:
    """Every bar of the Plotly figure and every number of its table, at every place of a run."""
    trace = recorded(name) or make_trace()
    packed = pack(trace)
    compared = 0
    for cycle, small in zip(trace.cycles, packed.cycles, strict=True):
        for place, laws in places(cycle, small.laws, small.end and small.end.laws):
            figure, numbers = laws_figure(trace, cycle, place), laws_numbers(trace, cycle, place)
            assert figure is not None
            assert numbers is not None
            bars = {bar.name: list(bar.y) for bar in figure.data}
            assert bars["p, target"] == pytest.approx([*laws.p, laws.rest[0]], rel=1e-5)
            assert [float(x) for x in numbers["p"]] == pytest.approx(bars["p, target"], rel=1e-5)
            if laws.q:
                left = [*laws.left, laws.rest[2]]
                mass = sum(left)
                residual = [x / mass if mass else 0.0 for x in left]
                assert bars["q, draft"] == pytest.approx([*laws.q, laws.rest[1]], rel=1e-5)
                assert bars["residual"] == pytest.approx(residual, rel=1e-4, abs=1e-9)
                assert [float(x) for x in numbers["residual"]] == pytest.approx(
                    bars["residual"], rel=1e-5
                )
            compared += 1
    assert compared >= len(trace.cycles)


def places(
    cycle: Cycle, checked: list[PackedLaws], bonus: PackedLaws | None
) -> list[tuple[int, PackedLaws]]:
    """The places of a cycle that have distributions."""
    ends = [(len(cycle.drafted), bonus)] if bonus is not None else []
    return [*enumerate(checked), *ends]


def test_a_run_is_named_by_its_content_and_packed_once() -> None:
    one, again, other = make_trace(), make_trace(), make_trace(seed=2)
    assert payload_of(one) is payload_of(one)
    assert payload_of(one).digest == payload_of(again).digest != payload_of(other).digest
    assert RunPayload.model_validate(json.loads(sent(one))) == pack(one)


def test_an_unknown_version_is_refused() -> None:
    data: dict[str, Any] = json.loads(sent(make_trace(n_cycles=1)))
    with pytest.raises(ValueError, match="version"):
        RunPayload.model_validate(data | {"version": 2})
