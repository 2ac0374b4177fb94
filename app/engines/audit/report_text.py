"""A report as text for a terminal, and as JUnit XML for a CI."""

import re
from math import isfinite
from xml.etree import ElementTree

from engines.audit.report import Report, Result
from speculation.exactness.finding import Finding

COLUMNS = {"exact": "exact?", "speed": "as fast as it should be?", "note": "for information"}
NO_XML = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_text(report: Report) -> str:
    """The verdict first, then a line or two for every check."""
    lines = [report.sentence, ""]
    for column, title in COLUMNS.items():
        lines.append(title)
        for result in report.results:
            if result.column == column:
                lines += [f"  {line}" for line in _lines(result)]
    lines += ["", *(f"{name}: {value}" for name, value in report.about.items())]
    lines.append(f"{report.continuations} continuations, {report.seconds:.0f} s")
    return "\n".join(lines)


def _lines(result: Result) -> list[str]:
    if result.finding is None:
        return [f"-     {result.name}: {result.why_not or result.words}"]
    mark = "FOUND" if result.flagged else "ok   "
    head = f"{mark} {result.name}: {numbers(result.finding)}"
    if result.corrected is not None:
        head += f", p = {_short(result.corrected)} corrected"
    return [head, *([f"        {result.words}"] if result.words else [])]


def numbers(finding: Finding) -> str:
    """Effect with its interval, how much it rests on, and the least that would have been seen."""
    return (
        f"{_short(finding.effect)} ({_short(finding.low)} to {_short(finding.high)}) "
        f"{finding.unit}, from {finding.runs}; {_short(finding.sees)} would have been seen"
    )


def _short(number: float) -> str:
    """Three digits; small p-values as they are."""
    if not isfinite(number):
        return "unbounded"
    return f"{number:.2g}" if 0.0 < abs(number) < 0.001 else f"{number:.3f}"


def as_junit(report: Report) -> str:
    """JUnit XML: a suite for each column, a case for each check.

    A check that found something is a failure, one that could not run is skipped; an audit that
    could say nothing at all is an error.
    """
    root = ElementTree.Element("testsuites", name=f"audit of {report.about.get('engine', '?')}")
    for column, title in COLUMNS.items():
        chosen = [x for x in report.results if x.column == column]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=title,
            tests=str(len(chosen)),
            failures=str(sum(x.flagged and column == "exact" for x in chosen)),
            errors="0",
            skipped=str(sum(x.finding is None for x in chosen)),
            time=f"{report.seconds:.1f}" if column == "exact" else "0",
        )
        if column == "exact":
            properties = ElementTree.SubElement(suite, "properties")
            for name, value in report.about.items():
                ElementTree.SubElement(properties, "property", name=name, value=value)
        for result in chosen:
            _case(suite, result)
    if report.verdict == "nothing":
        suite = ElementTree.SubElement(
            root, "testsuite", name="audit", tests="1", failures="0", errors="1", skipped="0"
        )
        case = ElementTree.SubElement(suite, "testcase", name="the audit", classname="audit")
        ElementTree.SubElement(case, "error", message=report.sentence)
    ElementTree.indent(root)
    # A server's words may hold what no XML may: one escape character, and no CI reads the file.
    text = NO_XML.sub("\N{REPLACEMENT CHARACTER}", ElementTree.tostring(root, encoding="unicode"))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _case(suite: ElementTree.Element, result: Result) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", name=result.name, classname=f"audit.{result.column}"
    )
    words = " ".join(x for x in (result.question, result.words) if x)
    if result.finding is None:
        ElementTree.SubElement(case, "skipped", message=result.why_not or "no test")
    elif result.flagged and result.column == "exact":
        message = f"{numbers(result.finding)}, p = {result.corrected} corrected"
        ElementTree.SubElement(case, "failure", message=message).text = words
        return
    else:
        words = f"{words} {numbers(result.finding)}"
    ElementTree.SubElement(case, "system-out").text = words
