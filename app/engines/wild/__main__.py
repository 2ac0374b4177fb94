"""Put the engines in the wild to the test: `make wild`.

    python -m engines.wild [--only WORDS] [--minutes M] [--texts N] [--seconds S] [--again]

Installs what is needed under build/wild, measures every path and its plain twin, and writes
assets/measurements/wild.json after each, so that it goes on where it stopped. Exit status 0, or 2
if time ran out before every path was measured.
"""

import argparse
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path as File

from engines.foreign import Foreign, ForeignError
from engines.wild.catalog import ENVIRONMENTS, PATHS, Path
from engines.wild.findings import CANNOT, FINDINGS
from engines.wild.install import DRIVERS, NotInstalled, environment, models, versions
from engines.wild.measure import Amount, measure, target_of
from engines.wild.record import FILE, NotRun, Outcome, Row, Wild, read, write
from engines.wild.table_text import table

PAIR = "two Llamas over 16 tokens with weights by chance (4-token texts after an 8-token prompt)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, print the table; the exit status."""
    options = parser().parse_args(arguments)
    record = read(options.file) if options.file.exists() else Wild(machine=machine(), pair=PAIR)
    bench = Bench(Amount(options.texts, options.seconds))
    until = time.monotonic() + 60.0 * options.minutes
    done = True
    for path in PATHS:
        if options.only.lower() not in f"{path.engine}: {path.label}".lower():
            continue
        if not options.again and is_there(record, path):
            continue
        if time.monotonic() > until:
            done = False
            break
        record = added(record, bench.row(path))
        write(record, options.file)
    record = with_known(record)
    write(record, options.file)
    print(table(record))
    if not done:
        print("Time ran out; called again, this goes on.", file=sys.stderr)
    return 0 if done else 2


class Bench:
    """Measures paths; a plain twin is measured once for all paths that have the same settings."""

    def __init__(self, amount: Amount) -> None:
        self._amount = amount
        self._twins: dict[tuple[str, ...], Outcome] = {}

    def row(self, path: Path) -> Row | NotRun:
        """The path's line of the record, or why there is none."""
        print(f"{path.engine}: {path.label} ...", flush=True)
        today = time.strftime("%Y-%m-%d")
        pins = ENVIRONMENTS[path.environment]
        names = tuple(x.split("==")[0].split("[")[0] for x in (*pins.packages, *pins.bare))
        own = next(x for x in (*pins.packages, *pins.bare) if x.startswith(path.package))
        try:
            installed = versions(environment(pins), names)
            control = self._twin(path)
            found = self._outcome(path, path.function)
            changed = None
            if path.changed and found.verdict == "deviates":
                told = path.changed_options or path.options
                changed = self._outcome(replace(path, options=told), path.changed)
        except (NotInstalled, ForeignError) as error:
            return NotRun(
                engine=path.engine, version=own.split("==")[-1], path=path.label,
                reason=str(error), date=today,
            )  # fmt: skip
        row = Row(
            engine=path.engine, version=installed[path.package], packages=installed,
            path=path.label, driver=f"{path.driver}:{path.function}", twin=path.twin,
            claims=path.claims, date=today, control=control, found=found, changed=changed,
        )  # fmt: skip
        print(f"  control {control.verdict}, path {row.verdict}, p {found.p_value:.2g}", flush=True)
        return row

    def _twin(self, path: Path) -> Outcome:
        key = (path.environment, path.driver, path.twin, path.models, *path.settings)
        if key not in self._twins:
            self._twins[key] = self._outcome(path, path.twin)
        return self._twins[key]

    def _outcome(self, path: Path, function: str) -> Outcome:
        folders = models(path.models)
        told = {name: str(folders[name]) for name in ("model", "draft")} | dict(path.options)
        python = environment(ENVIRONMENTS[path.environment])
        with Foreign(python, DRIVERS / path.driver, function, told) as engine:
            target = target_of(folders["law"])
            return measure(engine, target, path.settings, self._amount, path.chunk)


def is_there(record: Wild, path: Path) -> bool:
    """Whether the path was measured, by this driver's function and with the version of the pin."""
    pins = ENVIRONMENTS[path.environment]
    rows = [row for row in record.rows if (row.engine, row.path) == path.key]
    return any(f"{path.package}=={row.version}" in (*pins.packages, *pins.bare) for row in rows)


def added(record: Wild, line: Row | NotRun) -> Wild:
    """The record with this line in place of an older one, in the order of the catalog."""
    order = [path.key for path in PATHS]
    rows = [x for x in record.rows if (x.engine, x.path) != (line.engine, line.path)]
    rest = [x for x in record.not_run if (x.engine, x.path) != (line.engine, line.path)]
    if isinstance(line, Row):
        rows.append(line)
    else:
        rest.append(line)
    rows.sort(key=lambda x: order.index((x.engine, x.path)))
    return record.model_copy(update={"rows": tuple(rows), "not_run": tuple(rest)})


def with_known(record: Wild) -> Wild:
    """With what was found out about deviations, and what cannot run at all."""
    rows = []
    for row in record.rows:
        known = FINDINGS.get((row.engine, row.path))
        told = known if known is not None and row.verdict == "deviates" else None
        rows.append(
            row.model_copy(
                update={
                    "mechanism": told.mechanism if told else "",
                    "script": told.script if told else "",
                    "change": told.change if told else "",
                }
            )
        )
    there = {(x.engine, x.path) for x in CANNOT}
    rest = [x for x in record.not_run if (x.engine, x.path) not in there]
    return record.model_copy(update={"rows": tuple(rows), "not_run": (*rest, *CANNOT)})


def machine() -> str:
    """What it ran on, in a few words."""
    return f"{platform.system()} {platform.machine()}, CPU only"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    whole = argparse.ArgumentParser(
        prog="engines.wild", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    whole.add_argument("--only", default="", help="where ENGINE: PATH contains this")
    whole.add_argument("--minutes", type=float, default=60.0, help="start no path after that")
    whole.add_argument("--texts", type=int, default=20_000, help="for each setting, at most")
    whole.add_argument("--seconds", type=float, default=30.0, help="for each setting, about")
    whole.add_argument("--again", action="store_true", help="also what was measured")
    whole.add_argument("--file", type=File, default=FILE, help="the record")
    return whole


if __name__ == "__main__":
    raise SystemExit(main())
