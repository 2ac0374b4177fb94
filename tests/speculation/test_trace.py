"""A trace is read back as it was written, and a bad one is refused by the name of its field."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from helpers.tables import random_law
from speculation.pairs.pair import Pair
from speculation.run import run
from speculation.settings import Settings
from speculation.summary import summarize
from speculation.trace import TABLE_ROWS, Table, Trace, departure, digest, make_table


@pytest.fixture(scope="module")
def trace(tiny_pair: Pair) -> Trace:
    return run(tiny_pair, Settings(prompt="Héllo 🙂", k=3, length=25, seed=1))


def test_json_round_trip_is_exact(trace: Trace) -> None:
    written = trace.model_dump_json()
    again = Trace.model_validate_json(written)
    assert again == trace
    assert again.model_dump_json() == written
    assert again.compared() == trace.compared()


def test_json_of_other_programs_is_read(trace: Trace) -> None:
    """Other spacing and order of keys, as after a walk through JavaScript or an editor."""
    loose = json.dumps(json.loads(trace.model_dump_json()), indent=2, sort_keys=True)
    assert Trace.model_validate_json(loose) == trace


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=5))
def test_every_float_survives(values: list[float]) -> None:
    n = len(values)
    table = Table(tokens=list(range(n)), p=values, q=values, left=values, tail_count=0,
                  tail_p=values[0], tail_q=0.0, tail_left=0.0)  # fmt: skip
    assert Table.model_validate_json(table.model_dump_json()) == table


def test_wall_clock_times_are_outside_the_compared_bytes(trace: Trace, tiny_pair: Pair) -> None:
    again = run(tiny_pair, trace.settings)
    assert again.timings != trace.timings
    assert again.compared() == trace.compared()
    assert "timings" not in json.loads(trace.compared())


def test_a_trace_records_its_inputs_and_its_arithmetic(trace: Trace, tiny_pair: Pair) -> None:
    data = json.loads(trace.model_dump_json())
    assert data["schema_version"] == 1
    assert data["settings"]["seed"] == 1
    assert set(data["arithmetic"]) == {
        "target_digest", "draft_digest", "dtype", "device", "threads", "versions",
    }  # fmt: skip
    assert data["arithmetic"]["versions"].keys() >= {"torch", "transformers", "numpy"}
    assert trace.vocab_size == tiny_pair.target.vocab_size


# ---- what is refused ---------------------------------------------------------------------------

BAD = [
    (["schema_version"], 2, "schema_version"),
    (["settings", "k"], 99, "settings.k"),
    (["settings", "temperature"], "hot", "settings.temperature"),
    (["finish"], "tired", "finish"),
    (["prompt_ids", 0], -1, "prompt_ids.0"),
    (["cycles"], {}, "cycles"),
    (["cycles", 0, "drafted", 0, "p"], 1.5, "cycles.0.drafted.0.p"),
    (["cycles", 0, "drafted", 0, "u"], "x", "cycles.0.drafted.0.u"),
    (["cycles", 0, "drafted", 0, "q"], float("nan"), "cycles.0.drafted.0.q"),
    (["cycles", 0, "drafted", 0, "token"], 1.5, "cycles.0.drafted.0.token"),
    (["cycles", 0, "drafted", 0, "verdict"], "maybe", "cycles.0.drafted.0.verdict"),
    (["cycles", 0, "drafted", 0, "extra"], 1, "cycles.0.drafted.0.extra"),
    (["cycles", 0, "cut"], "bored", "cycles.0.cut"),
    (["cycles", 0, "drafted", 0, "index"], 5, "cycles.0.drafted.0.index"),
    (["cycles", 0, "n_accepted"], 9, "n_accepted is 9"),
    (["cycles", 0, "committed"], [1] * 30, "committed is not the accepted"),
    (["cycles", 1, "index"], 7, "cycle 1 says index 7"),
    (["cycles", 1, "start"], 17, "start 17"),
    (["cycles", 0, "drafted", 0, "table", "p"], [0.1], "values of p"),
    (["cycles", 0, "drafted", 0, "table", "q"], [0.1], "values of q"),
    (["pieces"], {}, "pieces has no text for token"),
    (["pieces", "65"], [256], "pieces.65"),
    (["timings", "cycles"], [], "timings.cycles"),
    (["timings", "prefill_ms"], -1, "timings.prefill_ms"),
    (["arithmetic"], None, "arithmetic"),
]


@pytest.mark.parametrize(("path", "value", "named"), BAD, ids=[x[2] for x in BAD])
def test_a_bad_trace_is_refused_by_name(
    trace: Trace, path: list[str | int], value: Any, named: str
) -> None:
    data = json.loads(trace.model_dump_json())
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ValidationError) as caught:
        Trace.model_validate_json(json.dumps(data))
    said = [f"{'.'.join(map(str, x['loc']))}: {x['msg']}" for x in caught.value.errors()]
    assert any(named in line for line in said), f"{named} is not named in {said}"


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"schema_version": 1}'])
def test_what_is_no_trace_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        Trace.model_validate_json(text)


# ---- tables ------------------------------------------------------------------------------------


def assert_sums_to_one(table: Table) -> None:
    assert sum(table.p) + table.tail_p == pytest.approx(1.0, abs=1e-9)
    if table.q:
        assert sum(table.q) + table.tail_q == pytest.approx(1.0, abs=1e-9)


def test_tables_of_a_run_sum_to_one(trace: Trace) -> None:
    seen = 0
    for cycle in trace.cycles:
        for x in cycle.checked:
            assert x.table is not None
            assert_sums_to_one(x.table)
            assert sum(x.table.left) + x.table.tail_left == pytest.approx(1 - (x.overlap or 0))
            assert x.token in x.table.tokens
            if x.verdict == "rejected" and cycle.replacement:
                assert cycle.replacement.token in x.table.tokens, "the replacement has no bar"
            seen += 1
        if cycle.replacement and cycle.replacement.table:
            assert_sums_to_one(cycle.replacement.table)
            assert cycle.replacement.bonus
    assert seen > 10


@pytest.mark.parametrize("size", [1, 3, TABLE_ROWS, 11, 500, 20_000])
@pytest.mark.parametrize("peak", [1.0, 50.0])
def test_a_table_is_the_head_of_a_full_sort_and_the_sums_of_the_rest(
    size: int, peak: float
) -> None:
    rng = np.random.default_rng(size)
    p = random_law(rng, size, size // 3, peak)
    q = random_law(rng, size, size // 2, peak)
    always = rng.integers(0, size, 2).tolist()
    table = make_table(p, q, always)
    height = np.maximum(p, q)
    full = np.lexsort((np.arange(size), -height))
    head = [int(t) for t in full[:TABLE_ROWS] if height[t] > 0]
    shown = set(head) | set(always)
    assert table.tokens == [int(t) for t in full if t in shown]
    rest = np.array([t for t in range(size) if t not in shown], dtype=int)
    left = np.maximum(p - q, 0)
    assert table.tail_count == len(rest)
    for column, tail, law in [
        (table.p, table.tail_p, p),
        (table.q, table.tail_q, q),
        (table.left, table.tail_left, left),
    ]:
        np.testing.assert_array_equal(column, law[table.tokens])
        assert tail == pytest.approx(law[rest].sum(), abs=1e-12)


@pytest.mark.parametrize("size", [12, 3000, 49_152])
def test_ties_in_a_table_go_by_id(size: int) -> None:
    law = np.full(size, 1 / size)
    table = make_table(law, law, [size - 1])
    assert table.tokens == [*range(TABLE_ROWS), size - 1]


def test_a_token_marked_twice_is_shown_once() -> None:
    law = random_law(np.random.default_rng(0), 50)
    rare = int(law.argmin())
    assert make_table(law, law, [rare, rare]).tokens.count(rare) == 1


def test_a_bonus_has_a_table_of_p_alone() -> None:
    table = make_table(np.array([0.5, 0.25, 0.25]), None, [2], rows=1)
    assert (table.tokens, table.p, table.q, table.left) == ([0, 2], [0.5, 0.25], [], [])
    assert (table.tail_count, table.tail_p, table.tail_q) == (1, 0.25, 0.0)


# ---- digests and sums --------------------------------------------------------------------------


@given(st.lists(st.integers(0, 49_151), max_size=30), st.lists(st.integers(0, 9), max_size=5))
def test_a_digest_grows_with_its_text(tokens: list[int], more: list[int]) -> None:
    assert len(digest(tokens)) == len(tokens)
    assert digest(tokens + more).startswith(digest(tokens))
    assert departure(digest(tokens), digest(tokens + more)) == (len(tokens) if more else None)


def test_digests_name_the_place_where_texts_part() -> None:
    """At most one chance in 64 of being late, by a token."""
    rng = np.random.default_rng(0)
    late = 0
    for _ in range(500):
        one = rng.integers(0, 49_152, 20).tolist()
        place = int(rng.integers(0, 20))
        other = one.copy()
        other[place] += 1
        found = departure(digest(one), digest(other))
        assert found is None or found >= place, "texts cannot part before they differ"
        late += found != place
    assert late < 25


def test_the_digest_of_a_text_is_pinned() -> None:
    """Links that were shared carry it."""
    assert digest([0, 1, 2, 49_151]) == "fBtT"


def test_a_summary_counts_the_trace(trace: Trace) -> None:
    found = summarize(trace)
    drafted = [x for cycle in trace.cycles for x in cycle.drafted]
    verdicts = [x.verdict for x in drafted]
    assert found.tokens == len(trace.tokens) == 25
    assert found.cycles == len(trace.cycles)
    assert found.drafted == len(drafted)
    assert found.accepted == verdicts.count("accepted")
    assert found.unchecked == verdicts.count("unchecked") > 0
    assert found.checked == found.accepted + verdicts.count("rejected")
    overlaps = [x.overlap for x in drafted if x.overlap is not None]
    assert found.alpha == pytest.approx(np.mean(overlaps))
    assert found.tau == pytest.approx(25 / len(trace.cycles))
    assert found.accepted_of_checked == pytest.approx(found.accepted / found.checked)
    assert found.accepted_of_drafted == pytest.approx(found.accepted / found.drafted)
    assert found.total_ms >= found.draft_ms + found.target_ms > 0
    assert found.timed_cycles == found.cycles
