"""Tables on the screen, JSON on disk, and the conditions that every number was measured under."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

import torch

from speculation.machine import machine

ROOT = Path(__file__).resolve().parents[2]
SAVED = ROOT / "assets" / "measurements" / "benchmark.json"
PACKAGES = ("torch", "transformers", "numpy", "streamlit", "plotly", "pydantic")
BUSY = 0.5

Row = dict[str, Any]


@dataclass
class Part:
    """One benchmark's result.

    goal  what DESIGN asks of it, in words
    rows  what was measured, one dictionary a line of the table
    note  how to read it
    saved_in  the file in assets/measurements that it is kept in
    """

    name: str
    title: str
    goal: str
    note: str
    saved_in: str = SAVED.name
    rows: list[Row] = field(default_factory=list)
    conditions: dict[str, Any] = field(default_factory=dict)


def conditions(device: str, quick: bool) -> dict[str, Any]:
    """Where and how: without these a time means nothing."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "device": device,
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
        "load_before": round(os.getloadavg()[0], 2),
        "quick": quick,
    }


def warn_if_busy() -> None:
    """Say so when other processes are at work: then only the ratios mean something."""
    load = os.getloadavg()[0]
    if load > BUSY:
        print(f"Other processes are at work (load {load:.1f}): the times below are noise.\n")


def middle(values: Sequence[float]) -> str:
    """The median and the range of several measurements."""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def show(part: Part) -> None:
    """Print one part as a table."""
    print(f"\n{part.title}\n  goal: {part.goal}\n  {part.note}")
    print("\n".join("  " + line for line in table(part.rows)), flush=True)


def table(rows: Sequence[Row]) -> list[str]:
    """Rows as lines of text in columns; numbers to the right, words to the left.

    >>> table([{"a": "x", "ms": 1.5}, {"a": "long", "ms": 12.25}])
    ['a        ms', 'x       1.5', 'long  12.25']
    """
    heads = list(dict.fromkeys(name for row in rows for name in row))
    lines = [heads, *([_cell(row.get(name)) for name in heads] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    right = [all(_is_number(row.get(name)) for row in rows) for name in heads]
    return [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    ]


def write(parts: Sequence[Part], save: bool) -> Path:
    """Write build/bench-<date>.json; with `save`, also replace these parts in the shipped file."""
    found = {part.name: _as_json(part) for part in parts}
    file = ROOT / "build" / f"bench-{datetime.now(UTC):%Y-%m-%d-%H%M%S}.json"
    _dump(file, found)
    for name in sorted({part.saved_in for part in parts} if save else ()):
        shipped = SAVED.with_name(name)
        known = json.loads(shipped.read_text()) if shipped.exists() else {}
        _dump(shipped, known | {p.name: found[p.name] for p in parts if p.saved_in == name})
    return file


def _as_json(part: Part) -> dict[str, Any]:
    return {
        "title": part.title,
        "goal": part.goal,
        "note": part.note,
        "conditions": part.conditions,
        "rows": part.rows,
    }


def _dump(file: Path, content: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=1) + "\n")


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return (
            f"{value:.3g}"
            if abs(value) < 0.001 or abs(value) >= 1e6
            else f"{value:.2f}".rstrip("0").rstrip(".")
        )
    return str(value)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
