"""Engines on record: which speculative paths were tested, and what came out. Needs no models."""

from functools import lru_cache
from html import escape
from pathlib import Path

import streamlit as st

from engines.wild.record import FILE, Measured, Row, Verdict, Wild, read
from widgets.markdown_text import plain

SHOWN = Path(__file__).resolve().parents[2] / "engines" / "wild" / "shown"
HEADS = ("Path", "Control", "Verdict", "Size of the deviation", "Texts", "Date")
MARKS: dict[Verdict, str] = {"passes": "●", "deviates": "◆", "unclear": "○"}

FEW = 0.01
"""Kept drafts a text, below which a path is hardly tested."""

_STYLE = """
<style>
.wild { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.wild th, .wild td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0;
  font-size: .88rem; line-height: 1.4; border-bottom: 1px solid rgba(128, 128, 128, .25); }
.wild thead th { font-weight: 600; opacity: .8; }
.wild tbody th { padding-top: 1rem; font-size: .98rem; }
.wild tbody th small { font-weight: 400; opacity: .8; margin-left: .5rem; }
.wild .verdict { white-space: nowrap; font-weight: 600; }
.wild .deviates .verdict { color: light-dark(#a64300, #ff9d5c); }
.wild .number, .wild .date { white-space: nowrap; }
@media (max-width: 640px) {
  .wild thead { display: none; }
  .wild tr { display: block; padding: .45rem 0; border-bottom: 1px solid rgba(128, 128, 128, .25); }
  .wild td, .wild tbody th { display: block; border: 0; padding: 0 0 .1rem; }
  .wild td[data-head]::before { content: attr(data-head) ": "; opacity: .75; font-weight: 400; }
  .wild td:first-child { font-weight: 600; }
}
</style>
"""


@lru_cache(maxsize=1)
def recorded_wild(file: Path = FILE) -> Wild | None:
    """The record; None if none ships."""
    try:
        return read(file)
    except (OSError, ValueError):
        return None


def engines_on_record() -> None:
    """The table, then each deviation with its mechanism, then what could not run."""
    found = recorded_wild()
    if found is None or not found.rows:
        st.info("No engine was recorded: `make wild` does it.")
        return
    st.header("Engines on record", anchor="on-record")
    st.markdown(plain(summary(found)))
    st.html(_STYLE + table_html(found))
    st.caption(
        plain(
            f"Recorded on {found.machine}: {found.pair}. Compared is the joint distribution of a "
            "text's tokens, at one to five settings a path. A deviation is claimed only if chance "
            "would do as much less than once in a million, and the same engine without "
            "speculation, the control, passes. Size: total variation, 0 for the same distribution "
            "and 1 for two that share nothing."
        )
    )
    for row in found.rows:
        if row.verdict == "deviates":
            _deviation(row)
    _not_run(found)


def summary(found: Wild) -> str:
    """What the table says, in two sentences."""
    verdicts = [row.verdict for row in found.rows]
    bad = [row for row in found.rows if row.verdict == "deviates"]
    who = ", ".join(dict.fromkeys(row.engine for row in bad))
    lossy = sum(row.claims == "lossy" for row in bad)
    said = f"; {lossy} of them by design, and said so" if lossy else ""
    first = (
        f"{len(found.rows)} speculative paths of {len(found.engines)} engines, as they install "
        f"from PyPI, were asked for texts: {verdicts.count('passes')} follow the target's "
        f"distribution as far as so many texts can tell, {len(bad)} do not"
    )
    unclear = verdicts.count("unclear")
    rest = f" {unclear} stayed unclear." if unclear else ""
    return f"{first} ({who}{said}).{rest}" if bad else f"{first}.{rest}"


