"""One position, exactly: the two doors of the rule, and the same law from the code that runs."""

from functools import lru_cache

import streamlit as st

from charts.testing.doors import exact_figure, exact_sentence
from speculation.exactness.exact_position import (
    Midpoints,
    PositionLaw,
    at_midpoints,
    by_intervals,
    on_paper,
)
from widgets.figure_parts import chart
from widgets.markdown_text import plain
from widgets.testing.cases import Case, pick

MOST_CALLS = {True: 300, False: 60}
"""Drafts tried one by one: all of a small position, the likeliest of a whole vocabulary."""


@lru_cache(maxsize=16)
def three_ways(case: Case) -> tuple[PositionLaw, PositionLaw, Midpoints]:
    """On paper, from the parts of `verify`, and from calls of it."""
    p, q = case.p, case.q
    return on_paper(p, q), by_intervals(p, q), at_midpoints(p, q, MOST_CALLS[case.size < 1_000])


def exactly_figure(case: Case) -> None:
    """The two doors at this position."""
    paper, _, _ = three_ways(case)
    picked = pick(case)
    doors = [picked.fold(x) for x in (paper.accepted, paper.replaced, paper.target)]
    chart(exact_figure(picked.names, *doors), exact_sentence(*doors), "exactly")


def exactly_numbers(case: Case) -> None:
    """How far each of the three ways ends from p."""
    paper, parts, calls = three_ways(case)
    st.markdown(f"**Three ways to the same distribution**, over all {case.size:,} tokens")
    st.table(
        {
            "how it was found": [
                "on paper: min(p, q) + (1 − overlap) · r",
                "from the parts of verify: the lengths of its intervals",
            ],
            "largest difference from p": [
                difference(paper.largest_difference),
                difference(parts.largest_difference),
            ],
        }
    )
    wrong = (
        "never disagreed" if calls.disagreements == 0 else f"disagreed {calls.disagreements} times"
    )
    st.markdown(
        plain(
            "What is left is rounding. And verify itself, the function that the Lab runs, was "
            f"called {calls.calls:,} times in the middle of those intervals. It {wrong}; the "
            "cases tried make up "
            f"{100 * calls.covered:.1f}% of all probability."
        )
    )


def difference(value: float) -> str:
    """A difference that should be 0, and is so up to rounding.

    >>> difference(0.0), difference(5.6e-17)
    ('0', '0.00000000000000006')
    """
    if value == 0.0:
        return "0"
    return f"{value:.17f}".rstrip("0") if value < 1e-6 else f"{value:.6f}"
