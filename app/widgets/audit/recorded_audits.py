"""Audits that ship with the app: the reports of `python -m engines audit ... --json FILE`."""

import json
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Any

from engines.audit.report import FORMAT, Report, Result
from speculation.exactness import Finding
from speculation.pairs.assets import ASSETS

FOLDER = ASSETS / "measurements" / "audits"

# The order on the page, and the titles; a file without one is shown by its name.
TITLES = {
    "own": "This project's decoder",
    "own-replacement-from-target": "The same, with a bug planted",
    "transformers": "transformers, assisted",
    "openai": "An endpoint over HTTP",
}


class BadReport(ValueError):
    """A file that is no report of an audit; the message says why."""


@dataclass(frozen=True)
class Recorded:
    """One report, and what it is about."""

    name: str
    title: str
    report: Report


def report_of(text: str | bytes) -> Report:
    """The report in a JSON file of the audit. Raises BadReport."""
    try:
        found = json.loads(text)
        if found["format"] != FORMAT:
            raise BadReport(f"This report has the format {found['format']!r}, not {FORMAT!r}.")
        return Report(
            verdict=found["verdict"],
            slower=found["slower"],
            stopped=found["stopped"],
            failed=found["verdict"] == "exact" and found["exit_status"] != 0,
            results=tuple(_result(check) for check in found["checks"]),
            about=found["about"],
            continuations=found["continuations"],
            seconds=found["seconds"],
        )
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, BadReport):
            raise
        raise BadReport(f"Not the report of an audit: {error!r}") from error


def _result(check: dict[str, Any]) -> Result:
    """Numbers that JSON cannot hold were written as null: they were infinite."""
    finding = check["finding"]
    if finding is not None:
        numbers: dict[str, Any] = {x: inf if y is None else y for x, y in finding.items()}
        finding = Finding(**numbers)
    return Result(**{**check, "finding": finding})


@lru_cache(maxsize=1)
def recorded_audits() -> tuple[Recorded, ...]:
    """Every shipped report, the ones with titles first."""
    files = {file.stem: file for file in sorted(FOLDER.glob("*.json"))}
    order = [*(name for name in TITLES if name in files), *(x for x in files if x not in TITLES)]
    return tuple(_read(name, files[name]) for name in order)


def _read(name: str, file: Path) -> Recorded:
    return Recorded(name, TITLES.get(name, name), report_of(file.read_bytes()))
