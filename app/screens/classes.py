"""Class: start one, keep an eye on those that run, and make a plan."""

import streamlit as st

from widgets.classes.build_plan import build_plan
from widgets.classes.choose_plan import choose_and_start
from widgets.classes.running_classes import running_classes, take_up
from widgets.reading_style import body_style

_RULES = """
.st-key-class-body h2 { padding: 1.6rem 0 .2rem; }
.st-key-class-body h3 { font-size: 1.15rem; padding: 0; }
"""


def page() -> None:
    body_style("class-body", 1040, _RULES)
    wanted = st.session_state.pop("class-plan-wanted", None)
    if wanted is not None:
        st.session_state["class-plan"] = wanted
    with st.container(key="class-body"):
        st.title("Class", anchor=False)
        st.markdown(
            "You step through a run on the projector. Students follow on their phones, and say "
            "what comes before they see it. No accounts: a code of six letters lets them in. "
            "What you have not revealed is not sent to them."
        )
        # Each part in a place of its own: what one of them adds moves no fragment of another.
        with st.container():
            running_classes()
        st.header("Start a class", anchor="start")
        with st.container():
            choose_and_start()
        take_up()
        st.header("Make a plan", anchor="plan")
        with st.container(key="class-build"):
            build_plan()


page()
