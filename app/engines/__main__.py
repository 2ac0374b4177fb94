"""Audit an engine from the command line.

    python -m engines audit own                                 this project's decoder: exit 0
    python -m engines audit own --rule replacement-from-target  a broken rule: exit 1
    python -m engines audit transformers --top-k 20 --json report.json --junit report.xml

Exit status: 0 no deviation found, 1 deviation found, 2 the audit could not run (or not to its end).
Ctrl+C keeps what was gathered and reports on it.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from engines.audit.audit import Audit, AuditState
from engines.audit.audit_work import DEFAULTS, RUNS, AuditWork
from engines.audit.report import Report, could_not_run
from engines.audit.report_text import as_junit, as_text
from engines.audit.samples import WrongSamples
from engines.base import EngineUnavailable
from engines.conformance.command import add_conformance, run_conformance
from engines.rounding.command import add_rounding, run_rounding
from engines.table import ENTRIES
from environment import environment
from speculation.models.language_model import ModelRefused
from speculation.pairs.pair import Pair
from speculation.pairs.shelf import Shelf
from speculation.pairs.weights import WeightsMissing
from speculation.settings import Settings, complaints
from speculation.text import PromptRefused

REFUSALS = (EngineUnavailable, WrongSamples, ModelRefused, PromptRefused, WeightsMissing, OSError)


def main(arguments: Sequence[str] | None = None, pair: Pair | None = None) -> int:
    """Run one audit; the exit status. `pair` is for tests: the models to use."""
    options = parser().parse_args(arguments)
    if options.verb == "conformance":
        return run_conformance(options)
    if options.verb == "rounding":
        return run_rounding(options, lambda settings: pair or load(settings))
    try:
        work = work_of(options)
        if work.entry.needs_pair or options.pair != "none":
            pair = pair or load(work.settings)
        audit = work.audit(pair)
    except ValidationError as error:
        return refuse(options, "; ".join(f"{x}: {why}" for x, why in complaints(error).items()))
    except (*REFUSALS, ValueError) as error:
        return refuse(options, str(error))
    if audit.log.resumed:
        print(f"Going on from {audit.log.resumed} continuations.", file=sys.stderr)
    try:
        report = watch(audit, Progress())
    except REFUSALS as error:
        return refuse(options, str(error))
    finally:
        audit.engine.close()
    print(as_text(report))
    if audit.log.file is not None:
        print(f"Samples: {audit.log.file} (to go on: --resume with this file)")
    write(options, report)
    return report.exit_status


def watch(audit: Audit, progress: "Progress") -> Report:
    """Run it with a progress line; on Ctrl+C, report on what was gathered."""
    state: AuditState | None = None
    try:
        for state in audit.states():
            progress.show(state)
    except KeyboardInterrupt:
        progress.end()
        print("Stopped. Reporting on what was gathered ...", file=sys.stderr)
        return audit.report_stopped()
    progress.end()
    assert state is not None
    return state.report


class Progress:
    """A line on stderr: rewritten on a terminal, now and then a new one elsewhere."""

    def __init__(self, every: float = 15.0) -> None:
        self._terminal = sys.stderr.isatty()
        self._every = 0.2 if self._terminal else every
        self._last = 0.0

    def show(self, state: AuditState) -> None:
        """Say where the audit stands, if the last time is long enough ago."""
        now = time.monotonic()
        if now - self._last < self._every and not state.final:
            return
        self._last = now
        left = "" if state.left is None else f", about {state.left:.0f} s left"
        line = f"{state.done} of {state.total}: {state.doing}{left}"
        if self._terminal:
            print(f"\r{line:<78}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line."""
        if self._terminal:
            print(file=sys.stderr)


