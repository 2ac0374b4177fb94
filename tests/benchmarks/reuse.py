"""A slider moved on a finished run: what lies before the departure is looked up, not computed."""

import copy
import time
from collections import OrderedDict
from statistics import median

from benchmarks.cases import Bench
from benchmarks.report import Part
from benchmarks.timed import timed
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.run import Run
from speculation.settings import Settings

MOVES: dict[str, dict[str, float]] = {
    "none: the same again": {},
    "min-p to 1e-9": {"min_p": 1e-9},
    "top-p to .98": {"top_p": 0.98},
    "T to .95": {"temperature": 0.95},
    "T to .8": {"temperature": 0.8},
    "T to 0": {"temperature": 0.0},
}


def measure(bench: Bench) -> Part:
    """From the start of the new run to its first pass, and to its first new token."""
    part = Part(
        "reuse",
        "A slider moved on a finished run (in the core, without a page)",
        "what lies before the departure within 300 ms for 200 tokens, without a pass",
        "answered: tokens committed again before any model was called, and the time it took; "
        "per 200: the same, scaled to a run of 200 tokens; first new: until the next cycle.",
    )
    length, rounds = bench.pick(40, 200, bench.length), bench.pick(2, 5, bench.rounds)
    for precision in ("float32",) if bench.quick else ("float32", "bfloat16"):
        settings = Settings(length=length, precision=precision, temperature=1.0)
        pair, clock = timed(bench.pair(settings))
        store = PassStore()
        base = Run(pair, settings, store)
        list(base)
        for name, changes in MOVES.items():
            moved = settings.model_copy(update=changes)
            found = []
            for _ in range(rounds):
                clock.starts.clear()
                found.append(_one(pair, moved, _copied(store), clock.starts))
            answered = found[0][1]
            ms = 1000 * median(x[0] for x in found)
            new = [1000 * x[2] for x in found if x[2] is not None]
            part.rows.append(
                {
                    "precision": precision,
                    "move": name,
                    "answered": f"{answered} of {len(base.decoder.generated)}",
                    "ms": round(ms, 1),
                    "ms per 200": round(200 * ms / answered, 1) if answered else None,
                    "first new, ms": round(median(new), 1) if new else None,
                }
            )
    return part


def _one(
    pair: Pair, settings: Settings, store: PassStore, starts: list[float]
) -> tuple[float, int, float | None]:
    """-> seconds before the first pass, tokens answered by then, seconds to the first new cycle.

    After that cycle nothing is left to learn, and the run is given up.
    """
    began = time.perf_counter()
    run = Run(pair, settings, store)
    answered = 0
    for _ in run:
        now = time.perf_counter()
        if starts:
            return starts[0] - began, answered, now - began
        answered = len(run.decoder.generated)
    return now - began, answered, None


def _copied(store: PassStore) -> PassStore:
    """A store with the same content, so that one move does not warm it for the next."""
    other = copy.copy(store)
    other._logits = OrderedDict(store._logits)
    other._snapshots = OrderedDict(store._snapshots)
    return other
