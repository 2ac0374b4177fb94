"""A run's time over the time inside its own model calls: what the rule and the record cost."""

import time
from statistics import median

from benchmarks.cases import Bench
from benchmarks.report import Part, Row
from benchmarks.timed import timed
from speculation.models.passes import PassStore
from speculation.run import Run


def measure(bench: Bench) -> Part:
    """Every preset, precision and temperature; the trace is recorded and built in each run."""
    part = Part(
        "overhead",
        "A run over its own model calls",
        "at most 1.05 (wall, cycles)",
        "cycles: as the trace's own timings say; run: with prompt, record and finished trace. "
        "CPU: this thread's own time; other processes disturb it less, and it sleeps while other "
        "threads work for it, so read it as an upper bound. "
        "rest: milliseconds a cycle outside the models, by that clock.",
    )
    length, rounds = bench.pick(16, 80, bench.length), bench.pick(1, 3, bench.rounds)
    for case in bench.cases(length):
        pair = bench.pair(case.settings)
        list(Run(pair, case.settings.model_copy(update={"length": 8})))  # first-time costs
        found = []
        for _ in range(rounds):
            watched, clock = timed(pair)
            began, cpu = time.perf_counter(), time.thread_time()
            run = Run(watched, case.settings, PassStore())
            cpu_cycles = time.thread_time()
            for _cycle in run:
                pass
            cpu_cycles = time.thread_time() - cpu_cycles
            run.trace()
            wall, cpu = time.perf_counter() - began, time.thread_time() - cpu
            calls = sum(t.draft_ms + t.target_ms for t in run.timings)
            found.append(
                {
                    "wall, cycles": sum(t.total_ms for t in run.timings) / calls,
                    "wall, run": wall / clock.wall,
                    "CPU, run": cpu / clock.cpu,
                    "rest ms/cycle": 1000 * (cpu_cycles - clock.cpu) / len(run.cycles),
                    "calls ms/cycle": calls / len(run.cycles),
                }
            )
        numbers: Row = {name: round(median(x[name] for x in found), 3) for name in found[0]}
        part.rows.append(case.labels | {"cycles": len(run.cycles)} | numbers)
        print(".", end="", flush=True)
    worst = max(row["wall, cycles"] for row in part.rows)
    part.rows.append({"preset": "the worst", "wall, cycles": worst})
    return part
