"""The record: which path of which engine was tested, when, and what came out.

A path passes, deviates, or stays unclear. It deviates only if chance would do as much less than
once in a million (after Bonferroni's correction over its settings) while its plain twin passes.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from speculation.pairs.assets import ASSETS

FILE = ASSETS / "measurements" / "wild.json"
SURE = 1e-6
FINE = 0.01

Verdict = Literal["passes", "deviates", "unclear"]


class Strict(BaseModel):
    """Nothing that is not named, and no changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Measured(Strict):
    """One setting: the joint distribution of the first tokens, by chi-square.

    effect  half the root of the chi-square distance to the exact distribution, at least the total
            variation; [low, high] its 95% interval
    sees    the smallest total variation that so many texts show with 90% power
    apart   the total variation between the frequencies that came and the exact distribution, and
            what exact texts would show on average by chance alone
    """

    setting: str
    texts: int
    outcomes: int
    effect: float
    low: float
    high: float
    sees: float
    p_value: float
    apart: float | None = None
    apart_by_chance: float | None = None


class Outcome(Strict):
    """All settings of one path.

    drafted, accepted  tokens, where the engine counts them: a pass without drafts says nothing
    """

    tested: tuple[Measured, ...]
    seconds: float
    drafted: int | None = None
    accepted: int | None = None

    @property
    def p_value(self) -> float:
        """The smallest, corrected for the number of settings."""
        return min(1.0, len(self.tested) * min(x.p_value for x in self.tested))

    @property
    def verdict(self) -> Verdict:
        """What this says by itself."""
        if self.p_value < SURE:
            return "deviates"
        return "passes" if self.p_value >= FINE else "unclear"

    @property
    def worst(self) -> Measured:
        """The setting that speaks most against the path."""
        return min(self.tested, key=lambda x: (x.p_value, -x.effect))

    @property
    def texts(self) -> int:
        """Over all settings."""
        return sum(x.texts for x in self.tested)

    @property
    def sees(self) -> float:
        """The smallest deviation that would have been seen where the test was sharpest."""
        return min(x.sees for x in self.tested)


class Row(Strict):
    """One path of an engine, its plain twin, and, where something was found, what it is.

    claims     what the engine says of this path: "exact", "lossy", or nothing
    mechanism  why the path deviates, in a sentence or two
    script     the smallest script that shows it, a file in app/engines/wild/shown
    changed    the path with that one thing changed from outside, measured in the same way
    change     what was changed
    """

    engine: str
    version: str
    packages: dict[str, str]
    path: str
    driver: str
    twin: str
    claims: Literal["exact", "lossy"]
    date: str
    control: Outcome
    found: Outcome
    mechanism: str = ""
    script: str = ""
    change: str = ""
    changed: Outcome | None = None

    @property
    def verdict(self) -> Verdict:
        """A deviation counts only beside a clean control."""
        if self.control.verdict != "passes":
            return "unclear"
        return self.found.verdict


class NotRun(Strict):
    """A path or an engine that could not run: the error seen, or why it cannot."""

    engine: str
    version: str
    path: str
    reason: str
    date: str


class Wild(Strict):
    """The whole file."""

    format: Literal["speculate-wild-1"] = "speculate-wild-1"
    machine: str
    pair: str
    rows: tuple[Row, ...] = ()
    not_run: tuple[NotRun, ...] = ()

    @property
    def engines(self) -> tuple[str, ...]:
        """Their names, in order."""
        return tuple(dict.fromkeys(row.engine for row in self.rows))


def read(file: Path = FILE) -> Wild:
    """Raises OSError or ValueError."""
    return Wild.model_validate_json(file.read_bytes())


def write(found: Wild, file: Path = FILE) -> None:
    """Complete, or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_suffix(".new")
    new.write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    new.replace(file)
