"""The report of an audit: verdict, every check with its numbers, and what the samples depend on."""

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from typing import Any, Literal

from engines.audit.checks import law, notes, promises, reported, speed, stops, two_samples
from engines.audit.evidence import Check, Column, Evidence
from speculation.exactness import holm
from speculation.exactness.finding import LEVEL, Finding

Verdict = Literal["exact", "deviation", "nothing"]

FORMAT = "speculate-audit-1"

CHECKS: tuple[Callable[[Evidence], Check], ...] = (
    law.first_tokens,
    law.every_token,
    law.surprise,
    law.toward_draft,
    law.within_texts,
    law.between_texts,
    law.duplicates,
    promises.baseline,
    two_samples.baseline_places,
    two_samples.baseline_lengths,
    promises.greedy,
    promises.seeds,
    promises.ends,
    promises.early_ends,
    promises.forbidden,
    promises.bias_law,
    promises.repetition,
    promises.repetition_law,
    promises.presence,
    promises.presence_law,
    stops.stop_strings,
    stops.stop_and_limit,
    reported.probabilities,
    speed.drafts_kept,
    speed.bonus,
    notes.drafts,
    notes.by_place,
    notes.by_door,
)

WORDS: dict[Verdict, str] = {
    "exact": "No deviation found: the texts follow the target's distribution, as far as this many "
    "can tell.",
    "deviation": "Deviation found: the texts do not follow the target's distribution, or a promise "
    "is not kept.",
    "nothing": "The audit could not run.",
}
EXCUSED = "The engine's own arithmetic may be all there is to it."
EXIT: dict[Verdict, int] = {"exact": 0, "deviation": 1, "nothing": 2}


@dataclass(frozen=True)
class Result:
    """One check's line of the report.

    corrected  the p-value after Holm's correction over the checks of its column; may be compared
               with the level as it stands. None if the check did not run
    flagged    whether it found something
    """

    name: str
    question: str
    column: Column
    finding: Finding | None
    corrected: float | None
    flagged: bool
    why_not: str
    words: str


@dataclass(frozen=True)
class Report:
    """What an audit found.

    verdict   exact (within what so many samples can see), deviation, or nothing could be said
    slower    whether something was found in the second column, "as fast as it should be"
    stopped   why it ended early; empty if it did not
    failed    whether that was the engine's doing: then "nothing found" is no pass
    about     engine, settings, weights, versions and machine, name to text
    """

    verdict: Verdict
    slower: bool
    stopped: str
    failed: bool
    results: tuple[Result, ...]
    about: Mapping[str, str]
    continuations: int
    seconds: float

    @property
    def exit_status(self) -> int:
        """0 exact within power, 1 deviation found, 2 could not run, or not to the end."""
        return 2 if self.failed and self.verdict == "exact" else EXIT[self.verdict]

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        speed = " It is slower than it should be." if self.slower else ""
        if self.verdict == "nothing":
            return f"{WORDS[self.verdict]} {self.stopped}".strip()
        early = f" Stopped early: {self.stopped}" if self.stopped else ""
        return f"{WORDS[self.verdict]}{speed}{early}"

    def to_json(self) -> str:
        """Everything, as JSON text; numbers that are not finite are written as null."""
        content = {
            "format": FORMAT,
            "verdict": self.verdict,
            "exit_status": self.exit_status,
            "sentence": self.sentence,
            "slower": self.slower,
            "stopped": self.stopped,
            "level": LEVEL,
            "correction": "Holm, over the checks of a column that leave something to chance",
            "continuations": self.continuations,
            "seconds": round(self.seconds, 1),
            "about": dict(self.about),
            "checks": [asdict(result) for result in self.results],
        }
        return json.dumps(_finite(content), indent=1, allow_nan=False) + "\n"


def judge(
    evidence: Evidence,
    about: Mapping[str, str],
    seconds: float = 0.0,
    stopped: str = "",
    failed: bool = False,
) -> Report:
    """Put the evidence to every check, and correct for their number."""
    checks = [check(evidence) for check in CHECKS]
    corrected = {
        name: value
        for column in ("exact", "speed")
        for name, value in _corrected([x for x in checks if x.column == column]).items()
    }
    arithmetic = evidence.arithmetic
    results = tuple(_result(check, corrected.get(check.name), arithmetic.moved) for check in checks)
    ran = [x for x in results if x.column == "exact" and x.finding is not None]
    found = any(x.flagged for x in ran)
    return Report(
        verdict="deviation" if found else "exact" if ran else "nothing",
        slower=any(x.flagged for x in results if x.column == "speed"),
        stopped=stopped,
        failed=failed,
        results=results,
        about={**about, "engine's arithmetic": arithmetic.sentence},
        continuations=sum(map(len, evidence.samples.values())),
        seconds=seconds,
    )


def _result(check: Check, corrected: float | None, moved: float) -> Result:
    """A check's line. What the engine's arithmetic explains is seen, and not held against it."""
    seen = check.column != "note" and corrected is not None and corrected < LEVEL
    excused = seen and not check.certain and within(check.finding, moved)
    words = f"{check.words} {EXCUSED}".strip() if excused else check.words
    return Result(
        check.name,
        check.question,
        check.column,
        check.finding,
        corrected,
        seen and not excused,
        check.why_not,
        words,
    )


def within(finding: Finding | None, moved: float) -> bool:
    """Whether a deviation may be as small as the arithmetic alone makes it.

    moved  total variation that the arithmetic makes of the law; the mean surprise then moves by
           about twice as much, in nats
    """
    if finding is None or not moved:
        return False
    if "total variation" in finding.unit:
        return finding.low <= moved
    nearest = max(finding.low, -finding.high, 0.0)
    return "nats" in finding.unit and nearest <= 2.0 * moved


def could_not_run(reason: str, about: Mapping[str, str]) -> Report:
    """The report of an audit that did not begin."""
    return Report("nothing", False, reason, True, (), dict(about), 0, 0.0)


def _corrected(checks: Sequence[Check]) -> dict[str, float]:
    """By name. What an exact engine cannot fail needs no correction."""
    chance = [x for x in checks if x.finding is not None and not x.certain]
    values = holm([x.finding.p_value for x in chance if x.finding is not None])
    certain = {x.name: x.finding.p_value for x in checks if x.finding is not None and x.certain}
    return {x.name: value for x, value in zip(chance, values, strict=True)} | certain


def conditions() -> dict[str, str]:
    """This machine and the versions that matter, for the report."""
    from speculation.machine import machine

    found = {"machine": machine(), "python": platform.python_version()}
    for name in ("torch", "transformers", "numpy", "scipy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _finite(x) for name, x in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(x) for x in value]
    return None if isinstance(value, float) and not isfinite(value) else value
