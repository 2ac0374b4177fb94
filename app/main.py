"""Navigation, and the frame that every screen shares.

The addresses: / is Home, /lab the Lab, /<slug> a lesson or a page. Links to a run were once made
at /; Home hands those on to the Lab.
"""

from functools import partial
from pathlib import Path

import streamlit as st

from content.blocks import Lesson, Page
from content.errors import ContentError
from content.library import Library, library
from jobs.warming import warm_up
from screens.home import home_screen
from widgets import places, state
from widgets.around.frame import frame
from widgets.around.sidebar import sidebar

SCREENS = Path(__file__).parent / "screens"
NAME = "Speculative decoding, step by step"
SIDEBAR_WIDTH = 280


def read_library() -> Library:
    """All lessons and pages; if a file is wrong, what is wrong with it, and the rest of the app."""
    try:
        return library()
    except ContentError as error:
        st.error(f"The lessons cannot be shown. {error}", icon=":material/error:")
        return Library((), ())


# Figures need statistics that take a second to import, which no other page waits for.
def lesson_screen(lesson: Lesson) -> None:
    """A lesson."""
    from screens.lesson import lesson_screen as draw

    draw(lesson)


def page_screen(page: Page) -> None:
    """A page that is no lesson."""
    from screens.page import page_screen as draw

    draw(page)


found = read_library()
documents = {
    lesson.slug: st.Page(
        partial(lesson_screen, lesson),
        title=f"{lesson.front.title} | {NAME}",
        url_path=lesson.slug,
    )
    for lesson in found.lessons
} | {
    page.slug: st.Page(
        partial(page_screen, page), title=f"{page.front.title} | {NAME}", url_path=page.slug
    )
    for page in found.pages
}
lab = st.Page(SCREENS / "lab.py", title=f"Lab | {NAME}", url_path=places.LAB)
test_it = st.Page(SCREENS / "test_it.py", title=f"Test it yourself | {NAME}", url_path=places.TEST)
audit = st.Page(SCREENS / "audit.py", title=f"Audit an engine | {NAME}", url_path=places.AUDIT)
rounding = st.Page(
    SCREENS / "rounding.py", title=f"Rounding or bug? | {NAME}", url_path=places.ROUNDING
)
pays = st.Page(SCREENS / "when_it_pays.py", title=f"When it pays | {NAME}", url_path=places.PAYS)
teach = st.Page(SCREENS / "classes.py", title=f"Class | {NAME}", url_path=places.CLASSES)
home = st.Page(partial(home_screen, found), title=NAME, url_path="home", default=True)
named = {
    places.HOME: home,
    places.LAB: lab,
    places.TEST: test_it,
    places.AUDIT: audit,
    places.ROUNDING: rounding,
    places.PAYS: pays,
    places.CLASSES: teach,
}
places.know({**named, **documents})

chosen = st.navigation([*named.values(), *documents.values()], position="hidden")
in_lab = chosen.url_path == places.LAB
# The Lab needs the width for its stepper; there the sidebar opens on request.
st.set_page_config(layout="wide", initial_sidebar_state="collapsed" if in_lab else SIDEBAR_WIDTH)
if not in_lab or not st.session_state.get("was_in_lab"):
    state.keep_controls()  # Streamlit forgets the Lab's controls while another screen is drawn
st.session_state["was_in_lab"] = in_lab
frame()
sidebar(found)
chosen.run()
warm_up().page_drawn()
