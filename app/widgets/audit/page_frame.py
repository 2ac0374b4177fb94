"""What two pages, of audits and of rounding, have in common: a live part, then recordings."""

from collections.abc import Callable, Sequence

import streamlit as st

from jobs.worker import worker
from widgets.audit import jobs
from widgets.markdown_text import plain


def live_part(
    page: str,
    form: Callable[[], None],
    words: Callable[[object], tuple[float, str]],
    needs: str,
    stop: str = "Stop",
) -> None:
    """The form and its progress; without live models, one sentence instead.

    needs  what cannot be had then, such as "An audit of your own needs the models live"
    words  the state that the work published last -> share done, and what it is doing
    """
    why = worker().unavailable()
    if why is None:
        form()
    else:
        st.info(plain(f"{needs}: disabled here. {why}"), icon=":material/info:")
    jobs.notice(page)
    if why is None and jobs.busy(page):
        jobs.watch(page, words, stop)


def choose(label: str, titles: Sequence[str], key: str) -> int:
    """One of a few recordings, by its place."""
    chosen = st.segmented_control(
        label,
        range(len(titles)),
        default=0,
        format_func=lambda i: titles[i],
        key=key,
        required=True,
        label_visibility="collapsed",
    )
    return chosen or 0
