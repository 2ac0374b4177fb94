"""The measurement of the drafts: how records become numbers, what the plan is, and the file."""

import json
import time
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from helpers.made_records import made_up, made_up_agreements, made_up_record, made_up_records
from measuring import intervals, ladder_cells
from measuring.ladder import command
from measuring.ladder.heldout_prompts import KINDS, heldout_prompts
from measuring.ladder.log import Log
from measuring.ladder.plan import Cell, few, length_of, plan
from measuring.ladder.runs import make_run, make_runs
from measuring.ladder.summary import summary
from measuring.ladder_file import DRAFT_LENGTHS, TEMPERATURES, DraftMeasurements
from measuring.run_record import PLAIN, RunRecord, record_run, seed_of
from measuring.shipped import DRAFTS_FILE, SCHEMA_FILE, weight_digests
from speculation.pairs.catalog import pairs
from speculation.pairs.pair import Pair
from speculation.run import run
from speculation.settings import Settings
from speculation.summary import summarize
from training.texts.prompts import TRAINING_FILE

LADDER = ["layers-4", "bigram", "lookup"]
SOME = Cell("layers-4", "code", 0, 1.0, "float32", 4, 0, 24)


@pytest.fixture(scope="module")
def records() -> list[RunRecord]:
    return list(made_up_records())


# The file


def test_the_file_is_valid_and_so_is_its_schema() -> None:
    found = DraftMeasurements.model_validate_json(DRAFTS_FILE.read_bytes())
    assert json.loads(SCHEMA_FILE.read_text()) == DraftMeasurements.model_json_schema(), (
        "the schema is of an older version: make measure writes it again"
    )
    assert {rung.pair for rung in found.rungs} == set(pairs()), "the ladder has other rungs now"
    broken = json.loads(DRAFTS_FILE.read_text()) | {"version": 0}
    with pytest.raises(ValidationError):
        DraftMeasurements.model_validate(broken)


def test_the_numbers_belong_to_the_weights_that_are_shipped() -> None:
    found = DraftMeasurements.model_validate_json(DRAFTS_FILE.read_bytes())
    assert found.weights == weight_digests(), (
        "the drafts' weights are not those that were measured: run make measure"
    )


def test_other_weights_have_another_digest(tmp_path: Path) -> None:
    (tmp_path / "layers-1").mkdir()
    file = tmp_path / "layers-1" / "model.safetensors"
    file.write_bytes(b"one")
    before = weight_digests(tmp_path)
    assert list(before) == ["layers-1/model.safetensors"]
    file.write_bytes(b"two")
    assert weight_digests(tmp_path) != before


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    found = made_up()
    command.write(found, tmp_path / "drafts.json")
    text = (tmp_path / "drafts.json").read_text()
    assert DraftMeasurements.model_validate_json(text) == found
    assert max(map(len, text.splitlines())) < 4000, "a cell a line, so that a change can be read"


# Records


def test_a_record_counts_what_the_trace_says(tiny_pair: Pair) -> None:
    settings = Settings(prompt="to be or not to be", k=3, length=30, temperature=1.0)
    *_, record = record_run(tiny_pair, settings, "tiny", "code", 0)
    assert record is not None
    trace = run(tiny_pair, settings)
    summed = summarize(trace)
    assert record.tokens == summed.tokens
    assert (record.drafted, record.checked, record.accepted) == (
        summed.drafted, summed.checked, summed.accepted,
    )  # fmt: skip
    assert sum(record.overlap) / record.checked == pytest.approx(summed.alpha, abs=1e-6)
    for i in range(3):
        here = [c.checked[i] for c in trace.cycles if i < len(c.checked)]
        assert record.reached[i] == len(here)
        assert record.kept[i] == sum(x.verdict == "accepted" for x in here)
        assert record.overlap[i] == pytest.approx(sum(x.overlap or 0 for x in here), abs=1e-5)
    assert 0.0 < record.full_target_ms <= record.target_ms
    assert 0.0 < record.draft_ms + record.target_ms < record.total_ms, "inside the whole"
    assert record.scored == record.tokens, "every committed token has its p"
    chances = [
        p
        for c in trace.cycles
        for p in [
            *(x.p for x in c.drafted[: c.n_accepted]),
            *([c.replacement.p] if c.replacement else []),
        ][: len(c.committed)]
    ]
    assert record.log_prob == pytest.approx(float(np.log(chances).sum()), abs=1e-5)


