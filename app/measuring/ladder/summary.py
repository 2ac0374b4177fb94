"""What must be reached, and what was measured: the lines that `make measure` prints."""

from collections.abc import Iterable
from math import prod

from measuring.ladder_file import AssistedCell, DraftMeasurements, Rung, SpeedCell

SMALLEST_C, BEST_C, ABOVE_START, SPEED, LOOKUP_SPEED = 0.09, 0.15, 0.10, 1.5, 2.0


def summary(found: DraftMeasurements) -> list[str]:
    """One table of rungs, then a line for each aim with "reached" or "NOT REACHED"."""
    lines = [
        f"Measured on {found.machine} ({found.device}) in {found.minutes:g} min; one target step: "
        + ", ".join(f"{ms:.1f} ms in {precision}" for precision, ms in found.step_ms.items()),
        f"{'rung':14} {'alpha at T 1':26} {'c float32':>10} {'c bfloat16':>11}   best speed-up",
    ]
    if found.busy:
        spread = ", ".join(f"{x:.1f} in {name}" for name, x in found.unrest.items())
        lines.insert(1, f"BUSY MACHINE: plain decoding varied by {spread}: do not trust any time")
    lines += [_row(found, rung) for rung in found.rungs]
    lines += ["", *_aims(found)]
    if found.meters:
        lines += ["", "Meters at T 1: ms a token; mean log p(x)"]
        lines += [
            f"  {m.precision:9} {m.rung or 'plain':14} {m.tpot_ms.text:26} {m.log_prob.text}"
            for m in found.meters
        ]
    lines += [f"Change of distribution, TV: {x.name} {x.tv.mean:.2g}" for x in found.changes]
    lines += [f"Alpha of {x.rung} after {x.tokens} tokens: {x.alpha.text}" for x in found.context]
    return lines


def _row(found: DraftMeasurements, rung: Rung) -> str:
    agreed = found.agreement_of(rung.name)
    best = found.fastest(rung.name)
    cost = [f"{rung.cost[x]:.3f}" if x in rung.cost else "-" for x in ("float32", "bfloat16")]
    return (
        f"{rung.name:14} {agreed.alpha.text if agreed else '-':26} {cost[0]:>10} {cost[1]:>11} "
        f"  {_named(best) if best else '-'}"
    )


def _named(cell: SpeedCell) -> str:
    return f"{cell.speedup.text} {cell.kind}, T {cell.temperature:g}, k {cell.k}, {cell.precision}"


def _aims(found: DraftMeasurements) -> list[str]:
    layered = [rung for rung in found.rungs if rung.kind == "layers"]
    by_alpha = [(agreed, rung) for rung in layered if (agreed := found.agreement_of(rung.name))]
    lines = []
    if by_alpha:
        agreed, best = max(by_alpha, key=lambda both: both[0].alpha.mean)
        own, gain = agreed.alpha, agreed.above_start
        if found.baseline is None or gain is None:
            lines.append(
                f"best rung {best.name}: alpha {own.text}; no starting draft on the same texts to "
                "compare with: use --against FILE"
            )
        else:
            lines.append(
                f"best rung {best.name}: alpha {own.text}, the starting draft's "
                f"{found.baseline.alpha.text}, text by text {gain.mean:+.3f} ({gain.low:+.3f} to "
                f"{gain.high:+.3f}), aim {ABOVE_START:+.2f}" + _said(gain.mean >= ABOVE_START)
            )
        lines.append(_cost_line("best rung", best, BEST_C))
    if layered:
        smallest = min(layered, key=lambda rung: min(rung.cost.values(), default=1.0))
        lines.append(_cost_line("cheapest layered rung", smallest, SMALLEST_C))
    names = {rung.name for rung in layered}
    lines.append(
        _speed_line("layered rung, bfloat16, a preset that is no quotation", found.presets, SPEED)
    )
    lines.append(
        _speed_line(
            "the same on held-out prompts",
            (x for x in found.speed
             if x.rung in names and x.precision == "bfloat16" and x.kind != "quote"),
        )
    )  # fmt: skip
    lines.append(
        _speed_line(
            "lookup on a quotation",
            (x for x in found.speed if x.rung == "lookup" and x.kind == "quote"),
            LOOKUP_SPEED,
        )
    )
    below = [x for x in found.speed if x.speedup.high < 1.0]
    lines.append(
        f"surely below plain decoding: {len(below)} of {len(found.speed)} cases"
        + _said(bool(below))
    )
    lines.append(_assisted_line(found.assisted))
    if found.never_rejected is not None:
        lines.append("q = p in float32: never rejected" + _said(found.never_rejected))
    return lines


def _cost_line(what: str, rung: Rung, aim: float) -> str:
    c = min(rung.cost.values(), default=None)
    if c is None:
        return f"{what} {rung.name}: c was not measured"
    each = ", ".join(f"{value:.3f} in {precision}" for precision, value in rung.cost.items())
    return f"{what} {rung.name}: c = {each}, aim at most {aim:g}" + _said(c <= aim)


def _speed_line(what: str, cells: Iterable[SpeedCell], aim: float | None = None) -> str:
    best = max(cells, key=lambda x: x.speedup.mean, default=None)
    if best is None:
        return f"{what}: not measured"
    told = f"{what}: {best.rung} {_named(best)}"
    return told if aim is None else f"{told}, aim {aim:g}" + _said(best.speedup.mean >= aim)


def _assisted_line(cells: list[AssistedCell]) -> str:
    if not cells:
        return "beside transformers' assisted generation: not measured"
    mean = prod(x.ratio.mean for x in cells) ** (1 / len(cells))
    each = ", ".join(f"{x.ratio.mean:.2f}" for x in cells)
    return f"tokens/s over transformers' assisted generation: {mean:.2f} ({each}), aim 1.0" + _said(
        mean >= 1.0
    )


def _said(reached: bool) -> str:
    return ": reached" if reached else ": NOT REACHED"
