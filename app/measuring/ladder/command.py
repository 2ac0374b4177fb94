"""Measure what every draft costs and earns: python -m measuring, or `make measure`.

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
from pydantic import BaseModel
from transformers.utils import logging

from environment import environment
from measuring.ladder.agreement import Agreements
from measuring.ladder.assemble import assemble
from measuring.ladder.heldout_prompts import heldout_prompts
from measuring.ladder.log import Log
from measuring.ladder.model_cards import write_cards
from measuring.ladder.plan import FEW_LENGTH, LENGTH, LENGTHS, PROMPTS, plan
from measuring.ladder.runs import STARTING, Pairs, make_runs
from measuring.ladder.stages import (
    Call,
    agreement_stage,
    assisted_stage,
    long_stage,
    presets_stage,
)
from measuring.ladder.summary import summary
from measuring.ladder_file import VERSION, Baseline, DraftMeasurements
from measuring.shipped import DRAFTS_FILE, SCHEMA_FILE, measured_drafts, weight_digests
from speculation.pairs import weights
from speculation.pairs.catalog import pairs
from speculation.pairs.shelf import Shelf

BUILD = Path("build") / "measure"
MINUTES = 34.0  # putting it together takes some seconds more


class Spent(BaseModel):
    """How long the calls before this one took, when a measurement goes on."""

    minutes: float = 0.0


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
    call = Call(log, ready, rungs, options.quick, until)
    agreements = None
    if options.only != "speed":
        agreements = agreement_stage(call, options.against)
    long = long_stage(call)
    assisted = on_presets = None
    if options.only != "alpha":
        on_presets = presets_stage(call)
        assisted = assisted_stage(call, prompts)
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
        on_presets=on_presets.records if on_presets else [],
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