def work_of(options: argparse.Namespace) -> AuditWork:
    """The audit that the arguments ask for."""
    entry = ENTRIES[options.engine]
    fields = ("prompt", "mode", "k", "temperature", "top_k", "top_p", "min_p", "seed", "length")
    given = {name: getattr(options, name) for name in (*fields, "precision")}
    if options.pair not in (None, "none"):
        given["pair"] = options.pair
    chosen = {name: value for name, value in given.items() if value is not None}
    if "length" not in chosen and "k" in chosen:
        chosen["length"] = max(DEFAULTS.length, 2 * options.k + 2)
    settings = Settings.model_validate(DEFAULTS.model_dump() | chosen)
    own = {x.name: getattr(options, f"engine_{x.name}") for x in entry.options}
    told = tuple((name, value) for name, value in own.items() if value is not None)
    return AuditWork(options.engine, settings, told, options.n, options.resume or samples_file())


def samples_file() -> Path:
    """Where samples go unless a file is named."""
    name = time.strftime("%Y%m%d-%H%M%S")
    return environment().cache_dir / "audits" / f"{name}-{time.time_ns() % 1000:03d}.jsonl"


def load(settings: Settings) -> Pair:
    """The pair's models, on the device that the environment names."""
    env = environment()
    if env.threads:
        import torch

        torch.set_num_threads(env.threads)
    shelf = Shelf(env.cache_dir, env.device, any_model=True)
    return shelf.pair(settings.pair, settings.precision)


def refuse(options: argparse.Namespace, reason: str) -> int:
    """Say why nothing was audited, in the files too."""
    report = could_not_run(reason, {"engine": options.engine})
    print(report.sentence, file=sys.stderr)
    write(options, report)
    return report.exit_status


def write(options: argparse.Namespace, report: Report) -> None:
    """The report as files, where they were asked for."""
    for file, text in ((options.json, report.to_json), (options.junit, lambda: as_junit(report))):
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text(), encoding="utf-8")


def parser() -> argparse.ArgumentParser:
    """The command line: one subcommand for every engine of the table."""
    whole = argparse.ArgumentParser(
        prog="engines", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = whole.add_subparsers(dest="verb", required=True)
    add_rounding(verbs)
    add_conformance(verbs)
    audit = verbs.add_parser(
        "audit", help="test an engine's texts against the target's distribution"
    )
    engines = audit.add_subparsers(dest="engine", required=True, metavar="ENGINE")
    for entry in ENTRIES.values():
        one = engines.add_parser(entry.name, help=entry.about, description=entry.about)
        for option in entry.options:
            one.add_argument(
                f"--{option.name}",
                dest=f"engine_{option.name}",
                choices=option.choices or None,
                metavar=None if option.choices else "VALUE",
                help=f"{option.help} ({option.default or 'none'})",
            )
        _common(one)
    return whole


def _common(one: argparse.ArgumentParser) -> None:
    d = DEFAULTS
    one.add_argument("--n", type=int, default=RUNS, help=f"continuations ({RUNS})")
    one.add_argument("--length", type=int, help=f"tokens each, at least 2k + 2 ({d.length})")
    one.add_argument("--prompt", help=f"what the model is asked ({d.prompt!r})")
    one.add_argument("--mode", choices=("chat", "continue"), help=f"how ({d.mode})")
    one.add_argument("--temperature", type=float, help=f"({d.temperature:g})")
    one.add_argument("--top-k", type=int, help="0 is off")
    one.add_argument("--top-p", type=float, help="1 is off")
    one.add_argument("--min-p", type=float, help="0 is off")
    one.add_argument("--k", type=int, help=f"drafted tokens a cycle ({d.k})")
    one.add_argument("--seed", type=int, help=f"of the first continuation ({d.seed})")
    one.add_argument("--pair", help=f"target and draft, by name ({d.pair})")
    one.add_argument("--precision", choices=("float32", "bfloat16"), help=d.precision)
    one.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    one.add_argument("--junit", type=Path, metavar="FILE", help="write it as JUnit XML")
    one.add_argument(
        "--resume", type=Path, metavar="FILE", help="keep samples here, and go on from what it has"
    )


if __name__ == "__main__":
    raise SystemExit(main())
