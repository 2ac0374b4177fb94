"""Work given to the models by these pages: asked for, watched, stopped."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from engines.base import EngineUnavailable
from jobs.job import State, View, Work
from jobs.worker import worker
from speculation.settings import Settings
from widgets import state
from widgets.markdown_text import plain
from widgets.notices import noting
from widgets.watch import waiting_words
from widgets.watch import watch as watch_work


def look(page: str) -> View | None:
    """What has become of the page's work."""
    return worker().look(state.visitor(page), "work")


def busy(page: str) -> bool:
    """Whether it is going on, or waits."""
    view = look(page)
    return view is not None and not view.final


def ask(page: str, settings: Settings, work: Work) -> None:
    """Ask for work; a full queue is said by `notice`."""
    with noting(_key(page)):
        worker().submit(state.visitor(page), settings, "work", fresh=True, work=work)


def notice(page: str) -> None:
    """What stood in the way, if something did."""
    view = look(page)
    said = st.session_state.get(_key(page)) or (view.error if view is not None else None)
    if said:
        sentence = str(said).removeprefix(f"The run failed: {EngineUnavailable.__name__}: ")
        st.error(plain(sentence), icon=":material/error:")


def watch(page: str, words: Callable[[object], tuple[float, str]], stop: str = "Stop") -> None:
    """A bar that moves by itself, a button to stop; the page is drawn again at the end.

    words  the state that the work published last -> share done, and what it is doing
    """
    watch_work(lambda: look(page), partial(_progress, words))
    if st.button(stop, key=f"stop-{page}", icon=":material/stop:"):
        worker().stop(state.visitor(page), "work")
        st.rerun()


def _progress(words: Callable[[object], tuple[float, str]], view: View) -> None:
    share, doing = 0.0, waiting_words(view) or "Starting"
    if view.published is not None and view.state is State.RUNNING:
        share, doing = words(view.published)
    st.progress(min(1.0, share), plain(doing))


def _key(page: str) -> str:
    return f"{page}-notice"
