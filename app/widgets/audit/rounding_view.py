"""What "Rounding or bug?" found, on the page: verdict, texts, picture, numbers."""

from html import escape

import streamlit as st

from charts import palette
from charts.audit.rounding import rounding_figure
from charts.style import CONFIG
from engines.rounding.found import Rounding
from engines.rounding.sentences import (
    HEADLINES,
    numbers_sentences,
    picture_sentence,
    reach_sentence,
    verdict_sentence,
)
from widgets.markdown_text import plain

_ICONS = {
    "identical": ":material/check_circle:",
    "near-tie": ":material/check_circle:",
    "cut": ":material/content_cut:",
    "doubtful": ":material/help:",
    "not-greedy": ":material/help:",
}

STYLE = f"""
<style>
.two-texts {{ display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin: .2rem 0 .6rem; }}
.two-texts h4 {{ font-size: .95rem; font-weight: 600; margin: 0 0 .3rem; padding: 0; }}
.two-texts pre {{ white-space: pre-wrap; overflow-wrap: anywhere; font-size: .82rem; margin: 0;
  line-height: 1.5; max-height: 15rem; overflow: auto; border-left: 3px solid {palette.SAME};
  padding: .1rem 0 .1rem .8rem; background: none; }}
.two-texts mark {{ background: color-mix(in srgb, {palette.TARGET} 22%, transparent);
  color: inherit; border-bottom: 2px solid {palette.TARGET}; }}
@media (max-width: 640px) {{ .two-texts {{ grid-template-columns: 1fr; }} }}
</style>
"""


def rounding_view(found: Rounding, one: str, two: str, key: str) -> None:
    """All of it; the texts as a person reads them."""
    icon = _ICONS.get(found.verdict, ":material/error:")
    st.subheader(f"{icon} {HEADLINES[found.verdict]}", anchor=False)
    st.markdown(plain(verdict_sentence(found)))
    if one or two:
        st.html(texts_html(one, two))
    if found.candidates:
        sentence = picture_sentence(found)
        figure = rounding_figure(found)
        st.plotly_chart(figure, key=f"rounding-chart-{key}", config=CONFIG, alt=sentence)
        st.markdown(plain(sentence))
        st.markdown("\n".join(f"- {plain(x)}" for x in numbers_sentences(found)))
        st.markdown(plain(reach_sentence(found)))
    for note in found.notes:
        st.caption(plain(note))
    where = f"Target {found.model}, weights {found.digest}"
    st.caption(plain(where + (f"; scored on {found.machine}." if found.machine else ".")))
    st.download_button(
        "Download as JSON",
        found.model_dump_json(indent=1),
        file_name="rounding.json",
        mime="application/json",
        key=f"rounding-json-{key}",
        type="tertiary",
        icon=":material/download:",
    )


def texts_html(one: str, two: str) -> str:
    """Both texts; what follows their common beginning is marked.

    >>> "<mark>b</mark>" in texts_html("ab", "a<")
    True
    """
    same = 0
    while same < min(len(one), len(two)) and one[same] == two[same]:
        same += 1
    parts = []
    for name, text in (("Text one", one), ("Text two", two)):
        rest = f"<mark>{escape(text[same:])}</mark>" if text[same:] else ""
        parts.append(f"<div><h4>{name}</h4><pre tabindex=0>{escape(text[:same])}{rest}</pre></div>")
    return f'{STYLE}<div class="two-texts">{"".join(parts)}</div>'
