"""One run, cycle by cycle, stage by stage: the Lab's stepper."""

import streamlit as st

from components.stepper import stepper
from content.widget_options import CycleStepper
from widgets.lessons.shown_run import badge, run_of


def cycle_stepper(options: CycleStepper, key: str) -> None:
    """Draw it; the address is the Lab's, so nothing is written there."""
    shown = run_of(options.preset)
    if shown is None:
        st.info("There is no recorded run to show.")
        return
    badge(shown)
    stepper(shown.trace, key=f"stepper-{key}", address=False)
