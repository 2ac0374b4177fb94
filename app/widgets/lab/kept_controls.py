"""The controls come back as they were after a reload, a lost connection or another server."""

import streamlit as st
from pydantic import ValidationError

from components.remembered import remember, remembered
from speculation.settings import Settings
from widgets import state
from widgets.state import Key, from_controls


def kept_controls() -> None:
    """Let the tab keep what the controls say; drawn after them."""
    remember(state.visitor(), from_controls(), Key.REMEMBERED, _back)


def _back() -> None:
    """The tab knows better than this session: fill in what is good, and the prompt as it is."""
    for name, value in remembered(Key.REMEMBERED, state.visitor()).items():
        if name == "prompt" and isinstance(value, str):
            st.session_state[name] = value  # too long a one too: it was typed, and is complained of
        elif name in Settings.model_fields and _is_good(name, value):
            st.session_state[name] = value


def _is_good(name: str, value: object) -> bool:
    try:
        Settings.model_validate({name: value})
    except ValidationError:
        return False
    return True
