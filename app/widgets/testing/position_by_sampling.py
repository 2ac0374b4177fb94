"""One position, by sampling: the exact rule, drawn as often as one likes."""

import streamlit as st

from widgets.testing.cases import Case
from widgets.testing.trial_view import band_chart, counts_chart, statistics_note, trial_here


def by_sampling(case: Case) -> None:
    """Counts against p, and how they close in on it."""
    figures, controls = st.columns([3, 2], gap="large")
    with controls:
        st.markdown(f"Position: **{case.title}**")
        trial = trial_here(case, "exact", "sampling")
        if trial is None:
            st.markdown(
                "Each run draws a draft, a number u and, after a rejection, a replacement. "
                "Try 10 first, then a million."
            )
        statistics_note()
    with figures:
        band_chart(case, trial, "sampling")
        if trial is not None:
            counts_chart(trial, "sampling", with_law=False)
