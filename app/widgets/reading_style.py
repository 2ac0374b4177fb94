"""The look of everything that is read: type scale, measure, questions, what to see."""

import streamlit as st

from charts import palette

_STYLE = """
<style>
.stMainBlockContainer { padding-top: 3rem; max-width: 1240px; }
.st-key-lesson-body { gap: 1.1rem; }
.st-key-lesson-body h1 { font-size: 2.1rem; padding: 0 0 .2rem; text-wrap: balance; }
.st-key-lesson-body h2 { font-size: 1.45rem; padding: 1.6rem 0 0; }
.st-key-lesson-body [class*="st-key-prose-"] p, .st-key-lesson-body [class*="st-key-prose-"] li {
  font-size: 1.0625rem; line-height: 1.6; }
.st-key-lesson-body p, .st-key-lesson-body li, .st-key-lesson-body [data-testid="stAlert"] {
  max-width: 28em; }
.st-key-lesson-body p code, .st-key-lesson-body li code, .st-key-lesson-body td code {
  color: inherit; background: none; padding: 0; font-size: .94em; white-space: nowrap; }

[class*="st-key-figure-"] { padding: .4rem 0 .8rem; }
[class*="st-key-see-"] p { font-style: italic; }

[class*="st-key-gate-"] { border-left: 3px solid var(--st-primary-color, #0072B2);
  padding: .2rem 0 .2rem 1.1rem; margin: .6rem 0 1rem; }
[class*="st-key-quiz-"] { padding: .9rem 0 1.4rem; }
[class*="st-key-quiz-"] + [class*="st-key-quiz-"] {
  border-top: 1px solid rgba(128, 128, 128, .3); }
[class*="st-key-said-"] { min-height: 4.2rem; }
[class*="st-key-options-"] { gap: .45rem; max-width: 33.5rem; }
[class*="st-key-options-"] button { justify-content: flex-start; text-align: left;
  min-height: 2.75rem; padding: .45rem .9rem; }
[class*="st-key-options-"] button > div { justify-content: flex-start; width: 100%; }
[class*="st-key-options-"] button > div > span { justify-content: flex-start; width: 100%; }
[class*="st-key-options-"] button p { text-align: left; white-space: normal;
  max-width: none; }
@media (max-width: 900px) { .stMainBlockContainer { padding-top: 4.4rem; } }
@media (max-width: 640px) {
  .st-key-lesson-body h1 { font-size: 1.7rem; }
  .st-key-lesson-body code { white-space: normal !important; }
}
</style>
"""


_BODY = """
<style>
.stMainBlockContainer {{ max-width: {width}px; }}
.st-key-{key} h1 {{ font-size: 2.1rem; padding: 0 0 .2rem; }}
.st-key-{key} h2 {{ font-size: 1.45rem; }}
{rules}
@media (max-width: 640px) {{ .st-key-{key} h1 {{ font-size: 1.7rem; }} }}
</style>
"""


# Where the sidebar is folded away, the symbols stand in the empty bar at the top.
_SYMBOLS = f"""
<div class="symbols-on-top"><span style="color:{palette.TARGET}" aria-hidden="true">■</span>
<b>p</b> target <span style="color:{palette.DRAFT}" aria-hidden="true">●</span> <b>q</b> draft</div>
<style>
.symbols-on-top {{ display: none; position: fixed; top: 1.05rem; right: 1.2rem; z-index: 1000000;
  font-size: .9rem; }}
@media (max-width: 900px) {{ .symbols-on-top {{ display: block; }} }}
</style>
"""


def lesson_style() -> None:
    """Put it on the page, with the symbols for narrow windows."""
    st.html(_STYLE)
    st.html(_SYMBOLS)


def body_style(key: str, width: int, rules: str) -> None:
    """How a page is set that is no lesson and stands in a container of this key.

    width  of the whole page at most, in pixels
    rules  what the page adds
    """
    st.html(_BODY.format(key=key, width=width, rules=rules.strip()))
