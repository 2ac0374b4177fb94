"""Navigation, and the frame that every screen shares."""

from pathlib import Path

import streamlit as st
from widgets.frame import frame

SCREENS = Path(__file__).parent / "screens"

st.set_page_config(page_title="Speculative decoding, step by step", layout="wide")
page = st.navigation(
    [st.Page(SCREENS / "lab.py", title="Lab", default=True)],
    position="hidden",
)
frame()
page.run()
