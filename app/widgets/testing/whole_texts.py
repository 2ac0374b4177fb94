"""Whole cycles and long runs: what one position cannot show."""

import secrets

import streamlit as st

from charts.testing.texts import (
    accepted_figure,
    accepted_sentence,
    heights_figure,
    heights_sentence,
)
from speculation.exactness.finding import LEVEL
from speculation.schemes import SCHEMES
from widgets.figure_parts import chart
from widgets.markdown_text import plain
from widgets.testing.drawn_texts import Written, write_texts
from widgets.testing.sabotage import choose_scheme
from widgets.testing.sentences import number
from widgets.testing.trial_view import MOST_SEED

SIZES = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)
START = "later-drafts-kept"
_SLOT = "written"
CHECKS = {
    "token": "first token",
    "text": "first four tokens",
    "cycle": "cycle: drafts kept and tokens",
    "PIT": "heights flat, no token forbidden",
    "serial": "heights independent",
    "surprise": "surprise",
    "overlap": "drafts kept against overlap",
}


def whole_texts() -> None:
    """Choose a scheme, write texts, look at all checks together."""
    figures, controls = st.columns([3, 2], gap="large")
    with controls:
        name = choose_scheme(START, "whole-scheme").name
        texts: int = st.select_slider(
            "Texts", SIZES, 1_000, format_func=lambda n: f"{n:,}", key="whole-texts"
        )
        if st.button("Write them", key="whole-draw", type="primary"):
            st.session_state[_SLOT] = write_texts(name, texts, secrets.randbelow(MOST_SEED))
        written = st.session_state.get(_SLOT)
        if not isinstance(written, Written) or written.scheme != name:
            written = None
        if written is not None:
            st.caption(f"{written.texts:,} texts with seed {written.seed:,}.")
            st.markdown(verdict(written))
    with figures:
        if written is None:
            st.info("Press “Write them”: seven checks then look at the same texts.")
            return
        sentence = heights_sentence(written.heights, written.forbidden)
        chart(heights_figure(written.heights), sentence, "whole-heights")
        sentence = accepted_sentence(written.expected, written.accepted)
        chart(accepted_figure(written.expected, written.accepted), sentence, "whole-accepted")
        st.table(
            {
                "check": list(CHECKS.values()),
                "p-value": [number(written.findings[x].p_value) for x in CHECKS],
                "for seven checks": [number(written.adjusted[x]) for x in CHECKS],
                "found": [_found(written, x) for x in CHECKS],
            }
        )


def _found(written: Written, check: str) -> str:
    return "deviation" if written.adjusted[check] < LEVEL else "nothing"


def verdict(written: Written) -> str:
    """Which checks speak, and what the quality meter says."""
    flagged = [CHECKS[check] for check in written.flagged]
    law = (
        f"**Not exact.** Seen by: {', '.join(flagged)}."
        if flagged
        else "**No deviation found** by the six checks of exactness."
    )
    scheme = SCHEMES[written.scheme]
    speed = ""
    if written.slow:
        speed = " **Slower than it should be.**"
    elif scheme.exact and not scheme.as_fast:
        speed = (
            " It is slow all the same: so many first cycles do not show it, but the table at the "
            "end of the page names a check that does."
        )
    return f"{law}{speed}\n\n{plain(meter(written))}"


def meter(written: Written) -> str:
    """The quality meter: are the texts as likely, to the target, as its own?"""
    found = written.meter
    if found is None:
        return (
            f"Quality meter: {written.forbidden:,} tokens came that p forbids. Their "
            "log-probability is minus infinity, so these texts lie outside any interval."
        )
    where = "inside" if found.inside else "outside"
    return (
        f"Quality meter: the target gives these tokens a mean log-probability of "
        f"{found.measured:.3f}, {where} the interval from {found.low:.3f} to {found.high:.3f} in "
        "which 95 of 100 sets of its own texts lie."
    )
