"""What the kit found, row by row: for a terminal, for a CI, and as a table in Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self
from xml.etree import ElementTree

from engines.audit.report_text import NO_XML

Verdict = Literal["running", "passes", "deviates", "too few", "left out", "failed"]
WORDS: Mapping[str, str] = {
    "running": "...", "passes": "passes", "deviates": "DEVIATES", "too few": "too few texts",
    "left out": "left out", "failed": "no answer",
}  # fmt: skip


@dataclass(frozen=True)
class Checked:
    """One row.

    texts       how many were drawn
    outcomes    how many the exact distribution was compared over
    effect      the deviation as estimated: total variation, at most, with its 95% interval
    sees        the smallest total variation that so many texts show with 90% chance
    p_value     valid at whatever time it is looked at; before the correction for many rows
    impossible  texts that the exact distribution says cannot be
    why         why there is no number
    convention  how the settings were read, where not as this project does
    """

    row: str
    verdict: Verdict
    texts: int = 0
    outcomes: int = 0
    effect: float = 0.0
    low: float = 0.0
    high: float = 1.0
    sees: float = 1.0
    p_value: float = 1.0
    impossible: int = 0
    seconds: float = 0.0
    why: str = ""
    convention: str = ""

    @classmethod
    def left_out(cls, row: str, why: str, failed: bool = False) -> Self:
        """A row without a result."""
        return cls(row, "failed" if failed else "left out", why=why)

    @property
    def size(self) -> str:
        """How far off, with the interval. An obvious bug ends its row before that can be said."""
        if self.verdict == "deviates" and self.low == 0.0:
            return "off, by more than so few texts can size"
        return f"off by {self.effect:.3f} ({self.low:.3f} to {self.high:.3f})"

    @property
    def words(self) -> str:
        """The numbers in one line."""
        if self.why:
            return self.why
        strange = f"; {self.impossible} texts that cannot be" if self.impossible else ""
        return (
            f"{self.size}, "
            f"{self.sees:.3f} would have been seen, {self.texts} texts, {self.seconds:.0f} s"
            f"{strange}{f' ({self.convention})' if self.convention else ''}"
        )


@dataclass(frozen=True)
class Report:
    """All rows; `alpha` is the chance that a right engine gets any "deviates"."""

    rows: tuple[Checked, ...]
    about: Mapping[str, str]
    alpha: float
    stopped: bool

    @classmethod
    def of(
        cls, rows: Sequence[Checked], about: Mapping[str, str], alpha: float, stopped: bool
    ) -> Self:
        """From what was looked at; a row that was interrupted has too few texts."""
        settled = [
            Checked(**(asdict(x) | {"verdict": "too few"})) if x.verdict == "running" else x
            for x in rows
        ]
        return cls(tuple(settled), dict(about), alpha, stopped)

    @property
    def exit_status(self) -> int:
        """0 if every row that ran passes, 1 if one deviates, 2 if nothing can be said or it broke
        off."""
        verdicts = {x.verdict for x in self.rows}
        if "deviates" in verdicts:
            return 1
        unsure = self.stopped or verdicts & {"failed", "too few"} or "passes" not in verdicts
        return 2 if unsure else 0

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        off = [x.row for x in self.rows if x.verdict == "deviates"]
        passed = [x for x in self.rows if x.verdict == "passes"]
        if off:
            return f"Deviation found in {len(off)} of {len(self.rows)} rows: {', '.join(off)}."
        if not passed:
            return "Nothing could be tested."
        worst = max(x.sees for x in passed)
        return (
            f"No deviation found in {len(passed)} rows; in each, a total variation of {worst:.3f} "
            "or more would have been seen with 90% chance."
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "schema": "conformance/1", "sentence": self.sentence, "exit_status": self.exit_status,
            "alpha": self.alpha, "stopped": self.stopped, "about": dict(self.about),
            "rows": [asdict(x) for x in self.rows],
        }  # fmt: skip


def as_text(report: Report) -> str:
    """The verdict first, then a line a row."""
    width = max(len(x.row) for x in report.rows)
    lines = [f"{WORDS[x.verdict]:<14}{x.row:<{width + 2}}{x.words}" for x in report.rows]
    note = f"A right engine is called wrong in any row at most once in {1 / report.alpha:.0f} runs."
    about = [f"{name}: {value}" for name, value in report.about.items()]
    return "\n".join([report.sentence, "", *lines, "", note, *about])


def as_markdown(report: Report) -> str:
    """A table for a README or a pull request."""
    head = "| setting | verdict | off by (95%) | would have seen | texts |\n|---|---|---|---|---|"
    lines = []
    for x in report.rows:
        if x.why:
            lines.append(f"| {x.row} | {WORDS[x.verdict]} | {x.why.replace('|', '/')} | | |")
            continue
        off = x.size.removeprefix("off by ").removeprefix("off, ")
        lines.append(f"| {x.row} | {WORDS[x.verdict]} | {off} | {x.sees:.3f} | {x.texts} |")
    return "\n".join([report.sentence, "", head, *lines]) + "\n"


def as_junit(report: Report) -> str:
    """JUnit XML: a case a row; a deviation is a failure, no answer an error."""
    suite = ElementTree.Element(
        "testsuite",
        name=f"conformance of {report.about.get('engine', '?')}",
        tests=str(len(report.rows)),
        failures=str(sum(x.verdict == "deviates" for x in report.rows)),
        errors=str(sum(x.verdict in ("failed", "too few") for x in report.rows)),
        skipped=str(sum(x.verdict == "left out" for x in report.rows)),
    )
    kinds = {"deviates": "failure", "failed": "error", "too few": "error", "left out": "skipped"}
    for x in report.rows:
        case = ElementTree.SubElement(
            suite, "testcase", name=x.row, classname="conformance", time=f"{x.seconds:.1f}"
        )
        if x.verdict in kinds:
            ElementTree.SubElement(case, kinds[x.verdict], message=x.words)
        else:
            ElementTree.SubElement(case, "system-out").text = x.words
    ElementTree.indent(suite)
    text = NO_XML.sub("\N{REPLACEMENT CHARACTER}", ElementTree.tostring(suite, encoding="unicode"))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'
