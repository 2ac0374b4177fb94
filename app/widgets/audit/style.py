"""How these pages are set: one column of text, figures as wide as they need."""

import streamlit as st

from widgets.reading_style import lesson_style

_STYLE = """
<style>
.stMainBlockContainer { max-width: 1080px; }
.st-key-audit-body h1 { font-size: 2.1rem; padding: 0 0 .2rem; }
.st-key-audit-body h2 { font-size: 1.45rem; padding: 1.6rem 0 .5rem; }
.st-key-audit-body h3 { font-size: 1.2rem; padding: .6rem 0 0; }
.st-key-audit-body p, .st-key-audit-body li { max-width: 44em; line-height: 1.5; }
.st-key-audit-body table { font-variant-numeric: tabular-nums; font-size: .9rem; }
@media (max-width: 640px) { .st-key-audit-body h1 { font-size: 1.7rem; } }
</style>
"""


def audit_style() -> None:
    """Put it on the page."""
    lesson_style()
    st.html(_STYLE)
