"""The Lab on one screen: its style, its title, and the lines that stand above the run.

At 1280 x 720 the run and all that decides it are seen at once, so what stands above it has three
lines: title and prompts, handles, and what is to be said of the run. The stepper takes the rest of
the window (`screen` in components/stepper.py).
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from charts import palette

_STYLE = f"""
<style>
.stMainBlockContainer {{ max-width: 1720px; padding: .55rem 1.5rem 3rem; gap: .35rem; }}
.stMainBlockContainer > [data-testid=stVerticalBlock] {{ gap: .3rem; }}
.stMainBlockContainer h2 {{ font-size: 1.15rem; padding: .2rem 0 .3rem; }}
[data-testid="stHeader"], [data-testid="stHeader"] * {{ pointer-events: none; }}
[data-testid="stHeader"] :is(button, button *, a, a *) {{ pointer-events: auto; }}
h1.page-title {{ font-size: 1.12rem; font-weight: 650; padding: 0; margin: 0;
  white-space: nowrap; }}
.lab-title {{ display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.1rem;
  min-height: 2rem; padding-left: 2.4rem; }}
.lab-title p {{ font-size: .875rem; margin: 0; white-space: nowrap; }}
.lab-title .swatch {{ display: inline-block; width: .7em; height: .7em; margin: 0 .3em 0 .7em; }}
.swatch.p {{ background: {palette.TARGET}; }}
.swatch.q {{ background: {palette.DRAFT}; border-radius: 50%; }}
.st-key-lab-top {{ align-items: center; justify-content: space-between; padding-right: 2.4rem; }}
.st-key-lab-top button {{ min-height: 1.8rem; padding: 0 .6rem; }}
.st-key-lab-top [data-testid="stButtonGroup"] > div {{ gap: .2rem; }}
.st-key-handles {{ align-items: flex-end; gap: .2rem .9rem; }}
.st-key-handles label p {{ font-size: .85rem; }}
.st-key-handles [data-testid="stWidgetLabel"] {{ min-height: 1.3rem; margin-bottom: 0; }}
.st-key-handles textarea {{ padding: .4rem .6rem; line-height: 1.35; }}
.st-key-handles .stRadio [role="radiogroup"] {{ gap: 0; }}
.st-key-handles > :first-child {{ flex: 1 1 15rem; min-width: 15rem; }}
.st-key-run-stop {{ gap: .25rem; }}
.st-key-run-stop button {{ min-height: 1.95rem; padding: 0 .5rem; }}
.st-key-status, .st-key-status-running {{ min-height: 1.9rem; align-items: center; gap: .8rem; }}
.st-key-status p {{ font-size: .875rem; }}
.st-key-status-running {{ max-height: 2.6rem; }}
@media (max-width: 900px) {{
  .stMainBlockContainer {{ padding: 3.4rem 1rem 5rem; }}
  .lab-title {{ padding-left: 0; }} .st-key-lab-top {{ padding-right: 0; }}
  .st-key-lab-top [data-testid="stButtonGroup"] * {{ flex-wrap: wrap; overflow: visible; }}
}}
</style>
"""

_PRESENT_STYLE = """
<style>
.stMainBlockContainer { padding: .5rem 1.2rem 0; max-width: none; }
[data-testid="stHeader"], [data-testid="stSidebar"] { display: none; }
</style>
"""

_TITLE = """
<div class="lab-title"><h1 class="page-title">Speculative decoding, step by step</h1>
<p><span class="swatch p"></span><b>p</b> target: the large model
<span class="swatch q"></span><b>q</b> draft: the small one</p></div>
"""


def style(present: bool) -> None:
    """How the page is set; in present mode the run has the whole screen."""
    st.html(_STYLE + (_PRESENT_STYLE if present else ""))


def title() -> None:
    """The page's name, and which color is whose."""
    st.html(_TITLE)


def line(key: str) -> DeltaGenerator:
    """A container whose parts stand beside each other."""
    return st.container(key=key, horizontal=True, vertical_alignment="center", gap="small")
