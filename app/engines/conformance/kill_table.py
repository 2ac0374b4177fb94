"""Which broken rules the kit finds, after how many texts and seconds: recorded, not remembered.

    python -m engines.conformance.kill_table     writes assets/measurements/conformance.json

Every rule of `speculation.schemes` decodes the pair "near", row by row, until one row is off. An
exact one goes through all rows and has to pass them.
"""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engines.conformance import tiny_pairs
from engines.conformance.check import ALPHA, Check
from engines.conformance.report import Checked
from engines.conformance.rows import ROWS, Row
from engines.own import Own
from speculation.machine import machine
from speculation.pairs.assets import ASSETS
from speculation.schemes import SCHEMES

FILE = ASSETS / "measurements" / "conformance.json"
MINUTES = 1.0
ORDER = (
    "temperature 1",
    "temperature 0.8, top-k 8, top-p 0.9",
    "one drafted token",
    "greedy",
    "top-k 4",
    "temperature 1.6",
)
"""Rows in which a rule can go wrong whatever else the engine can do: the telling ones first."""


@dataclass(frozen=True)
class Kill:
    """One rule. `row` is the one that was off, "" if none was; `sees` is what the least seeing row
    would have seen."""

    rule: str
    exact: bool
    row: str
    texts: int
    seconds: float
    sees: float


def rows() -> tuple[Row, ...]:
    """The rows that are gone through, in their order."""
    known = {row.name: row for row in ROWS}
    return tuple(known[name] for name in ORDER)


def kills(minutes: float = MINUTES, rules: tuple[str, ...] = tuple(SCHEMES)) -> Iterator[Kill]:
    """Rule by rule; `minutes` is what one of them may take at most."""
    pair = tiny_pairs.load("near")
    letters = tiny_pairs.MODELS["sixteen"].shape.letters
    for rule in rules:
        began = time.monotonic()
        check = Check(Own(pair, rule), tiny_pairs.yardstick("near"), letters, rows(), minutes)
        looks = check.run()
        off: Checked | None = None
        for looked in looks:
            if looked.verdict == "deviates":
                off = looked
                break
        looks.close()
        done = [x for x in check.done if x.texts]
        yield Kill(
            rule,
            SCHEMES[rule].exact,
            off.row if off else "",
            sum(x.texts for x in done),
            round(time.monotonic() - began, 1),
            max(x.sees for x in done),
        )


def read(file: Path = FILE) -> dict[str, Any]:
    """The record."""
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def main() -> None:
    found = []
    for kill in kills():
        found.append(vars(kill))
        print(kill, file=sys.stderr, flush=True)
    record = {
        "about": "Rules of speculation.schemes decoding the tiny pair 'near', by "
        "`python -m engines.conformance.kill_table`.",
        "machine": machine(),
        "date": datetime.now(UTC).date().isoformat(),
        "alpha": ALPHA,
        "minutes": MINUTES,
        "rules": found,
    }
    FILE.write_text(json.dumps(record, indent=1, default=vars) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
