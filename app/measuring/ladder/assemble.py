"""Put all that was measured into one `DraftMeasurements`."""

from collections.abc import Sequence

from measuring import intervals, ladder_cells
from measuring.ladder.agreement import Agreements
from measuring.ladder.context import Long
from measuring.ladder.plan import few
from measuring.ladder.runs import rung_pair
from measuring.ladder_file import (
    AssistedCell,
    Baseline,
    DraftMeasurements,
    Rung,
    RungKind,
)
from measuring.run_record import PLAIN, RunRecord
from measuring.shipped import weight_digests
from speculation.machine import machine
from speculation.pairs.catalog import pairs
from speculation.trace import Arithmetic


def assemble(
    records: Sequence[RunRecord],
    rungs: Sequence[str],
    prompts: dict[str, list[str]],
    *,
    long: Long | None,
    agreements: Agreements | None,
    assisted: list[AssistedCell],
    on_presets: Sequence[RunRecord],
    baseline: Baseline | None,
    arithmetic: Arithmetic,
    recorded_at: str,
    minutes: float,
    complete: bool,
    lengths: dict[str, int],
) -> DraftMeasurements:
    """All cells that the records allow."""
    own = [x for x in records if x.rung in (*rungs, PLAIN)]
    plain = [x for x in own if x.rung == PLAIN]
    digests = weight_digests()
    same = [x for x in own if x.rung == "target" and x.precision == "float32"]
    return DraftMeasurements(
        recorded_at=recorded_at,
        machine=machine(),
        device=arithmetic.device,
        threads=arithmetic.threads,
        versions=arithmetic.versions,
        minutes=minutes,
        complete=complete,
        target_digest=arithmetic.target_digest,
        weights=digests,
        lengths=lengths,
        prompts=prompts,
        rungs=[_rung(rung, digests, own) for rung in rungs],
        step_ms=intervals.by_precision(plain, intervals.step_ms),
        unrest=intervals.by_precision(plain, intervals.unrest),
        alpha=ladder_cells.alpha_cells(own),
        agreement=agreements.cells(rungs, baseline) if agreements else [],
        speed=ladder_cells.speed_cells(own),
        presets=ladder_cells.speed_cells(on_presets),
        context=long.context if long else [],
        assisted=assisted,
        meters=ladder_cells.meters(own, {rung: rung_pair(rung) for rung in rungs if not few(rung)}),
        changes=long.changes if long else [],
        baseline=baseline,
        never_rejected=all(x.accepted == x.checked for x in same) if same else None,
    )


def _rung(name: str, digests: dict[str, str], records: Sequence[RunRecord]) -> Rung:
    spec = pairs()[rung_pair(name)]
    own = [digest for path, digest in digests.items() if path.startswith(f"{name}/")]
    return Rung(
        name=name,
        pair=spec.id,
        title=spec.title,
        kind=_kind(name),
        megabytes=round(spec.megabytes, 2),
        digest=own[0] if own else "no weights of its own",
        cost=ladder_cells.costs(records, name),
    )


def _kind(name: str) -> RungKind:
    if name.startswith("layers"):
        return "layers"
    if name.startswith("early-exit"):
        return "early exit"
    return "bigram" if name == "bigram" else "lookup" if name == "lookup" else "target"
