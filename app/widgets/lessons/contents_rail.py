"""The contents beside a lesson: its sections with their minutes, always in sight."""

from html import escape

import streamlit as st

from content.blocks import Document, Lesson, Section
from content.minutes import minutes_for, minutes_of

_STYLE = """
<style>
[data-testid="stColumn"]:has(.contents-rail) { position: relative; }
[data-testid="stElementContainer"]:has(> [data-testid="stHtml"] .contents-rail),
[data-testid="stVerticalBlock"]:has(> [data-testid="stElementContainer"] .contents-rail) {
  height: 100%; }
.contents-rail { position: sticky; top: 4rem; max-height: calc(100vh - 6rem); overflow-y: auto;
  font-size: .9rem; line-height: 1.35; border-left: 1px solid rgba(128, 128, 128, .35);
  padding-left: 1rem; }
.contents-rail p { margin: 0 0 .5rem; font-weight: 650; }
.contents-rail ol { list-style: none; margin: 0; padding: 0; }
.contents-rail li { display: flex; justify-content: space-between; gap: .8rem; margin: 0;
  padding: .28rem 0; }
.contents-rail a { color: inherit; text-decoration: none; }
.contents-rail a:hover, .contents-rail a:focus-visible { text-decoration: underline; }
.contents-rail .minutes { opacity: .75; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
.contents-top { display: none; font-size: .95rem; }
.contents-top summary { cursor: pointer; font-weight: 650; padding: .3rem 0; }
.contents-top ol { padding-left: 1.2rem; margin: .2rem 0; }
.contents-top li { padding: .25rem 0; }
.contents-top a { color: inherit; }
@media (max-width: 900px) {
  [data-testid="stColumn"]:has(.contents-rail) { display: none; }
  .contents-top { display: block; }
}
</style>
"""


def rail(document: Document) -> None:
    """Draw it beside the text; a page without minutes gets its headings alone."""
    head, rows = _rows(document)
    st.html(
        f'{_STYLE}<nav class="contents-rail" aria-label="Contents"><p>{head}</p>'
        f"<ol>{rows}</ol></nav>"
    )


def contents_on_top(document: Document) -> None:
    """The same for a narrow window, where nothing fits beside the text: folded, under the title."""
    head, rows = _rows(document)
    st.html(f'<details class="contents-top"><summary>{head}</summary><ol>{rows}</ol></details>')


def _rows(document: Document) -> tuple[str, str]:
    """The heading, and a row for each section."""
    sections = [section for section in document.sections if section.title]
    total = minutes_of(document) if isinstance(document, Lesson) else None
    spent = minutes(sections, total) if total else [""] * len(sections)
    rows = "".join(
        f'<li><a href="#{escape(section.anchor)}">{escape(section.title)}</a>'
        f'<span class="minutes"> {time}</span></li>'
        for section, time in zip(sections, spent, strict=True)
    )
    return (f"Contents, {total} min" if total else "Contents"), rows


def minutes(sections: list[Section], total: int) -> list[str]:
    """The lesson's minutes, shared out in halves by what each section holds.

    The shares add up to the whole, and none is less than half a minute.
    """
    weights = [minutes_for(section.blocks) for section in sections]
    units = max(2 * total, len(sections))
    shares = [1 + weight / sum(weights) * (units - len(sections)) for weight in weights]
    halves = [int(share) for share in shares]
    largest = sorted(range(len(shares)), key=lambda i: halves[i] - shares[i])
    for i in largest[: units - sum(halves)]:
        halves[i] += 1
    return [_in_words(half) for half in halves]


def _in_words(halves: int) -> str:
    """
    >>> _in_words(1), _in_words(2), _in_words(5)
    ('½ min', '1 min', '2½ min')
    """
    whole, half = divmod(halves, 2)
    return f"{whole or ''}{'½' if half else ''} min"
