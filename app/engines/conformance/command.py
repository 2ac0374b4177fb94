"""The conformance kit, from the command line.

    python -m engines conformance own                         this project's decoder
    python -m engines conformance own:ratio-inverted          one with a mistake: exit 1
    python -m engines conformance transformers:assisted       a variant of transformers
    python -m engines conformance http://127.0.0.1:8080/v1    a server that has loaded a tiny model
    python -m engines conformance decoder.py:decode           a Python function

The tiny models lie in assets/conformance, as Hugging Face folders with a GGUF in each; a server is
started with them by whoever runs it (`--pair NAME` says which target it has). Exit status: 0 every
row passes, 1 one deviates, 2 not enough could be tested. Ctrl+C reports on what is known.
"""

import argparse
import json
import sys
from pathlib import Path

from engines.base import Engine, EngineUnavailable
from engines.conformance import tiny_pairs
from engines.conformance.check import Check
from engines.conformance.report import WORDS, Checked, Report, as_junit, as_markdown, as_text
from engines.conformance.rows import ROWS, Row
from engines.table import ENTRIES

MINUTES = 5.0


def add_conformance(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The subcommand's arguments."""
    one = verbs.add_parser(
        "conformance",
        help="test an engine against exact distributions of tiny models, setting by setting",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument(
        "engine", help="own[:RULE], transformers[:VARIANT], http(s)://..., FILE.py:NAME"
    )
    one.add_argument("--pair", default="near", choices=tiny_pairs.PAIRS, help="which pair (near)")
    one.add_argument("--minutes", type=float, default=MINUTES, help=f"for all rows ({MINUTES:g})")
    one.add_argument("--only", action="append", metavar="ROW", help="a row, by name or its start")
    one.add_argument("--seed", type=int, default=1, help="of the first text (1)")
    one.add_argument("--python", default="", help="the interpreter of FILE.py (this one)")
    one.add_argument("--can", help="what a server or a function can do (its audit's default)")
    one.add_argument("--model", default="", help="the server's model (the only one it has)")
    one.add_argument("--batch", default="1", help="texts a request to a server, where it can (1)")
    one.add_argument("--json", type=Path, metavar="FILE", help="write the result as JSON")
    one.add_argument("--junit", type=Path, metavar="FILE", help="as JUnit XML, for a CI")
    one.add_argument("--markdown", type=Path, metavar="FILE", help="as a table")


def run_conformance(options: argparse.Namespace) -> int:
    """Test one engine; the exit status."""
    try:
        rows = chosen(options.only)
        check = made(options, rows)
    except (EngineUnavailable, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    stopped = False
    try:
        for looked in check.run():
            if looked.verdict != "running":
                print(f"{WORDS[looked.verdict]:<14}{looked.row}: {looked.words}", file=sys.stderr)
            elif sys.stderr.isatty():
                _show(looked)
    except KeyboardInterrupt:
        stopped = True
        print("\nStopped. Reporting on what is known ...", file=sys.stderr)
    finally:
        check.engine.close()
    report = check.report(stopped)
    print(as_text(report))
    write(options, report)
    return report.exit_status


def _show(looked: Checked) -> None:
    line = f"... {looked.row}: {looked.texts} texts, {looked.sees:.3f} would be seen by now"
    print(f"\r{line:<100}\r", end="", file=sys.stderr, flush=True)


def chosen(only: list[str] | None) -> tuple[Row, ...]:
    """The rows whose names begin like one of these; all, if none is named."""
    if not only:
        return ROWS
    found = tuple(row for row in ROWS if any(row.name.startswith(name) for name in only))
    if not found:
        raise EngineUnavailable(
            f"There is no such row. There are: {', '.join(x.name for x in ROWS)}."
        )
    return found


def made(options: argparse.Namespace, rows: tuple[Row, ...]) -> Check:
    """The engine on the pair, ready to be checked. Raises EngineUnavailable."""
    target, _, _ = tiny_pairs.named(options.pair)
    return Check(
        engine_of(options),
        tiny_pairs.yardstick(options.pair),
        tiny_pairs.MODELS[target].shape.letters,
        rows,
        options.minutes,
        options.seed,
    )


def engine_of(options: argparse.Namespace) -> Engine:
    """What is named, on the tiny pair. Raises EngineUnavailable."""
    name, _, rest = options.engine.partition(":")
    pair = tiny_pairs.load(options.pair)
    if options.engine.startswith(("http://", "https://")):
        told = {"base-url": options.engine, "model": options.model, "can": options.can}
        told |= {"batch": options.batch}
        entry = ENTRIES["openai"]
    elif ".py:" in options.engine:
        target, draft, _ = tiny_pairs.named(options.pair)
        folders = f"target={tiny_pairs.FOLDER / target},draft={tiny_pairs.FOLDER / draft}"
        told = {"function": options.engine, "python": options.python, "set": folders}
        told |= {"can": options.can}
        entry = ENTRIES["python"]
    elif name in ("own", "transformers"):
        entry = ENTRIES[name]
        told = {entry.options[0].name: rest or None}
    else:
        raise EngineUnavailable(
            f"{options.engine!r} is no engine: own[:RULE], transformers[:VARIANT], an address that "
            "begins with http:// or https://, or FILE.py:NAME."
        )
    return entry.build(entry.complete({x: y for x, y in told.items() if y is not None}), pair)


def write(options: argparse.Namespace, report: Report) -> None:
    """The result as files, where they were asked for."""
    texts = {
        options.json: json.dumps(report.to_dict(), indent=1) + "\n",
        options.junit: as_junit(report),
        options.markdown: as_markdown(report),
    }
    for file, text in texts.items():
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
