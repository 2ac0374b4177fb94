"""Measure what every draft costs and earns: python -m jobs.measure_drafts, or `make measure`.

Takes at most --minutes (34), goes on where it was interrupted, and writes
assets/measurements/drafts.json with a summary of what must be reached.

    make measure WHAT="--only alpha"          # agreement alone, no times: a part of the whole
    make measure WHAT="--quick"               # everything, small: to see that it works
    make measure WHAT="--against FILE"        # and the draft that training started from
    make measure WHAT="--fresh"               # forget an interrupted measurement
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import torch
from environment import environment
from measurements import DRAFTS_FILE, SCHEMA_FILE, measured_drafts, weight_digests
from pydantic import BaseModel
from settings import Precision, Settings
from speculation import weights
from speculation.catalog import Shelf, pairs
from speculation.ladder import (
    CONTEXTS,
    PRECISIONS,
    TIMED_TEMPERATURES,
    VERSION,
    AssistedCell,
    Baseline,
    DraftMeasurements,
)
from speculation.tally import link_settings
from speculation.text import encode
from transformers.utils import logging

from jobs.heldout import heldout_prompts, openings
from jobs.measure_agreement import Agreements, Written, agreement, let_target_write
from jobs.measure_assemble import assemble
from jobs.measure_assisted import beside_transformers
from jobs.measure_cards import write_cards
from jobs.measure_context import Long, compare_laws, write_texts
from jobs.measure_log import Log
from jobs.measure_plan import FEW_LENGTH, LENGTH, LENGTHS, PROMPTS, plan
from jobs.measure_runs import (
    STARTING,
    Pairs,
    make_runs,
    progress,
    rung_pair,
    starting_draft,
)
from jobs.measure_summary import summary

BUILD = Path("build") / "measure"
ASSISTED_KINDS = ("code", "question")
ASSISTED_K = 4
MINUTES = 34.0  # putting it together takes some seconds more


class Spent(BaseModel):
    """How long the calls before this one took, when a measurement goes on."""

    minutes: float = 0.0


class Assisted(BaseModel):
    """What the stage beside transformers found."""

    cells: list[AssistedCell]


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        "make measure", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=("alpha", "speed"), help="leave the other out")
    parser.add_argument("--quick", action="store_true", help="one prompt a kind, short texts")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="stop after so long")
    parser.add_argument("--against", type=Path, help="weights of the starting draft, to compare")
    parser.add_argument("--fresh", action="store_true", help="forget an interrupted measurement")
    parser.add_argument("--out", type=Path, help="write here instead of assets/measurements")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    began = time.monotonic()
    until = began + 60.0 * options.minutes
    env = environment()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(env.threads or torch.get_num_threads())
    shelf = Shelf(env.cache_dir, env.device, most=32)
    rungs = [pair.split("/")[1] for pair in pairs()]
    prompts = heldout_prompts(1 if options.quick else PROMPTS)
    cells = plan(rungs, options.only, options.quick)
    if options.quick:
        cells = [replace(cell, length=min(cell.length, 12)) for cell in cells]
    against = weights.file_digest(options.against) if options.against else None
    what = {
        "version": VERSION, "weights": weight_digests(), "prompts": prompts, "quick": options.quick,
        "against": against, "device": str(shelf.device), "threads": torch.get_num_threads(),
        "lengths": [LENGTHS, LENGTH, FEW_LENGTH],
    }  # fmt: skip
    log = Log(BUILD, what, options.fresh)
    spent = log.stage("spent", Spent) or Spent()
    ready = Pairs(shelf)
    agreements = None
    if options.only != "speed":
        agreements = agreement_stage(log, ready, rungs, options.against, options.quick, until)
    long = long_stage(log, ready, rungs, options.quick, until)
    assisted = None
    if options.only != "alpha":
        assisted = assisted_stage(log, ready, rungs, prompts, options.quick, until)
    complete = make_runs(cells, ready, prompts, log, until)
    print()
    spent = Spent(minutes=round(spent.minutes + (time.monotonic() - began) / 60, 1))
    log.keep("spent", spent)
    found = assemble(
        log.records,
        rungs,
        prompts,
        long=long,
        assisted=assisted.cells if assisted else [],
        agreements=agreements,
        baseline=baseline(agreements, against) or _earlier_baseline(),
        arithmetic=ready.get("target", "float32").arithmetic,
        recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        minutes=spent.minutes,
        complete=complete and not options.quick and options.only is None,
        lengths={cell.kind: cell.length for cell in cells if cell.k == 0}
        or {cell.kind: cell.length for cell in cells},
    )
    part = options.quick or options.only is not None  # the shipped file holds everything
    out = options.out or (log.folder / "part.json" if part else DRAFTS_FILE)
    write(found, out)
    if out == DRAFTS_FILE:
        write_cards(found)
    print("\n".join(summary(found)))
    print(f"wrote {out}" + ("" if complete else "; time ran out: `make measure` goes on from here"))
    return 0


def agreement_stage(
    log: Log,
    ready: Pairs,
    rungs: Sequence[str],
    against: Path | None,
    quick: bool,
    until: float,
) -> Agreements | None:
    """Every draft, and the starting one if it is there, on the same texts of the target's."""
    kept = log.stage("agreement", Agreements)
    if kept is not None:
        return kept
    target = ready.get("target", "float32")
    texts: list[Written] = []
    for texts in let_target_write(target, *((2, 24) if quick else ())):
        progress(f"the target wrote {len(texts)} texts")
        if time.monotonic() > until:
            return None
    drafts = {rung: ready.get(rung, "float32").draft for rung in rungs}
    if against is not None:
        drafts[STARTING] = starting_draft(target, against)
    for read, found in enumerate(agreement(texts, target.target, drafts), 1):
        progress(f"every draft has read {read} of {len(texts)} texts")
        if read == len(texts):
            log.keep("agreement", found)
            return found
        if time.monotonic() > until:
            break
    return None


