"""The kill table: every scheme against every check, as it was computed."""

import json
from functools import lru_cache
from html import escape
from typing import Any

import streamlit as st

from speculation.exactness.kill_table import EXACT_CHECKS, EXEMPT_ABOVE
from speculation.pairs.assets import ASSETS
from widgets.testing.sabotage import spoken

FILE = ASSETS / "measurements" / "kill_table.json"

CHECKS = {
    "token": ("first token", "counts of the first token, against p"),
    "text": ("four tokens", "counts of texts of four tokens, against their distribution"),
    "cycle": ("cycle", "counts of (accepted drafts, committed tokens), against their distribution"),
    "PIT": ("heights", "where each token falls in [0, 1), which must be uniform (PIT)"),
    "surprise": ("surprise", "mean of −log p against the entropy it should have"),
    "overlap": ("drafts kept", "drafts kept, against the overlap of p and q"),
    "bonus": ("bonus", "cycles that end without a token of the target's"),
}

_STYLE = """
<style>
.kill { overflow-x: auto; max-width: 100%; }
.kill table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
.kill th, .kill td { padding: .28rem .55rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid rgba(128, 128, 128, .25); font-weight: 400; }
.kill thead th { font-weight: 600; vertical-align: bottom; }
.kill th[scope=row], .kill td.word, .kill th.word { text-align: left; }
.kill th[scope=row] { position: sticky; left: 0;
  background: var(--st-background-color, light-dark(#fff, #1a1a18)); }
.kill tr.group th { padding-top: 1rem; font-weight: 600; }
.kill .best { font-weight: 700; }
.kill .none { opacity: .55; }
</style>
"""


@lru_cache(maxsize=1)
def committed_table() -> dict[str, Any] | None:
    """The file, or None if it is missing."""
    if not FILE.exists():
        return None
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def kill_table_view() -> None:
    """The table, and how it was made."""
    found = committed_table()
    if found is None:
        st.info("The table is missing: `python -m speculation.exactness FILE` makes it.")
        return
    st.html(_STYLE + table_html(found["rows"]))
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    st.caption(
        f"Computed {found['made']} by `python -m speculation.exactness` in {found['seconds']:.0f} "
        f"seconds ({versions}); a test computes part of it again and compares."
    )
    with st.expander("How to read it"):
        st.markdown(
            "Nothing is sampled here. All texts of a scheme are enumerated, with their "
            "probabilities, on a small pair of models: four tokens, one of them an end of text, "
            "temperature .8, top-k 3, k = 2. For each check the number of texts is predicted that "
            "catches the scheme in 9 tests of 10 (for the check named cycle: of cycles). A dash "
            "means that this check never sees it.\n\n"
            + "\n".join(f"- **{name}**: {about}" for name, about in CHECKS.values())
            + f"\n\nA scheme that needs more than {EXEMPT_ABOVE:,} texts is not asked to be caught."
        )


def table_html(rows: list[dict[str, Any]]) -> str:
    """Two groups: exact schemes, which nothing may flag in the first column, and broken ones."""
    head = "".join(f"<th scope=col>{escape(name)}</th>" for name, _ in CHECKS.values())
    body = ""
    for exact, title in ((True, "Exact"), (False, "Broken")):
        body += (
            f"<tr class=group><th scope=row>{title}</th><td colspan={2 + len(CHECKS)}></td></tr>"
        )
        body += "".join(_row(row) for row in rows if row["exact"] is exact)
    return (
        "<div class=kill role=region tabindex=0 aria-label='Kill table'><table><thead><tr>"
        "<th class=word scope=col>scheme</th><th class=word scope=col>exact?</th>"
        f"<th class=word scope=col>as fast?</th>{head}</tr></thead><tbody>{body}</tbody>"
        "</table></div>"
    )


def _row(row: dict[str, Any]) -> str:
    cells = ""
    for check in CHECKS:
        needed = row["runs"][check]
        if needed is None:
            cells += "<td class=none>–</td>"
        else:
            best = row["caught_with"] if check in EXACT_CHECKS else row["slow_with"]
            mark = " class=best" if needed == best else ""
            cells += f"<td{mark}>{count(needed)}</td>"
    return (
        f"<tr><th scope=row>{escape(spoken(row['scheme']))}</th>"
        f"<td class=word>{_exact(row)}</td><td class=word>{_fast(row)}</td>{cells}</tr>"
    )


def _exact(row: dict[str, Any]) -> str:
    if row["caught_with"] is None:
        return "yes"
    return f"no: {count(row['caught_with'])}"


def _fast(row: dict[str, Any]) -> str:
    slow = row["slow_with"]
    return "yes" if slow is None or slow > EXEMPT_ABOVE else f"no: {count(slow)}"


def count(texts: int) -> str:
    """A number of texts; millions in words.

    >>> count(19_008), count(3_463_095)
    ('19,008', '3.5 million')
    """
    if texts < 1_000_000:
        return f"{texts:,}"
    millions = texts / 1e6
    return f"{millions:.1f} million" if millions < 10 else f"{millions:,.0f} million"