def table_html(found: Wild) -> str:
    """A row a path, under its engine's name."""
    heads = "".join(f"<th scope=col>{head}</th>" for head in HEADS)
    body = []
    for engine in found.engines:
        rows = [row for row in found.rows if row.engine == engine]
        versions = ", ".join(dict.fromkeys(row.version for row in rows))
        body.append(
            f"<tr><th colspan={len(HEADS)} scope=rowgroup>{escape(engine)}"
            f"<small>{escape(versions)}</small></th></tr>"
        )
        body += [_row_html(row) for row in rows]
    return (
        f'<table class="wild"><thead><tr>{heads}</tr></thead><tbody>{"".join(body)}</tbody></table>'
    )


def _row_html(row: Row) -> str:
    lossy = " (lossy by design)" if row.claims == "lossy" else ""
    cells = (
        ("", f"{row.path}{lossy}"),
        ("control", f"{MARKS[row.control.verdict]} {row.control.verdict}"),
        ("verdict", f"{MARKS[row.verdict]} {row.verdict}"),
        ("size", size(row) + few_drafts(row)),
        ("number", f"{row.found.texts:,}"),
        ("date", row.date),
    )
    heads = ("", *HEADS[1:])
    return f'<tr class="{row.verdict}">' + "".join(
        f'<td class="{kind}"{_head(head)}>{escape(text)}</td>'
        for (kind, text), head in zip(cells, heads, strict=True)
    ) + "</tr>"  # fmt: skip


def _head(head: str) -> str:
    return f' data-head="{head}"' if head else ""


def size(row: Row) -> str:
    """How large the deviation is, or the smallest one that would have been seen."""
    if row.verdict == "deviates":
        return f"{how_far(row.found.worst)}, at {row.found.worst.setting}"
    return f"none seen; {row.found.sees:.2f} would have been"


def few_drafts(row: Row) -> str:
    """A pass says little where hardly a draft was kept: then how many there were."""
    kept = row.found.accepted
    if row.found.drafted == 0:
        return "; no draft was made"
    if kept is None or kept >= FEW * row.found.texts:
        return ""
    return f"; says little, as {kept:,} drafts were kept"


def how_far(test: Measured) -> str:
    """The distance that was measured.

    >>> one = {"setting": "", "texts": 9, "outcomes": 2, "low": 0, "high": 1, "sees": 0.1}
    >>> how_far(Measured(effect=0.4, p_value=0.0, apart=0.31, apart_by_chance=0.02, **one))
    '0.31 (0.02 by chance alone)'
    >>> how_far(Measured(effect=1.4, p_value=0.0, **one))
    'up to 1.00'
    """
    if test.apart is None:
        return f"up to {min(1.0, test.effect):.2f}"
    return f"{test.apart:.2f} ({test.apart_by_chance:.2f} by chance alone)"


def _deviation(row: Row) -> None:
    with st.expander(f"{MARKS['deviates']} {row.engine}, {row.path}: why"):
        st.markdown(plain(row.mechanism or "The reason is not known yet."))
        if row.changed is not None:
            did = {"passes": "passes", "deviates": "still deviates", "unclear": "is unclear"}
            st.markdown(
                plain(
                    f"Changed: {row.change} The path then {did[row.changed.verdict]} "
                    f"({row.changed.texts:,} texts; {row.changed.sees:.2f} would have been seen)."
                )
            )
        if row.script and (SHOWN / row.script).exists():
            st.caption(
                plain(f"The smallest script that shows it: app/engines/wild/shown/{row.script}")
            )
            st.code((SHOWN / row.script).read_text(encoding="utf-8"), language="python")
        st.caption(plain(", ".join(f"{name} {x}" for name, x in row.packages.items())))


def _not_run(found: Wild) -> None:
    if not found.not_run:
        return
    with st.expander(f"{len(found.not_run)} could not run, and why"):
        st.markdown(
            "\n".join(
                f"- **{plain(x.engine)} {plain(x.version)}, {plain(x.path)}**: {plain(x.reason)}"
                for x in found.not_run
            )
        )
