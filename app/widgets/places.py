"""Where the other screens are: links to them by name, without knowing how they are served."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

HOME, LAB, TEST = "home", "lab", "test-it-yourself"
PAYS = "when-it-pays"
AUDIT, ROUNDING = "audit", "rounding-or-bug"
CLASSES = "teach"  # /class is where students join, outside Streamlit
_KEY = "places"


def know(places: Mapping[str, Any]) -> None:
    """The pages of this app by name; navigation calls it before a screen is drawn."""
    st.session_state[_KEY] = dict(places)


def place(name: str) -> Any:
    """The page with this name, or None where a screen is drawn on its own, as in a test."""
    return st.session_state.get(_KEY, {}).get(name)


def address(name: str) -> str:
    """The address of a page, for a link in a text."""
    return "/" if name == HOME else f"/{name}"


def link(name: str, label: str, icon: str | None = None, help: str | None = None) -> None:
    """A link that opens a page in this tab."""
    page = place(name)
    if page is None:
        st.markdown(f"[{label}]({address(name)})")
    else:
        st.page_link(page, label=label, icon=icon, help=help)
