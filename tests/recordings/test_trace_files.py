"""Files that are no traces: refused in words that name what is wrong, and never a crash."""

import gzip
import json
import random
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from charts.run.departure import departure_sentence
from charts.run.laws import laws_figure, laws_sentence
from components.run_payload import pack as packed_run
from recordings.home_runs import home_runs, home_settings
from recordings.packed_json import MAX_UNPACKED_BYTES
from recordings.presets import presets
from recordings.trace_files import BadTrace, pack, parse, recorded
from speculation.summary import summarize
from speculation.trace import Trace, digest

NAME = "quote"
Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def trace() -> Trace:
    found = recorded(NAME)
    assert found is not None
    return found


def test_every_preset_is_recorded_on_its_settings() -> None:
    for preset in presets():
        found = recorded(preset.name)
        assert found is not None, f"no recording of {preset.name}: make traces"
        assert found.settings == preset.settings, f"{preset.name} is out of date: make traces"
        assert found.finish in ("end", "length")
        assert found.arithmetic.dtype == "float32"


def test_the_runs_of_home_are_those_that_are_asked_for() -> None:
    found = home_runs()
    assert found is not None, "no recording of Home's runs: make traces"
    assert [run.settings for run in found.runs.values()] == home_settings(), "make traces"
    for k, run in found.runs.items():
        assert k == run.settings.k
        assert sum(len(cycle.committed) for cycle in run.cycles) <= run.settings.length
        assert all(1 <= len(cycle.committed) <= k + 1 for cycle in run.cycles)
        assert {token for cycle in run.cycles for token in cycle.committed} <= run.pieces.keys()
    # The same dice as the default run of the Lab: its first tokens, where k is the same.
    lab = recorded(presets()[0].name)
    assert lab is not None
    same = found.runs[lab.settings.k]
    assert [c.committed for c in same.cycles[:4]] == [c.committed for c in lab.cycles[:4]]


def test_pack_and_parse(trace: Trace) -> None:
    assert parse(pack(trace)) == trace
    assert pack(trace) == pack(trace)
    assert parse(trace.model_dump_json().encode()) == trace
    assert recorded("no such") is None


def put(*path: Any, value: Any) -> Change:
    """Sets one value, somewhere deep."""

    def change(data: dict[str, Any]) -> None:
        place: Any = data
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value

    return change


def drop(*path: Any) -> Change:
    def change(data: dict[str, Any]) -> None:
        place: Any = data
        for name in path[:-1]:
            place = place[name]
        del place[path[-1]]

    return change


def drop_a_piece(data: dict[str, Any]) -> None:
    del data["pieces"][str(data["cycles"][0]["committed"][0])]


def huge_token(data: dict[str, Any]) -> None:
    data["cycles"][0]["committed"][0] = 2**70
    data["pieces"][str(2**70)] = "x"


