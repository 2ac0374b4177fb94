"""Tokens/s, side by side: this decoder, transformers' assisted generation, and plain decoding.

All four ways run in one process on the same loaded weights and take turns, run by run, so that a
busy moment of the machine slows all of them. Each reads the prompt itself, and that counts.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from statistics import median

from benchmarks.cases import Bench, Case
from benchmarks.report import Part, Row, middle
from measuring.ladder.assisted import assisted
from speculation.drafts.assistant import as_assistant
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.run import Run
from speculation.settings import Settings

OURS, ASSISTED = "this decoder", "generate(assistant_model)"
PLAIN, OURS_PLAIN = "plain generate", "this decoder, k = 0"
RATIOS = {"over assisted": ASSISTED, "over plain generate": PLAIN, "over own k = 0": OURS_PLAIN}
PACE = "time a pass, assisted over ours"


@dataclass(frozen=True)
class Timing:
    """One run: its tokens, the target's passes (the prompt's own not counted), its seconds."""

    tokens: list[int]
    passes: int
    seconds: float

    @property
    def speed(self) -> float:
        """Tokens/s."""
        return len(self.tokens) / self.seconds

    @property
    def pace(self) -> float:
        """Target passes/s, each with its drafts."""
        return self.passes / self.seconds


def measure(bench: Bench) -> list[Part]:
    """Two tables: tokens/s of every way, and the ratios of this decoder to the others."""
    speeds = Part(
        "speed",
        "Tokens/s, in turns in one process",
        "none: what follows from it is in the next table",
        "median (least to most) over rounds, each with another seed; per pass: tokens a target "
        "pass, which at T 1 differ by luck as well; ms/pass is without that luck.",
    )
    ratios = Part(
        "ratios",
        "This decoder's tokens/s over the others'",
        "over assisted: at least 1.0, aim 1.3; over plain: printed, also below 1",
        "per round, then the median (least to most). At T 1 the texts differ, and so does luck; "
        "time a pass, assisted over ours, is without it (a pass: with its drafts and sampling). "
        "same text: at T 0 all ways wrote the same.",
    )
    length, rounds = bench.pick(16, 80, bench.length), bench.pick(2, 3, bench.rounds)
    groups: defaultdict[tuple[str, float], list[dict[str, float]]] = defaultdict(list)
    for case in bench.cases(length):
        found = _take_turns(bench.pair(case.settings), case.settings, rounds)
        speeds.rows += _speed_rows(case, found)
        row, medians = _ratio_row(case, found)
        ratios.rows.append(row)
        groups[case.settings.precision, case.settings.temperature].append(medians)
        print(".", end="", flush=True)
    for (precision, temperature), all_medians in groups.items():
        means = {
            name: f"{prod(x[name] for x in all_medians) ** (1 / len(all_medians)):.2f}"
            for name in (*RATIOS, PACE)
        }
        ratios.rows.append(
            {"preset": "geometric mean", "precision": precision, "T": temperature} | means
        )
    return [speeds, ratios]


def _take_turns(pair: Pair, settings: Settings, rounds: int) -> dict[str, list[Timing]]:
    """Run every way once a round, each round starting with another one."""
    assistant = as_assistant(pair.draft) if pair.draft.support is not None else pair.draft.module
    ways: dict[str, Callable[[Settings], Timing]] = {
        OURS: lambda s: _ours(pair, s, s.k),
        ASSISTED: lambda s: _generate(pair, s, assistant),
        PLAIN: lambda s: _generate(pair, s, None),
        OURS_PLAIN: lambda s: _ours(pair, s, 0),
    }
    for way in ways.values():
        way(settings.model_copy(update={"length": 6}))  # first-time costs
    found: dict[str, list[Timing]] = {name: [] for name in ways}
    names = list(ways)
    for turn in range(rounds):
        seeded = settings.model_copy(update={"seed": settings.seed + turn})
        for i in range(len(names)):
            name = names[(turn + i) % len(names)]
            found[name].append(ways[name](seeded))
    return found


def _ours(pair: Pair, settings: Settings, k: int) -> Timing:
    """This decoder, with its record and finished trace."""
    began = time.perf_counter()
    run = Run(pair, settings, PassStore(), k=k)
    for _ in run:
        pass
    run.trace()
    return Timing(run.decoder.generated, len(run.cycles), time.perf_counter() - began)


def _generate(pair: Pair, settings: Settings, assistant: object) -> Timing:
    """transformers' generate, with its passes counted."""
    passes = 0

    def count(*_: object) -> None:
        nonlocal passes
        passes += 1

    hook = pair.target.module.register_forward_hook(count)
    timed = assisted(pair, settings, assistant)
    hook.remove()
    return Timing(timed.tokens, passes, timed.seconds)


def _speed_rows(case: Case, found: dict[str, list[Timing]]) -> list[Row]:
    rows = []
    for name, timings in found.items():
        tokens, passes = sum(len(t.tokens) for t in timings), sum(t.passes for t in timings)
        seconds = sum(t.seconds for t in timings)
        rows.append(
            case.labels
            | {
                "way": name,
                "tokens/s": middle([t.speed for t in timings]),
                "per pass": round(tokens / passes, 2),
                "ms/pass": round(1000 * seconds / passes, 1),
            }
        )
    return rows


def _ratio_row(case: Case, found: dict[str, list[Timing]]) -> tuple[Row, dict[str, float]]:
    row, medians = case.labels, {}
    for name, other in RATIOS.items():
        each = [a.speed / b.speed for a, b in zip(found[OURS], found[other], strict=True)]
        row[name], medians[name] = middle(each), median(each)
    paces = [a.pace / b.pace for a, b in zip(found[OURS], found[ASSISTED], strict=True)]
    row[PACE], medians[PACE] = middle(paces), median(paces)
    slower = medians["over plain generate"] < 1.0 or medians["over own k = 0"] < 1.0
    row["beside plain"] = "slower here" if slower else "faster"
    if case.settings.temperature == 0.0:
        row["same text"] = len({tuple(t[0].tokens) for t in found.values()}) == 1
    return row, medians