def long_stage(
    log: Log, ready: Pairs, rungs: Sequence[str], quick: bool, until: float
) -> Long | None:
    """Long texts: agreement by context for the rungs with weights, and what changes the law."""
    kept = log.stage("long", Long)
    if kept is not None:
        return kept
    texts, contexts = (2, CONTEXTS[:2]) if quick else (6, CONTEXTS)
    pair = ready.get("target", "float32")
    length = contexts[-1] + 32
    found: list[list[int]] = []
    starts = [encode(pair.tokenizer, text, "continue") for text in openings(texts)]
    for found in write_texts(pair, starts, length, seed=5):
        if len(found[0]) % 16 == 0:
            progress(f"{texts} long texts: {len(found[0])} of {length} tokens")
        if time.monotonic() > until:
            return None
    drafts = {
        rung: ready.get(rung, "float32").draft
        for rung in rungs
        if rung.startswith("layers") or rung == "bigram"
    }
    half = ready.get("target", "bfloat16").target
    result: Long | None = None
    for result in compare_laws(found, pair.target, half, drafts, contexts):
        progress(f"laws compared on {result.changes[0].tv.count} of {texts} long texts")
    if result is not None:
        log.keep("long", result)
    return result


def assisted_stage(
    log: Log,
    ready: Pairs,
    rungs: Sequence[str],
    prompts: dict[str, list[str]],
    quick: bool,
    until: float,
) -> Assisted | None:
    """Beside transformers' assisted generation, with the default draft."""
    kept = log.stage("assisted", Assisted)
    if kept is not None:
        return kept
    rung = Settings().pair.split("/")[1]
    if rung not in rungs:
        return None
    cells: list[AssistedCell] = []
    length, rounds = (10, 1) if quick else (40, 4)
    for precision in PRECISIONS:
        for temperature in TIMED_TEMPERATURES:
            for kind in ASSISTED_KINDS:
                if time.monotonic() > until:
                    return Assisted(cells=cells)
                asked = [
                    _asked(rung, prompts[kind], i, temperature, precision, length)
                    for i in range(rounds)
                ]
                pair = ready.get(rung, precision)
                *_, last = beside_transformers(pair, asked, rung, kind)
                cells.append(last)
                progress(f"beside transformers: {kind}, T {temperature:g}, {precision}")
    result = Assisted(cells=cells)
    log.keep("assisted", result)
    return result


def _asked(
    rung: str, texts: list[str], i: int, temperature: float, precision: Precision, length: int
) -> Settings:
    settings = link_settings(
        rung_pair(rung), texts[i % len(texts)], temperature, ASSISTED_K, 11 + i, length
    )
    return settings.model_copy(update={"precision": precision})


def baseline(found: Agreements | None, digest: str | None) -> Baseline | None:
    """The starting draft's agreement, if it was measured now."""
    return found.baseline(STARTING, digest) if found and digest else None


def _earlier_baseline() -> Baseline | None:
    """The one in the file: it holds the digest of the texts it is for."""
    earlier = measured_drafts()
    return earlier.baseline if earlier is not None else None


def write(found: DraftMeasurements, file: Path) -> None:
    """The file, one cell a line, and its schema beside the shipped one."""
    fields = found.model_dump(mode="json")
    lines = []
    for name, value in fields.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            inner = ",\n  ".join(json.dumps(item) for item in value)
            lines.append(f" {json.dumps(name)}: [\n  {inner}\n ]")
        else:
            lines.append(f" {json.dumps(name)}: {json.dumps(value)}")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    if file == DRAFTS_FILE:
        schema = json.dumps(DraftMeasurements.model_json_schema(), indent=1)
        SCHEMA_FILE.write_text(schema + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
