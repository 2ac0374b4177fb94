"""What every screen has around it: the style of the whole, and in the Lab a title line."""

import streamlit as st

from charts import palette
from widgets.state import Key

_STYLE = f"""
<style>
.stMainBlockContainer {{ padding-top: 2.2rem; padding-bottom: 3rem; max-width: 1360px; }}
h1.page-title {{ font-size: 1.5rem; font-weight: 650; padding: 0; margin: 0; }}
.symbols {{ font-size: .9rem; margin: .1rem 0 0; }}
.symbols b {{ font-weight: 650; }}
.swatch {{ display: inline-block; width: .7em; height: .7em; margin: 0 .3em 0 .9em; }}
.swatch.p {{ background: {palette.TARGET}; }} .swatch.q {{ background: {palette.DRAFT};
  border-radius: 50%; }}
.st-key-status, .st-key-status-running {{ min-height: 4.6rem; justify-content: center; }}
[data-testid="stMetricValue"], [data-testid="stMetricDelta"] {{
  font-variant-numeric: tabular-nums; }}
/* Streamlit's own have too little contrast to read well (WCAG: 4.5 to 1). */
[data-testid="stCaptionContainer"] {{ opacity: .8; }}
[data-testid="stBaseButton-primary"]:enabled {{ color: light-dark(#fff, #0e1117); }}
[data-testid="stSidebarUserContent"] {{ padding-top: 1rem; }}
[class*="st-key-nav-"] [data-testid="stCaptionContainer"] {{ padding-left: 2.35rem; }}
@media (min-width: 901px) {{ [data-testid="stHeader"] {{ background: transparent; }} }}
@media (max-width: 900px) {{
  .stMainBlockContainer {{ padding-top: 4.4rem; }}
}}
</style>
"""

_TITLE = """
<style>.stMainBlockContainer h2 { font-size: 1.15rem; padding: .2rem 0 .3rem; }</style>
<h1 class="page-title">Speculative decoding, step by step</h1>
<p class="symbols">A small model drafts k tokens, a large one checks them in one pass, and the text
follows the large one's distribution exactly.
<span class="swatch p"></span><b>p</b> target: the large model
<span class="swatch q"></span><b>q</b> draft: the small one</p>
"""


_PRESENT_STYLE = """
<style>
.stMainBlockContainer { padding-top: .8rem; padding-bottom: 0; max-width: none; }
[data-testid="stHeader"], [data-testid="stSidebar"] { display: none; }
</style>
"""


def frame(title: bool = True) -> None:
    """Draw it; in present mode only the style, so that the run has the whole screen.

    title  the title line: a screen with a title of its own leaves it out
    """
    st.html(_STYLE)
    if title and st.session_state.get(Key.PRESENT):
        st.html(_PRESENT_STYLE)
    elif title:
        st.html(_TITLE)
