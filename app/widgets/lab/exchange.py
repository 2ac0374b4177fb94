"""Taking a run along: a link, the trace as a file, and a trace from a file."""

import streamlit as st

from jobs.worker import worker
from recordings.trace_files import BadTrace, parse
from speculation.trace import Trace
from widgets import state
from widgets.lab import address
from widgets.lab.copy_button import copy_link_button
from widgets.markdown_text import plain
from widgets.state import Key


def exchange(trace: Trace) -> None:
    """Copy link, download, upload, in one row."""
    link, download, upload = st.columns(3, gap="large")
    with link:
        st.header("Link", anchor=False)
        query = address.fitting_link(trace)
        copy_link_button(query, key="copy")
        if "prompt" in query:
            st.caption(
                "Holds the prompt, every setting, the place you stand on, and a digest of "
                "the tokens."
            )
        else:
            st.caption(
                "The prompt is too long for an address, so the link leaves it out. Send "
                "the trace file instead."
            )
    with download:
        st.header("Download", anchor=False)
        st.download_button(
            "Download the trace",
            lambda: trace.model_dump_json(indent=1),
            file_name="trace.json",
            mime="application/json",
            on_click="ignore",
        )
        st.caption("Every number of this run as JSON: opens here again, without any model.")
    with upload:
        st.header("Open a trace", anchor=False)
        st.file_uploader(
            "A trace.json or trace.json.gz",
            type=["json", "gz"],
            key=Key.UPLOAD,
            on_change=_uploaded,
        )
        problem = st.session_state.get("upload_problem")
        if problem:
            st.error(plain(problem))


def _uploaded() -> None:
    file = st.session_state.get(Key.UPLOAD)
    st.session_state["upload_problem"] = None
    if file is None:
        return
    try:
        trace = parse(file.getvalue())
    except BadTrace as bad:
        st.session_state["upload_problem"] = str(bad)
        return
    worker().leave(state.visitor())
    st.session_state[Key.NOTICE] = None
    state.show(trace, "uploaded")
    state.fill_controls(trace.settings)
