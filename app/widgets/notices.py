"""What stood in the way of work that was asked of the models: kept for the session, and said."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from jobs.worker import Full
from widgets.markdown_text import plain


@contextmanager
def noting(key: str) -> Iterator[None]:
    """Ask for work in this block: a full queue is kept under `key`, and what stood there goes."""
    st.session_state[key] = None
    try:
        yield
    except Full as full:
        st.session_state[key] = str(full)


def notice(key: str) -> None:
    """Say what is kept, if anything."""
    if st.session_state.get(key):
        st.warning(plain(str(st.session_state[key])))