def test_plain_decoding_is_a_record_without_drafts(tiny_pair: Pair) -> None:
    *_, record = record_run(tiny_pair, Settings(length=9), PLAIN, "code", 0, k=0)
    assert record is not None
    assert (record.k, record.drafted, set(record.committed)) == (0, 0, {1})


def test_the_numbers_of_made_up_records_are_what_was_put_in(records: list[RunRecord]) -> None:
    for cell in ladder_cells.alpha_cells(records):
        if cell.rung == "bigram":
            assert cell.alpha.mean == pytest.approx(0.24 if cell.kind == "code" else 0.18)
            assert cell.alpha.low <= cell.alpha.mean <= cell.alpha.high
    for speed in ladder_cells.speed_cells(records):
        c = {"lookup": 0.0, "bigram": 0.01, "target": 1.0}.get(speed.rung, 0.12)
        assert speed.c == pytest.approx(c / 0.97, rel=1e-3)  # a tenth row is not in the call
        assert speed.v == pytest.approx(1 + 0.1 * speed.k, rel=1e-3)
        cost = 1 + (0.1 + c) * speed.k
        assert speed.speedup.mean == pytest.approx(speed.tau / cost, rel=0.25)
        assert speed.speedup.low <= speed.speedup.mean <= speed.speedup.high
        assert speed.drafted == speed.accepted + speed.rejected + speed.unchecked


def test_an_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng, inside = np.random.default_rng(1), 0
    for _ in range(200):
        tops = rng.poisson(5.0, 30).astype(float)
        found = intervals.ratio_of_sums(tops.tolist(), [10.0] * 30)
        inside += found.low <= 0.5 <= found.high
    assert 0.88 < inside / 200 < 0.99


def test_a_speed_is_compared_with_the_turns_around_it() -> None:
    slow = made_up_record(Cell(PLAIN, "code", 0, 1.0, "float32", 0, 0, 24))
    far = slow.model_copy(update={"turn": 5, "cycle_ms": [1.0] * len(slow.cycle_ms)})
    spec = made_up_record(SOME)
    alone, both = (intervals.speedup_of([spec], turns) for turns in ([slow], [slow, far]))
    assert alone == both, "a turn that lies elsewhere changes nothing"
    assert intervals.speedup_of([spec], [far]) is None
    busy = slow.model_copy(update={"cycle_ms": [2 * ms for ms in slow.cycle_ms]})
    doubled = intervals.speedup_of([spec], [busy])
    assert alone is not None
    assert doubled is not None
    assert doubled.mean == pytest.approx(2 * alone.mean, rel=1e-3)


def test_a_busy_machine_is_noticed() -> None:
    plain = made_up_record(Cell(PLAIN, "code", 0, 1.0, "float32", 0, 0, 24))
    slow = plain.model_copy(update={"cycle_ms": [2 * ms for ms in plain.cycle_ms]})
    assert intervals.unrest([plain] * 10) == pytest.approx(1.0)
    assert intervals.unrest([plain] * 5 + [slow] * 5) == pytest.approx(2.0)
    quiet = made_up()
    assert not quiet.busy
    busy = quiet.model_copy(update={"unrest": {"float32": 2.0}})
    assert "BUSY MACHINE" in "\n".join(summary(busy))
    assert "BUSY MACHINE" not in "\n".join(summary(quiet))


# The plan


def test_the_plan_has_every_cell_that_is_asked_for() -> None:
    rungs = [*LADDER, "early-exit-4", "target"]
    planned = plan(rungs)
    assert len({cell.key for cell in planned}) == len(planned), "no run is made twice"
    for rung in LADDER:
        for kind in KINDS:
            for temperature in TEMPERATURES:
                some = [
                    c
                    for c in planned
                    if (c.rung, c.kind, c.temperature) == (rung, kind, temperature)
                ]
                assert {c.prompt for c in some if c.k == 8 and c.precision == "float32"} == {
                    0,
                    1,
                    2,
                }
                if temperature in (0.0, 1.0):
                    for precision in ("float32", "bfloat16"):
                        timed = {c.k for c in some if c.precision == precision and c.prompt == 0}
                        assert timed == set(DRAFT_LENGTHS)
    plain = {(*c.key[1:5], c.turn) for c in planned if c.rung == PLAIN}
    for cell in planned:
        if cell.precision == "bfloat16" and cell.rung != PLAIN:
            for turn in (cell.turn, cell.turn + 1):
                assert (*cell.key[1:5], turn) in plain, f"no plain decoding beside {cell}"
    assert sum(few(c.rung) for c in planned) < len(planned) / 4
    assert all(c.precision == "float32" and c.rung != PLAIN for c in plan(rungs, only="alpha"))
    assert {c.temperature for c in plan(rungs, only="speed")} == {0.0, 1.0}
    assert {c.prompt for c in plan(rungs, quick=True)} == {0}
    assert length_of("quote") > length_of("code")


