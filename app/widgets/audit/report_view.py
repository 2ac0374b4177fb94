"""A report of an audit as a page: verdict, picture, every check in words, downloads."""

from html import escape
from math import isfinite

import streamlit as st

from charts.audit.effects import audit_figure, audit_sentence, scaled
from charts.style import CONFIG
from engines.audit.report import Report, Result
from engines.audit.report_text import as_junit
from speculation.exactness.finding import Finding
from widgets.markdown_text import plain

COLUMNS = {
    "exact": "Does the text follow the target's distribution, and are promises kept?",
    "speed": "As fast as it should be?",
    "note": "For information",
}

_STYLE = """
<style>
.checks { border-collapse: collapse; width: 100%; }
.checks td { vertical-align: top; padding: .5rem .6rem .5rem 0; font-size: .92rem;
  border-bottom: 1px solid rgba(128, 128, 128, .25); line-height: 1.45; }
.checks td:first-child { white-space: nowrap; font-weight: 600; width: 1%; padding-right: 1.2rem; }
.checks small { display: block; opacity: .8; font-size: .85rem; }
.checks tr.found td:first-child { color: light-dark(#a64300, #ff9d5c); }
@media (max-width: 640px) { .checks td { display: block; border: 0; padding: 0 0 .1rem; }
  .checks td:last-child { border-bottom: 1px solid rgba(128, 128, 128, .25); padding-bottom: .6rem;
  margin-bottom: .6rem; } }
</style>
"""


def report_view(report: Report, key: str, timed: bool = True) -> None:
    """All of it.

    timed  say how long it took: a recording may have been made in several goes
    """
    box, icon = {
        "exact": (st.success, ":material/check_circle:"),
        "deviation": (st.error, ":material/error:"),
        "nothing": (st.warning, ":material/help:"),
    }[report.verdict]
    box(plain(report.sentence), icon=icon)
    about = report.about
    asked = [about.get("engine", ""), about.get("rule", ""), about.get("variant", "")]
    time = f" in {minutes(report.seconds)}" if timed else ""
    st.caption(
        plain(
            f"{', '.join(x for x in asked if x)}; {report.continuations:,} continuations{time}; "
            f"{about.get('settings', '')}"
        )
    )
    ran = [x for x in report.results if x.finding is not None]
    if scaled(ran):
        sentence = audit_sentence(ran)
        figure = audit_figure(ran)
        st.plotly_chart(figure, key=f"audit-chart-{key}", config=CONFIG, alt=sentence)
        st.markdown(plain(sentence))
    for column, title in COLUMNS.items():
        chosen = [x for x in ran if x.column == column]
        if chosen:
            st.subheader(title, anchor=False)
            st.html(_STYLE + checks_html(chosen))
    notes = [x for x in report.results if x.finding is None and not x.why_not and x.words]
    if notes:
        st.subheader(COLUMNS["note"], anchor=False)
        st.markdown("\n".join(f"- **{plain(x.name)}**: {plain(x.words)}" for x in notes))
    _not_run([x for x in report.results if x.finding is None and x.why_not])
    with st.expander("Engine, settings, versions"):
        st.markdown("\n".join(f"- {plain(name)}: {plain(x)}" for name, x in about.items()))
    with st.container(horizontal=True):
        _download("JSON", report.to_json(), "audit.json", "application/json", key)
        _download("JUnit, for a CI", as_junit(report), "audit.xml", "application/xml", key)


def checks_html(results: list[Result]) -> str:
    """A row a check: name and outcome, question and numbers."""
    rows = []
    for result in results:
        assert result.finding is not None
        found = result.flagged
        words = f"<small>{escape(result.words)}</small>" if result.words else ""
        rows.append(
            f'<tr class="{"found" if found else "ok"}"><td>{escape(result.name)}<small>'
            f"{'deviation found' if found else 'nothing found'}</small></td>"
            f"<td>{escape(result.question)}<small>{escape(numbers(result.finding))}"
            f"{escape(_chance(result))}</small>{words}</td></tr>"
        )
    return f'<table class="checks"><tbody>{"".join(rows)}</tbody></table>'


def numbers(finding: Finding) -> str:
    """Effect, interval, runs, and the smallest bias that would have been seen, in words.

    >>> numbers(Finding("x", 1.0, 0.5, 0.01, 0.0, 0.04, "nats", 1200, 0.05))
    'Measured 0.01 (95%: 0 to 0.04) nats, from 1,200. It would have seen 0.05 in 9 of 10 audits. '
    """
    sees = (
        f"It would have seen {short(finding.sees)} in 9 of 10 audits. "
        if isfinite(finding.sees) and finding.sees > 0.0
        else ""
    )
    return (
        f"Measured {short(finding.effect)} (95%: {short(finding.low)} to {short(finding.high)}) "
        f"{finding.unit}, from {finding.runs:,}. {sees}"
    )


def _chance(result: Result) -> str:
    """How rare it would be for an exact engine."""
    if result.corrected is None or result.column == "note":
        return ""
    p = result.corrected
    return f"p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}, corrected."


def short(value: float) -> str:
    """
    >>> short(0.0), short(0.01234), short(0.00005), short(float("inf"))
    ('0', '0.0123', '0.00005', 'without bound')
    """
    if not isfinite(value):
        return "without bound"
    return f"{value:.3g}" if abs(value) >= 1e-3 or value == 0.0 else f"{value:.6f}".rstrip("0")


def minutes(seconds: float) -> str:
    """
    >>> minutes(42), minutes(130)
    ('42 s', '2 min 10 s')
    """
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


def _not_run(results: list[Result]) -> None:
    if not results:
        return
    with st.expander(f"{len(results)} checks did not run, and why"):
        lines = (f"- **{plain(x.name)}**: {plain(x.why_not)}" for x in results)
        st.markdown("\n".join(lines))


def _download(label: str, data: str, name: str, mime: str, key: str) -> None:
    st.download_button(
        label, data, file_name=name, mime=mime, key=f"{name}-{key}", icon=":material/download:"
    )
