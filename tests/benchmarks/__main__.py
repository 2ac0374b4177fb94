"""Measure on this machine.

python -m benchmarks                    everything
python -m benchmarks overhead reuse     some parts: passes, overhead, speed, reuse, law, browser,
                                        start
python -m benchmarks power              the checks' false alarms and power; only when named
python -m benchmarks classroom          a class of 300 beside 30 visitors; only when named
python -m benchmarks --quick            short runs: does it work? The times mean little
python -m benchmarks --save             also write assets/measurements/benchmark.json
"""

import argparse
import os
import time
from collections.abc import Callable

from benchmarks import (
    browser,
    classroom,
    law,
    overhead,
    passes,
    power,
    report,
    reuse,
    speed,
    start,
)
from benchmarks.cases import Bench

PARTS: dict[str, Callable[[Bench], report.Part | list[report.Part]]] = {
    "start": start.measure,
    "browser": browser.measure,
    "reuse": reuse.measure,
    "law": law.measure,
    "passes": passes.measure,
    "overhead": overhead.measure,
    "speed": speed.measure,
    "power": power.measure,
    "classroom": classroom.measure,
}


def main() -> int:
    """Run the parts asked for, print each as it is done, and write what was found."""
    parser = argparse.ArgumentParser(
        prog="benchmarks", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="short runs, few rounds")
    parser.add_argument("--save", action="store_true", help="replace the shipped measurements")
    parser.add_argument("--rounds", type=int, help="how often each measurement is repeated")
    parser.add_argument("--length", type=int, help="tokens a run (at most 200)")
    parser.add_argument("--presets", nargs="+", help="only these, by name")
    options = parser.parse_args()
    unknown = set(options.parts) - PARTS.keys()
    if unknown:
        parser.error(f"there is no part {min(unknown)!r}: {', '.join(PARTS)}")

    report.warn_if_busy()
    bench, done = Bench(options), []
    for name in options.parts or [name for name in PARTS if name not in ("power", "classroom")]:
        began = time.monotonic()
        print(f"{name} ", end="", flush=True)
        where = report.conditions(str(bench.shelf.device), options.quick)
        found = PARTS[name](bench)
        where["load_after"] = round(os.getloadavg()[0], 2)
        where["seconds"] = round(time.monotonic() - began, 1)
        print(f" {where['seconds']:.0f} s")
        for part in found if isinstance(found, list) else [found]:
            part.conditions = where
            report.show(part)
            done.append(part)
    print(f"\nWritten: {report.write(done, options.save)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
