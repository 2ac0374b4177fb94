"""The parts of `make measure` that are not runs of the plan: each is made once, and kept whole.

A stage that time cuts short returns None, and the next call begins it anew.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from measuring.ladder.agreement import Agreements, Written, agreement, let_target_write
from measuring.ladder.assisted import beside_transformers
from measuring.ladder.context import Long, compare_laws, write_texts
from measuring.ladder.heldout_prompts import openings
from measuring.ladder.log import Log
from measuring.ladder.on_presets import preset_runs
from measuring.ladder.runs import STARTING, Pairs, progress, rung_pair, starting_draft
from measuring.ladder_file import CONTEXTS, PRECISIONS, TIMED_TEMPERATURES, AssistedCell
from measuring.run_record import RunRecord, link_settings
from speculation.settings import Precision, Settings
from speculation.text import encode

ASSISTED_KINDS = ("code", "question")
ASSISTED_K = 4


class OnPresets(BaseModel):
    """What the stage on the app's presets found: its runs, plain decoding's among them."""

    records: list[RunRecord]


class Assisted(BaseModel):
    """What the stage beside transformers found."""

    cells: list[AssistedCell]


@dataclass(frozen=True)
class Call:
    """One call of `make measure`, as the stages see it.

    log    what earlier calls have kept
    quick  everything small
    until  when it must stop, by time.monotonic
    """

    log: Log
    ready: Pairs
    rungs: Sequence[str]
    quick: bool
    until: float

    @property
    def late(self) -> bool:
        return time.monotonic() > self.until


def agreement_stage(call: Call, against: Path | None) -> Agreements | None:
    """Every draft, and the starting one if it is there, on the same texts of the target's."""
    if kept := call.log.stage("agreement", Agreements):
        return kept
    target = call.ready.get("target", "float32")
    texts: list[Written] = []
    for texts in let_target_write(target, *((2, 24) if call.quick else ())):
        progress(f"the target wrote {len(texts)} texts")
        if call.late:
            return None
    drafts = {rung: call.ready.get(rung, "float32").draft for rung in call.rungs}
    if against is not None:
        drafts[STARTING] = starting_draft(target, against)
    for read, found in enumerate(agreement(texts, target.target, drafts), 1):
        progress(f"every draft has read {read} of {len(texts)} texts")
        if read == len(texts):
            call.log.keep("agreement", found)
            return found
        if call.late:
            break
    return None


def long_stage(call: Call) -> Long | None:
    """Long texts: agreement by context for the rungs with weights, and what changes the law."""
    if kept := call.log.stage("long", Long):
        return kept
    texts, contexts = (2, CONTEXTS[:2]) if call.quick else (6, CONTEXTS)
    pair = call.ready.get("target", "float32")
    length = contexts[-1] + 32
    found: list[list[int]] = []
    starts = [encode(pair.tokenizer, text, "continue") for text in openings(texts)]
    for found in write_texts(pair, starts, length, seed=5):
        if len(found[0]) % 16 == 0:
            progress(f"{texts} long texts: {len(found[0])} of {length} tokens")
        if call.late:
            return None
    drafts = {
        rung: call.ready.get(rung, "float32").draft
        for rung in call.rungs
        if rung.startswith("layers") or rung == "bigram"
    }
    half = call.ready.get("target", "bfloat16").target
    result: Long | None = None
    for result in compare_laws(found, pair.target, half, drafts, contexts):
        progress(f"distributions compared on {result.changes[0].tv.count} of {texts} long texts")
    if result is not None:
        call.log.keep("long", result)
    return result


def assisted_stage(call: Call, prompts: dict[str, list[str]]) -> Assisted | None:
    """Beside transformers' assisted generation, with the default draft."""
    if kept := call.log.stage("assisted", Assisted):
        return kept
    rung = Settings().pair.split("/")[1]
    if rung not in call.rungs:
        return None
    cells: list[AssistedCell] = []
    length, rounds = (10, 1) if call.quick else (40, 4)
    for precision in PRECISIONS:
        for temperature in TIMED_TEMPERATURES:
            for kind in ASSISTED_KINDS:
                if call.late:
                    return Assisted(cells=cells)
                asked = [
                    _asked(rung, prompts[kind], i, temperature, precision, length)
                    for i in range(rounds)
                ]
                pair = call.ready.get(rung, precision)
                *_, last = beside_transformers(pair, asked, rung, kind)
                cells.append(last)
                progress(f"beside transformers: {kind}, T {temperature:g}, {precision}")
    result = Assisted(cells=cells)
    call.log.keep("assisted", result)
    return result


def presets_stage(call: Call) -> OnPresets | None:
    """The layered drafts on the app's presets, beside plain decoding."""
    if kept := call.log.stage("presets", OnPresets):
        return kept
    layered = [rung for rung in call.rungs if rung.startswith("layers")]
    records: list[RunRecord] = []
    for record in preset_runs(call.ready, layered, call.quick):
        records.append(record)
        progress(f"{len(records)} runs on the presets: {record.kind}, {record.rung}")
        if call.late:
            return None
    result = OnPresets(records=records)
    call.log.keep("presets", result)
    return result


def _asked(
    rung: str, texts: list[str], i: int, temperature: float, precision: Precision, length: int
) -> Settings:
    return link_settings(
        rung_pair(rung), texts[i % len(texts)], temperature, ASSISTED_K, 11 + i, length,
        precision=precision,
    )  # fmt: skip
