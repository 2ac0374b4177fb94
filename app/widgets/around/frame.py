"""What every screen has around it: the style of the whole."""

import streamlit as st

_STYLE = """
<style>
.stMainBlockContainer { padding-top: 2.2rem; padding-bottom: 3rem; max-width: 1360px; }
[data-testid="stMetricValue"], [data-testid="stMetricDelta"] {
  font-variant-numeric: tabular-nums; }
/* Streamlit's own have too little contrast to read well (WCAG: 4.5 to 1). */
[data-testid="stCaptionContainer"] { opacity: .8; }
[data-testid="stBaseButton-primary"]:enabled { color: light-dark(#fff, #0e1117); }
[data-testid="stSidebarUserContent"] { padding-top: 1rem; }
[class*="st-key-nav-"] [data-testid="stCaptionContainer"] { padding-left: 2.35rem; }
@media (min-width: 901px) { [data-testid="stHeader"] { background: transparent; } }
@media (max-width: 900px) {
  .stMainBlockContainer { padding-top: 4.4rem; }
}
</style>
"""


def frame() -> None:
    """Draw it."""
    st.html(_STYLE)
