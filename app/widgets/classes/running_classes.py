"""The classes that this session runs: links, numbers, results as files, the end."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import streamlit as st

from classroom.errors import Refused
from classroom.service import classes
from widgets.classes import state
from widgets.classes.class_card import class_card
from widgets.classes.state import Running
from widgets.markdown_text import plain

SOON = timedelta(hours=1)

_LINK = re.compile(
    r"/class/(?P<code>[a-z]{6})/present#t=(?P<token>[\w.~-]{16,200})$", re.IGNORECASE
)


def running_classes() -> None:
    """One card a class."""
    for one in state.running():
        with st.container(border=True, key=f"class-card-{one.code}"):
            _class(one)


def take_up() -> None:
    """A class whose page was closed comes back by its private link."""
    with st.expander("A class that runs already"):
        typed = st.text_input("Its private link", key="class-link", type="password")
        if typed:
            found = _LINK.search(typed.strip())
            if found is None:
                st.error("A private link ends in /class/CODE/present#t= and a long key.")
                return
            _take_up(found["code"].lower(), found["token"])


def _take_up(code: str, token: str) -> None:
    if any(one.code == code for one in state.running()):
        st.markdown("This class is on the page.")
        return
    try:
        title = str(classes().look(code, token)["plan"]["title"])
    except Refused as refused:
        st.error(plain(refused.message))
        return
    state.add_running(Running(code, token, title))
    st.rerun()


def _class(one: Running) -> None:
    st.subheader(plain(one.title), anchor=False)
    try:
        view = classes().look(one.code, one.token)
    except Refused as refused:
        st.error(plain(refused.message))
        if st.button("Take it off the page", key=f"class-drop-{one.code}"):
            state.drop_running(one.code)
            st.rerun()
        return
    if view["ended"]:
        st.markdown("This class has ended. Its results are kept until you delete it, or for a day.")
        st.button("Go on with it", key=f"class-again-{one.code}", on_click=_go_on, args=(one,))
    else:
        class_card(one.code, one.token, key=f"class-links-{one.code}")
        left = datetime.fromisoformat(view["ends_at"]) - classes().clock()
        if left < SOON:
            st.markdown(f"It ends by itself in {left.seconds // 60} minutes.")
            st.button(
                "Another 24 hours", key=f"class-longer-{one.code}", on_click=_go_on, args=(one,)
            )
    with st.container(horizontal=True):
        for kind, mime in (("csv", "text/csv"), ("json", "application/json")):
            st.download_button(
                f"Results, {kind.upper()}",
                partial(classes().export, one.code, one.token, kind),
                f"class-{one.code}.{kind}",
                mime,
                on_click="ignore",
                key=f"class-{kind}-{one.code}",
            )
        if not view["ended"]:
            _once(one, "End the class", "Students are told, and nothing more can be asked.", _end)
        _once(
            one,
            "Delete everything",
            "The class, its questions and all answers are removed for good. Students keep nothing "
            "of it but what is on their screens.",
            _delete,
        )


def _once(one: Running, label: str, says: str, do: Callable[[Running], None]) -> None:
    """A button that asks once."""
    with st.popover(label, key=f"class-{label}-{one.code}"):
        st.markdown(says)
        st.button(
            f"{label} now", key=f"class-{label}-now-{one.code}", on_click=do, args=(one,),
            type="primary",
        )  # fmt: skip


def _end(one: Running) -> None:
    _try(lambda: classes().end(one.code, one.token))


def _go_on(one: Running) -> None:
    _try(lambda: classes().extend(one.code, one.token))


def _delete(one: Running) -> None:
    if _try(lambda: classes().delete(one.code, one.token)):
        state.drop_running(one.code)


def _try(work: Callable[[], None]) -> bool:
    try:
        work()
    except Refused as refused:
        st.session_state["class-problem"] = refused.message
        return False
    return True
