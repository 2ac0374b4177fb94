"""What this browser's session knows of classes: those it runs, and the plan it makes.

A teacher token is nowhere else on the server: the database has its hash only. When the session
ends, the private link is what is left.
"""

from dataclasses import dataclass

import streamlit as st

from widgets.classes.plan_draft import MOST_UNDO, Draft

_RUNNING, _DRAFT, _UNDO, _TURN = "class-running", "class-draft", "class-undo", "class-turn"


@dataclass(frozen=True)
class Running:
    """A class that was started, or taken up, in this session."""

    code: str
    token: str
    title: str


def running() -> list[Running]:
    """The classes of this session, the latest first."""
    return list(st.session_state.get(_RUNNING, []))


def add_running(one: Running) -> None:
    """Keep one more."""
    others = [other for other in running() if other.code != one.code]
    st.session_state[_RUNNING] = [one, *others]


def drop_running(code: str) -> None:
    """Forget one."""
    st.session_state[_RUNNING] = [one for one in running() if one.code != code]


def draft() -> Draft:
    """The plan that is being made."""
    found = st.session_state.get(_DRAFT)
    return found if isinstance(found, Draft) else Draft()


def edit(new: Draft, typed: bool = False) -> None:
    """Put a draft in the place of the present one, which undo brings back.

    typed  the change was typed into a field, which shows it already
    """
    now = draft()
    if new == now:
        return
    st.session_state[_UNDO] = [*st.session_state.get(_UNDO, []), now][-MOST_UNDO:]
    st.session_state[_DRAFT] = new
    if not typed:
        _redraw()


def can_undo() -> bool:
    """Whether there is something to take back."""
    return bool(st.session_state.get(_UNDO))


def undo() -> None:
    """Take the last edit back."""
    before = st.session_state.get(_UNDO, [])
    if before:
        st.session_state[_DRAFT] = before[-1]
        st.session_state[_UNDO] = before[:-1]
        _redraw()


def turn() -> int:
    """Part of the keys of the fields: a new number makes them show the draft again."""
    return int(st.session_state.get(_TURN, 0))


def _redraw() -> None:
    st.session_state[_TURN] = turn() + 1
