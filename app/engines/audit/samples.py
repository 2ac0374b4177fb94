"""Samples as they come, one line of JSON each: nothing that was sampled is lost.

The first line says what they were asked for; a file that was begun for other settings is refused.
A line cut short by a crash is dropped, and its continuation asked for again.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engines.base import Continuation, CycleCount, Told

FORMAT = "speculate-audit-samples-1"

Samples = dict[str, dict[int, Continuation]]
"""Part -> number -> continuation."""


class WrongSamples(ValueError):
    """A file of samples that cannot be gone on with; the message says why."""


class SampleLog:
    """Samples by part and number, appended to a file (if there is one) as they come."""

    def __init__(
        self,
        fingerprint: str = "",
        file: Path | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        self.file = file
        self.samples: Samples = {}
        self.resumed = 0
        if file is None:
            return
        if file.exists() and file.stat().st_size:
            self._read(file, fingerprint)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._append({"format": FORMAT, "fingerprint": fingerprint, "about": dict(about or {})})

    def add(self, part: str, text: Continuation) -> None:
        """Keep one, on disk first."""
        cycles = None
        if text.cycles is not None:
            cycles = [[x.drafted, x.accepted, x.committed] for x in text.cycles]
        self._append(
            {
                "part": part,
                "number": text.number,
                "tokens": list(text.tokens),
                "finish": text.finish,
                "cycles": cycles,
                **({} if text.told == Told() else {"told": asdict(text.told)}),
            }
        )
        self.samples.setdefault(part, {})[text.number] = text

    def texts(self, part: str) -> list[Continuation]:
        """What has come for a part, by number."""
        found = self.samples.get(part, {})
        return [found[number] for number in sorted(found)]

    def _append(self, line: Mapping[str, Any]) -> None:
        if self.file is not None:
            with self.file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")

    def _read(self, file: Path, fingerprint: str) -> None:
        whole = file.read_text(encoding="utf-8")
        lines = whole.splitlines(keepends=True)
        try:
            head = json.loads(lines[0])
            known = head["format"] == FORMAT
        except (json.JSONDecodeError, KeyError, TypeError):
            known = False
        if not known:
            raise WrongSamples(f"{file} does not hold the samples of an audit.")
        if head["fingerprint"] != fingerprint:
            raise WrongSamples(
                f"{file} was begun with other settings, another engine or other weights: "
                f"{head['about']}. Use another file."
            )
        good = lines[0]
        for number, line in enumerate(lines[1:], start=2):
            try:
                part, text = _continuation(json.loads(line))
            except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
                if number == len(lines) and not line.endswith("\n"):
                    break  # cut short while it was written
                raise WrongSamples(f"{file}, line {number}, is not a sample.") from error
            self.samples.setdefault(part, {})[text.number] = text
            good += line if line.endswith("\n") else line + "\n"
            self.resumed += 1
        if good != whole:
            file.write_text(good, encoding="utf-8")


def _continuation(line: Mapping[str, Any]) -> tuple[str, Continuation]:
    if line["finish"] not in ("end", "length"):
        raise ValueError(line["finish"])
    cycles = line["cycles"]
    counts = None if cycles is None else tuple(CycleCount(*map(int, x)) for x in cycles)
    tokens = tuple(map(int, line["tokens"]))
    told = _told(line.get("told") or {})
    return str(line["part"]), Continuation(
        int(line["number"]), tokens, line["finish"], counts, told
    )


def _told(line: Mapping[str, Any]) -> Told:
    """Read back; JSON has lists where a `Told` has tuples."""
    top = tuple(tuple((int(x), float(y)) for x, y in place) for place in line.get("top", ()))
    plain = {name: line.get(name) for name in ("text", "counted", "drafted", "accepted")}
    return Told(
        **plain,
        ends=tuple(map(int, line.get("ends", ()))),
        logprobs=tuple(map(float, line.get("logprobs", ()))),
        top=top,
    )
