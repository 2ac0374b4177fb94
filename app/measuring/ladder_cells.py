"""From records of runs to the cells of the ladder; used by `make measure` and by the page alike."""

from collections import defaultdict
from collections.abc import Sequence

from measuring import intervals
from measuring.intervals import five_digits
from measuring.ladder_file import AlphaCell, Meter, SpeedCell
from measuring.run_record import PLAIN, RunRecord


def alpha_cells(records: Sequence[RunRecord]) -> list[AlphaCell]:
    """Agreement by rung, kind and temperature, from the float32 runs at the longest k of each."""
    longest: defaultdict[str, int] = defaultdict(int)
    for x in records:
        longest[x.rung] = max(longest[x.rung], x.k)
    groups: defaultdict[tuple[str, str, float], list[RunRecord]] = defaultdict(list)
    for x in records:
        if x.rung != PLAIN and x.precision == "float32" and x.k == longest[x.rung]:
            groups[x.rung, x.kind, x.temperature].append(x)
    cells = []
    for (rung, kind, temperature), runs in groups.items():
        alpha = intervals.alpha_of(runs)
        if alpha is None:
            continue
        means, reached = intervals.by_position(runs)
        cells.append(
            AlphaCell(
                rung=rung,
                kind=kind,
                temperature=temperature,
                k=longest[rung],
                alpha=alpha,
                by_position=[None if x is None else _at_most_one(x) for x in means],
                reached=reached,
                accepted=sum(x.accepted for x in runs),
                checked=sum(x.checked for x in runs),
                drafted=sum(x.drafted for x in runs),
            )
        )
    return cells


def speed_cells(records: Sequence[RunRecord]) -> list[SpeedCell]:
    """Speed by rung, kind, temperature, precision and k, wherever plain decoding lies beside."""
    plain = [x for x in records if x.rung == PLAIN]
    steps = intervals.by_precision(plain, intervals.step_ms)
    groups: defaultdict[tuple[str, str, float, str, int], list[RunRecord]] = defaultdict(list)
    for x in records:
        if x.rung != PLAIN and intervals.beside(x, plain):
            groups[x.rung, x.kind, x.temperature, x.precision, x.k].append(x)
    return [_speed_cell(runs, plain, steps) for runs in groups.values()]


def _speed_cell(
    runs: list[RunRecord], plain: list[RunRecord], steps: dict[str, float]
) -> SpeedCell:
    first, cycles = runs[0], sum(len(x.committed) for x in runs)
    speedup = intervals.speedup_of(runs, plain)
    assert speedup is not None, "there is a turn of plain decoding beside every run here"
    total, tokens = sum(x.total_ms for x in runs), sum(x.tokens for x in runs)
    draft, verify = sum(x.draft_ms for x in runs), sum(x.target_ms for x in runs)
    turns = list({y.key: y for x in runs for y in intervals.beside(x, plain)}.values())
    checked, reached = sum(sum(x.overlap) for x in runs), sum(x.checked for x in runs)
    accepted, step = sum(x.accepted for x in runs), steps[first.precision]
    return SpeedCell(
        rung=first.rung,
        kind=first.kind,
        temperature=first.temperature,
        precision=first.precision,
        k=first.k,
        speedup=speedup,
        tokens_per_second=five_digits(1000.0 * tokens / total),
        plain_tokens_per_second=five_digits(
            1000.0 * sum(x.tokens for x in turns) / sum(x.total_ms for x in turns)
        ),
        tau=five_digits(tokens / cycles),
        alpha=_at_most_one(checked / reached) if reached else None,
        c=_maybe(intervals.draft_cost(runs, step)),
        v=_maybe(intervals.block_cost(runs, step)),
        cycles=cycles,
        draft=five_digits(draft / cycles),
        verify=five_digits(verify / cycles),
        decide=five_digits(max(0.0, total - draft - verify) / cycles),
        drafted=sum(x.drafted for x in runs),
        accepted=accepted,
        rejected=reached - accepted,
        unchecked=sum(x.drafted for x in runs) - reached,
    )


def meters(records: Sequence[RunRecord], pairs: dict[str, str]) -> list[Meter]:
    """Time and log-probability a token at temperature 1, plain and for every rung in `pairs`."""
    found = []
    for precision in ("float32", "bfloat16"):
        runs = [x for x in records if x.temperature == 1.0 and x.precision == precision]
        prompts = {(x.kind, x.prompt) for x in runs if x.rung == PLAIN}
        for rung in (PLAIN, *pairs):
            own = [x for x in runs if x.rung == rung and (x.kind, x.prompt) in prompts]
            # Only a rung that was run on all the prompts of plain decoding can be compared with it.
            if not own or {(x.kind, x.prompt) for x in own} != prompts:
                continue
            found.append(
                Meter(
                    way="plain" if rung == PLAIN else "speculative",
                    rung=None if rung == PLAIN else rung,
                    precision="float32" if precision == "float32" else "bfloat16",
                    tpot_ms=intervals.tpot_of(own),
                    log_prob=intervals.log_prob_of(own),
                    runs=len(own),
                    tokens=sum(x.tokens for x in own),
                )
            )
    return found


def costs(records: Sequence[RunRecord], rung: str) -> dict[str, float]:
    """c of a rung by precision, over all of its timed runs."""
    found: dict[str, float] = {}
    for precision in sorted({x.precision for x in records}):
        plain = [x for x in records if x.rung == PLAIN and x.precision == precision]
        runs = [x for x in records if x.rung == rung and x.precision == precision]
        if plain and runs:
            c = intervals.draft_cost(runs, intervals.step_ms(plain))
            if c is not None:
                found[precision] = five_digits(c)
    return found


def _maybe(value: float | None) -> float | None:
    return None if value is None else five_digits(value)


def _at_most_one(value: float) -> float:
    """A mean of sums of laws can exceed 1 by rounding."""
    return min(1.0, five_digits(value))