FIRST = ("cycles", 0, "drafted", 0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("schema_version", value=2), "schema version 2; this app reads version 1"),
        (put("schema_version", value=None), "schema version None"),
        (put("schema_version", value="x" * 5000), "schema version 'x"),
        (put(*FIRST, "p", value=1.5), "cycles.0.drafted.0.p"),
        (put(*FIRST, "p", value=float("nan")), "cycles.0.drafted.0.p"),
        (put(*FIRST, "u", value=float("inf")), "cycles.0.drafted.0.u"),
        (put(*FIRST, "q", value=10**400), "cycles.0.drafted.0.q"),
        (put(*FIRST, "q", value=-0.1), "cycles.0.drafted.0.q"),
        (put(*FIRST, "token", value=-1), "cycles.0.drafted.0.token"),
        (put(*FIRST, "token", value="1; drop table"), "cycles.0.drafted.0.token"),
        (put(*FIRST, "verdict", value="maybe"), "cycles.0.drafted.0.verdict"),
        (put(*FIRST, "note", value="<b>"), "cycles.0.drafted.0.note"),
        (drop(*FIRST, "u"), "cycles.0.drafted.0.u"),
        (put("cycles", 0, "index", value=3), "cycle 0 says index 3"),
        (put("cycles", 0, "n_accepted", value=99), "n_accepted is 99"),
        (put("settings", "k", value=13), "settings.k"),
        (put("settings", "prompt", value="x" * 9000), "settings.prompt"),
        (put("settings", "temperature", value=float("nan")), "settings.temperature"),
        (put("settings", "seed", value=2**60), "settings.seed"),
        (put("pieces", "1", value=[300]), "pieces.1"),
        (put("pieces", "one", value="x"), "pieces.one"),
        (put("timings", "prefill_ms", value=-1), "timings.prefill_ms"),
        (put("finish", value="never"), "finish"),
        (drop("timings"), "timings"),
        (drop("cycles"), "cycles"),
        (drop_a_piece, "pieces has no text for token"),
        (huge_token, "committed"),
        (put("prompt_ids", value=[2**40]), "token"),
    ],
)
def test_a_bad_field_is_named(trace: Trace, change: Change, words: str) -> None:
    data = json.loads(trace.model_dump_json())
    change(data)
    with pytest.raises(BadTrace) as refusal:
        parse(json.dumps(data).encode())
    assert words in str(refusal.value)
    assert len(str(refusal.value)) < 500


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x1f\x8b",
        b"\x1f\x8b" + b"\0" * 50,
        b"null",
        b"[]",
        b"{}",
        b"{",
        b"\xff\xfe\x00",
        b"PK\x03\x04 a zip",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"1" * 10_000,
        b'"\\ud800"',
    ],
    ids=repr,
)
def test_no_trace_at_all(data: bytes) -> None:
    with pytest.raises(BadTrace) as refusal:
        parse(data)
    assert len(str(refusal.value)) < 500


def test_gzip_bomb() -> None:
    """A gigabyte of spaces in a small file is never unpacked."""
    bomb = zlib.compressobj(9, wbits=31)
    packed = b"".join(bomb.compress(b" " * 10_000_000) for _ in range(10)) + bomb.flush()
    assert len(packed) < 200_000
    with pytest.raises(BadTrace, match=f"more than {MAX_UNPACKED_BYTES // 10**6} MB"):
        parse(packed)


def test_damaged_gzip(trace: Trace) -> None:
    """Cut short, flipped bits: refused, or, where only the checksum is missing, not misread."""
    packed = pack(trace)
    rng = random.Random(1)
    for cut in (3, 11, 100, len(packed) // 2, len(packed) - 9):
        with pytest.raises(BadTrace):
            parse(packed[:cut])
    for _ in range(60):
        place = rng.randrange(10, len(packed) - 8)
        damaged = bytearray(packed)
        damaged[place] ^= 1 << rng.randrange(8)
        with pytest.raises(BadTrace):
            parse(bytes(damaged))
    with pytest.raises(BadTrace):
        parse(gzip.compress(packed))  # twice


def leaves(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of every value in some JSON."""
    if isinstance(data, dict):
        return [x for name in data for x in leaves(data[name], (*path, name))]
    if isinstance(data, list):
        return [x for i in range(len(data)) for x in leaves(data[i], (*path, i))]
    return [path]


def test_what_is_taken_can_be_shown(trace: Trace) -> None:
    """Values changed at random: either the file is refused, or every view of it can be drawn."""
    whole = json.loads(trace.model_dump_json())
    places, rng, taken = leaves(whole), random.Random(7), 0
    bare = [path for path in places if "table" not in path]  # tables are most of a trace
    odd = [0, 1, -1, 0.5, 2**31, 2**53, 1e308, "", "<b>\u202e", None, [], {}, True, "accepted", 12]
    for _ in range(300):
        data = json.loads(json.dumps(whole))
        path = rng.choice(rng.choice((places, bare)))
        rng.choice((put(*path, value=rng.choice(odd)), drop(*path)))(data)
        try:
            found = parse(json.dumps(data).encode())
        except BadTrace:
            continue
        taken += 1
        packed_run(found)
        summarize(found)
        digest(found.tokens)
        departure_sentence(found, trace, [])
        touched = path[1] if path[0] == "cycles" else 0
        for cycle in found.cycles[touched : touched + 1]:
            for place in range(len(cycle.drafted) + 1):
                laws_figure(found, cycle, place)
                laws_sentence(found, cycle, place)
    assert taken > 20
