"""How often a page looks at work it follows, and that it is drawn again when the work turns."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from jobs.job import State, View
from speculation.settings import Settings
from widgets.watch import LATER_SECONDS, NEXT_SECONDS, pace, waiting_words

RUNNING = View("run", Settings(), State.RUNNING)


@pytest.mark.parametrize(
    ("view", "seconds"),
    [
        (None, None),
        (RUNNING, 0.3),
        (replace(RUNNING, state=State.LOADING), 0.3),
        (replace(RUNNING, state=State.WAITING, place=1), NEXT_SECONDS),
        (replace(RUNNING, state=State.WAITING, place=2), LATER_SECONDS),
        (replace(RUNNING, state=State.WAITING, place=29), LATER_SECONDS),
        (replace(RUNNING, state=State.DONE), None),
        (replace(RUNNING, state=State.STOPPED), None),
        (replace(RUNNING, state=State.FAILED), None),
    ],
)
def test_those_who_wait_look_seldom(view: View | None, seconds: float | None) -> None:
    assert pace(view, 0.3) == seconds
    if seconds is not None:
        assert seconds < 5, "a job nobody looks at for twenty seconds is dropped"


def test_a_slow_usual_pace_stays_slow() -> None:
    assert pace(replace(RUNNING, state=State.WAITING, place=1), 5.0) == 5.0


def test_what_is_waited_for_is_said() -> None:
    waits = replace(RUNNING, state=State.WAITING, place=3, wait_seconds=17.6)
    assert waiting_words(waits) == "Waiting: 3 before you, about 18 s"
    assert waiting_words(replace(waits, wait_seconds=None)) == "Waiting: 3 before you"
    assert waiting_words(replace(RUNNING, state=State.LOADING)) == "Loading the models ..."
    assert waiting_words(RUNNING) is None


def _page() -> None:
    """A page that follows work; what it finds at each look is set beforehand."""
    from dataclasses import replace

    import streamlit as st

    from jobs.job import State, View
    from speculation.settings import Settings
    from widgets.watch import watch

    states = {"w": State.WAITING, "r": State.RUNNING, "d": State.DONE}

    def look() -> View:
        looks = st.session_state["looks"] = st.session_state.get("looks", -1) + 1
        state = states["ww wrrr rddd".replace(" ", "")[looks]]
        return replace(View("run", Settings(), state), place=2 * (state is State.WAITING))

    st.session_state["pages"] = st.session_state.get("pages", 0) + 1
    watch(look, lambda now: st.text(f"{now.state}"), also_finished=True)


def test_the_page_is_drawn_again_when_the_work_turns() -> None:
    page = AppTest.from_function(_page).run()
    assert [text.value for text in page.text] == ["waiting"]
    assert page.session_state["pages"] == 1
    page.run()  # here the second look finds the work begun
    assert [text.value for text in page.text] == ["running"]
    assert page.session_state["pages"] == 3
    page.run()  # and here over
    assert [text.value for text in page.text] == ["done"]
    assert page.session_state["pages"] == 5
