"""Made-up records of runs and a whole measurement made of them: the page needs no model."""

import zlib
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from measuring.intervals import ratio_of_sums
from measuring.ladder.agreement import Agreements
from measuring.ladder.assemble import assemble
from measuring.ladder.context import Long
from measuring.ladder.heldout_prompts import heldout_prompts
from measuring.ladder.plan import Cell, plan
from measuring.ladder_file import AssistedCell, ContextCell, DraftMeasurements, LawChange
from measuring.run_record import RunRecord
from speculation.pairs.catalog import pairs
from speculation.trace import Arithmetic

STEP = {"float32": 40.0, "bfloat16": 36.0}
AGREE = {"lookup": 0.3, "bigram": 0.2, "target": 1.0}
COST = {"lookup": 0.0, "bigram": 0.01, "target": 1.0}


def made_up_record(cell: Cell, seed: int = 0) -> RunRecord:
    """A run whose drafts are accepted by chance, with times that are what they should be."""
    rng = np.random.default_rng([seed, zlib.crc32(repr(cell.key).encode())])
    alpha = AGREE.get(cell.rung, 0.5) * (1.2 if cell.kind == "code" else 0.9)
    alpha = min(alpha, 1.0) if cell.rung == "target" else min(alpha, 0.95)
    step, c, k = STEP[cell.precision], COST.get(cell.rung, 0.12), cell.k
    committed, times = [], []
    reached, kept = [0] * k, [0] * k
    while sum(committed) < cell.length:
        n = 0
        while n < k and rng.random() < alpha:
            n += 1
        for i in range(min(n + 1, k)):
            reached[i] += 1
        for i in range(n):
            kept[i] += 1
        committed.append(n + 1)
        times.append(round(step * (1.0 + (0.1 + c) * k) * (0.98 + 0.04 * rng.random()), 3))
    cycles = len(committed)
    return RunRecord(
        rung=cell.rung,
        kind=cell.kind,
        prompt=cell.prompt,
        temperature=cell.temperature,
        precision=cell.precision,
        k=k,
        turn=cell.turn,
        committed=committed,
        cycle_ms=times,
        drafted=k * cycles,
        checked=sum(reached),
        accepted=sum(kept),
        overlap=[alpha * n for n in reached],
        reached=reached,
        kept=kept,
        draft_ms=step * c * k * cycles,
        target_ms=step * (1.0 + 0.1 * k) * cycles * 0.97,
        full=cycles,
        full_target_ms=step * (1.0 + 0.1 * k) * cycles * 0.97,
        log_prob=float(-1.5 * sum(committed) + rng.normal()),
        scored=sum(committed),
    )


def made_up_records() -> Iterator[RunRecord]:
    for cell in plan([pair.split("/")[1] for pair in pairs()]):
        yield made_up_record(cell)


def made_up_agreements(rungs: list[str], start: bool = False) -> Agreements:
    """Two texts of ten positions; the first rung agrees .5 there, the starting draft .4."""
    sums = {rung: [5.5, 4.5] if i == 0 else [4.5, 3.5] for i, rung in enumerate(rungs)}
    if start:
        sums["starting draft"] = [4.5, 3.5]
    return Agreements(
        digest="t", kinds=["code", "story"], sums=sums, counts={name: [10, 10] for name in sums}
    )


def made_up() -> DraftMeasurements:
    """A whole measurement of the drafts that are there."""
    rungs = [pair.split("/")[1] for pair in pairs()]
    some = ratio_of_sums([0.5, 0.6], [1.0, 1.0])
    return assemble(
        list(made_up_records()),
        rungs,
        heldout_prompts(3),
        long=Long(
            context=[ContextCell(rung=rungs[0], tokens=n, alpha=some) for n in (64, 256)],
            changes=[LawChange(name="top-k 50", about="the 50 likeliest tokens", tv=some)],
        ),
        agreements=made_up_agreements(rungs),
        assisted=[
            AssistedCell(rung=rungs[0], kind="code", temperature=0.0, precision="float32", k=4,
                         ratio=some, tokens_per_second=20.0, assisted_tokens_per_second=18.0)
        ],
        on_presets=[
            made_up_record(replace(cell, kind="poem"))
            for cell in plan([rungs[0]])
            if cell.kind == "code" and cell.precision == "bfloat16"
        ],
        baseline=None,
        arithmetic=Arithmetic(target_digest="t", draft_digest="d", dtype="float32", device="cpu",
                              threads=2, versions={"torch": "2"}),
        recorded_at="2026-01-02T03:04:05+00:00",
        minutes=1.0,
        complete=True,
        lengths=dict.fromkeys(heldout_prompts(1), 24),
    )  # fmt: skip
