"""Put all that was measured into one `DraftMeasurements`."""

from collections.abc import Sequence

from measurements import weight_digests
from speculation import cells, frontier
from speculation.catalog import pairs
from speculation.ladder import (
    AssistedCell,
    Baseline,
    DraftMeasurements,
    Rung,
    RungKind,
)
from speculation.run import machine
from speculation.tally import PLAIN, RunRecord
from speculation.trace import Arithmetic

from jobs.measure_agreement import Agreements
from jobs.measure_context import Long
from jobs.measure_plan import few
from jobs.measure_runs import rung_pair


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
        step_ms={
            precision: frontier.step_ms([x for x in plain if x.precision == precision])
            for precision in sorted({x.precision for x in plain})
        },
        unrest={
            precision: frontier.unrest([x for x in plain if x.precision == precision])
            for precision in sorted({x.precision for x in plain})
        },
        alpha=cells.alpha_cells(own),
        agreement=agreements.cells(rungs, baseline) if agreements else [],
        speed=cells.speed_cells(own),
        presets=cells.speed_cells(on_presets),
        context=long.context if long else [],
        assisted=assisted,
        meters=cells.meters(own, {rung: rung_pair(rung) for rung in rungs if not few(rung)}),
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
        cost=cells.costs(records, name),
    )


def _kind(name: str) -> RungKind:
    if name.startswith("layers"):
        return "layers"
    if name.startswith("early-exit"):
        return "early exit"
    return "bigram" if name == "bigram" else "lookup" if name == "lookup" else "target"
