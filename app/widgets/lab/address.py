"""The page's address holds the whole run: settings, prompt and a digest of the tokens.

So a reload, a bookmark and a copied link all open the same thing. Cycle, stage and position are
written beside them by the stepper, in the browser. An address that would be longer than servers
take leaves the prompt out, and the page offers the trace file instead.
"""

from urllib.parse import urlencode

import streamlit as st
from pydantic import ValidationError

from speculation.settings import Settings, complaints
from speculation.trace import Trace, digest
from widgets.state import Key, fill_controls

LONGEST = 4096
DIGEST = "digest"


def open_link() -> Settings | None:
    """Settings from the address, when it has changed from outside; None when it has not.

    What is wrong in it is kept for the controls to show, and the rest is used.
    """
    query = {
        name: value for name, value in st.query_params.items() if name in Settings.model_fields
    }
    if not query or query == st.session_state.get(Key.SYNCED):
        return None
    try:
        settings = Settings.from_link(query)
        st.session_state[Key.LINK_COMPLAINTS] = {}
    except ValidationError as error:
        bad = complaints(error)
        st.session_state[Key.LINK_COMPLAINTS] = bad
        settings = Settings.from_link({k: v for k, v in query.items() if k not in bad})
    wanted = st.query_params.get(DIGEST)
    st.session_state[Key.WANTED_DIGEST] = (settings, wanted) if wanted else None
    if wanted and "prompt" not in query:
        st.session_state[Key.WANTED_DIGEST] = None
        st.session_state[Key.LINK_COMPLAINTS]["prompt"] = "was too long for an address"
    st.session_state[Key.SYNCED] = query
    fill_controls(settings)
    return settings


def write(trace: Trace) -> None:
    """Let the address say what is on the page."""
    link = fitting_link(trace)
    settings_part = {name: value for name, value in link.items() if name != DIGEST}
    if settings_part == st.session_state.get(Key.SYNCED) and st.query_params.get(
        DIGEST
    ) == link.get(DIGEST):
        return
    st.session_state[Key.SYNCED] = settings_part
    if "prompt" not in link and "prompt" in st.query_params:
        del st.query_params["prompt"]
    st.query_params.update(link)


def fitting_link(trace: Trace) -> dict[str, str]:
    """The link's query for a trace; without the prompt where it would not fit an address."""
    link = trace.settings.to_link() | {DIGEST: digest(trace.tokens)}
    if len(urlencode(link)) > LONGEST:
        del link["prompt"]
    return link
