"""The one place of the store that knows Streamlit: whose page is being drawn."""

import streamlit as st

from store.codes import is_learner_id, new_learner_id
from store.identity import COOKIE

_FALLBACK = "learner_without_cookie"


def learner_id() -> str:
    """The id in the visitor's cookie; without one (a test, cookies refused) one per session."""
    value = st.context.cookies.get(COOKIE, "")
    if isinstance(value, str) and is_learner_id(value):  # a test's context is a stand-in
        return value
    if _FALLBACK not in st.session_state:
        st.session_state[_FALLBACK] = new_learner_id()
    return str(st.session_state[_FALLBACK])
