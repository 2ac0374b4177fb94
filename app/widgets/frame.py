"""What every screen has around it: a title line, the symbol key, and the style of the whole."""

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
</style>
"""

_TITLE = """
<h1 class="page-title">Speculative decoding, step by step</h1>
<p class="symbols">A small model drafts k tokens, a large one checks them in one pass, and the text
follows the large one's law exactly.
<span class="swatch p"></span><b>p</b> target: the large model
<span class="swatch q"></span><b>q</b> draft: the small one</p>
"""


_PRESENT_STYLE = """
<style>
.stMainBlockContainer { padding-top: .8rem; padding-bottom: 0; max-width: none; }
[data-testid="stHeader"] { display: none; }
</style>
"""


def frame() -> None:
    """Draw it; in present mode only the style, so that the run has the whole screen."""
    st.html(_STYLE)
    st.html(_PRESENT_STYLE if st.session_state.get(Key.PRESENT) else _TITLE)
