"""Record the audits that the page shows: PYTHONPATH=tests python -m benchmarks.recorded_audits.

This project's decoder, the same with a planted bug, transformers' assisted generation, and the
decoder behind HTTP, all on the shipped pair; into assets/measurements/audits. Samples are kept in
build/audits, so a recording that was interrupted goes on where it was. Name reports to record some
of them only.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from engines.__main__ import load, main
from engines.audit.audit_work import DEFAULTS
from engines.own import Own
from helpers.http_server import Endpoint, serving
from widgets.audit.recorded_audits import FOLDER

SAMPLES = Path(__file__).resolve().parents[2] / "build" / "audits"

AUDITS = {
    "own": ("own",),
    "own-replacement-from-target": ("own", "--rule", "replacement-from-target"),
    "transformers": ("transformers", "--n", "150"),
    "openai": ("openai", "--model", "exact", "--can", ""),
}


def record(name: str, *more: str) -> int:
    """Run one audit and keep its report -> its exit status."""
    files = ("--json", str(FOLDER / f"{name}.json"), "--resume", str(SAMPLES / f"{name}.jsonl"))
    if name != "openai":
        return main(["audit", *AUDITS[name], *files, *more])
    pair = load(DEFAULTS)
    with serving(Endpoint({"exact": Own(pair)}, pair.tokenizer), port=8699) as endpoint:
        return main(["audit", *AUDITS[name], "--base-url", endpoint.url, *files, *more], pair)


def all_of(names: Sequence[str]) -> None:
    """Record them one after the other."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    statuses = {name: record(name) for name in names or AUDITS}
    print(statuses)


if __name__ == "__main__":
    all_of(sys.argv[1:])