def test_held_out_prompts_share_nothing_with_training() -> None:
    prompts = heldout_prompts(3)
    texts = [text for some in prompts.values() for text in some]
    assert len(set(texts)) == 3 * len(KINDS)
    file = TRAINING_FILE
    assert not [text for text in texts if text in file.read_text()]


def test_seeds_differ_from_run_to_run_and_stay() -> None:
    assert seed_of("a", "code", 0, 4) == seed_of("a", "code", 0, 4)
    assert len({seed_of(r, "code", 0, k, t) for r in "abc" for k in (1, 2) for t in (0, 1)}) == 12


# Going on where it stopped


class TinyPairs:
    def __init__(self, pair: Pair) -> None:
        self.pair, self.asked = pair, 0

    def get(self, rung: str, precision: str) -> Pair:
        self.asked += 1
        return self.pair


def test_it_goes_on_where_it_stopped(tmp_path: Path, tiny_pair: Pair) -> None:
    planned = [
        c for c in plan(["layers-4"], quick=True) if c.kind == "code" and c.temperature == 0.0
    ]
    prompts, ready = heldout_prompts(1), TinyPairs(tiny_pair)
    what = {"weights": "one"}
    log = Log(tmp_path, what)
    later = time.monotonic() + 600
    assert not make_runs(planned, ready, prompts, log, 0.0, lambda line: None), "no time at all"
    lines: list[str] = []
    assert make_runs(planned[:4], ready, prompts, log, later, lines.append)  # type: ignore[arg-type]
    assert "4 of 4 runs" in lines[-1]
    with (log.folder / "runs.jsonl").open("a") as file:
        file.write('{"rung": "cut o')
    ready.asked = 0
    again = Log(tmp_path, what)
    assert [x.key for x in again.records] == [c.key for c in planned[:4]]
    assert make_runs(planned[:6], ready, prompts, again, later, lines.append)  # type: ignore[arg-type]
    assert ready.asked == 2, "what is there is not made again"
    assert not Log(tmp_path, {"weights": "other"}).records, "other weights begin anew"
    assert not Log(tmp_path, what, fresh=True).records


def test_a_run_is_the_one_its_link_opens(tiny_pair: Pair) -> None:
    record = make_run(tiny_pair, SOME, "to be")
    settings = Settings(
        prompt="to be", k=4, temperature=1.0, length=24, seed=seed_of("layers-4", "code", 0, 4)
    )
    assert record.committed == [len(c.committed) for c in run(tiny_pair, settings).cycles]


# What is printed


def test_the_summary_says_what_was_reached_and_what_not() -> None:
    found = made_up()
    lines = "\n".join(summary(found))
    for aim in ("best rung", "cheapest layered", "a preset that is no quotation",
                "the same on held-out prompts", "lookup on a quotation",
                "below plain decoding", "assisted generation", "never rejected"):  # fmt: skip
        assert aim in lines, aim
    assert "use --against FILE" in lines
    rungs = [rung.name for rung in found.rungs]
    agreements = made_up_agreements(rungs, start=True)
    start = agreements.baseline("starting draft", "d")
    beside = {"agreement": agreements.cells(rungs, start), "baseline": start}
    lines = "\n".join(summary(found.model_copy(update=beside)))
    assert "text by text +0.100 (+0.100 to +0.100), aim +0.10: reached" in lines
    assert "q = p in float32: never rejected: NOT REACHED" in lines, "0.9 of 1 in the made-up runs"
    cells = ("speed", "presets", "assisted", "alpha", "agreement")
    nothing: dict[str, list[object]] = {name: [] for name in cells}
    empty = found.model_copy(update=nothing)
    assert "not measured" in "\n".join(summary(empty))
