"""The numbers of a run, with the three rates that are easily mixed up kept apart."""

import streamlit as st

from speculation.summary import Summary, summarize
from speculation.trace import Trace
from widgets.markdown_text import plain


def run_numbers(trace: Trace) -> None:
    """Tau first, then the rates, then where the time went."""
    numbers = summarize(trace)
    k = trace.settings.k
    figures = [
        (
            "tau",
            _number(numbers.tau),
            f"of {k + 1}",
            "Committed tokens per cycle, the replacement included. "
            "Plain decoding commits 1 per target pass; k + 1 is the ceiling.",
        ),
        (
            "alpha",
            _number(numbers.alpha),
            "mean overlap",
            "The mean over checked positions of the sum of min(p, q): how far the two "
            "distributions agree.",
        ),
        (
            "accepted / checked",
            _number(numbers.accepted_of_checked),
            f"{numbers.accepted} of {numbers.checked}",
            "What happened at the positions the rule looked at. Its expectation is alpha.",
        ),
        (
            "accepted / drafted",
            _number(numbers.accepted_of_drafted),
            f"{numbers.accepted} of {numbers.drafted}",
            f"What engines print. {numbers.unchecked} drafts were unchecked: thrown away unread "
            "after a rejection.",
        ),
    ]
    columns = st.columns(4)
    for column, (name, value, beside, help_line) in zip(columns, figures, strict=True):
        column.metric(name, value, beside, delta_color="off", delta_arrow="off", help=help_line)
    st.caption(plain(_time(trace, numbers)))


def _time(trace: Trace, numbers: Summary) -> str:
    """Where the time went, and on what machine."""
    counts = f"{numbers.cycles} cycles, {numbers.tokens} tokens."
    if numbers.tokens_per_second is None:
        return (
            f"{counts} Nothing was timed: every pass was looked up from an earlier run with the "
            "same tokens."
        )
    rest = max(0.0, numbers.total_ms - numbers.draft_ms - numbers.target_ms)
    part = (
        ""
        if numbers.timed_cycles == numbers.cycles
        else f" Timed over the {numbers.timed_cycles} cycles that were not looked up."
    )
    return (
        f"{counts} Draft {numbers.draft_ms:,.0f} ms, target {numbers.target_ms:,.0f} ms, sampling "
        f"and recording {rest:,.0f} ms: {numbers.tokens_per_second:.1f} tokens/s in "
        f"{trace.settings.precision} on {trace.timings.machine}.{part}"
    )


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
