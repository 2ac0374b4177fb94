"""The blind round: an unknown scheme, a number of runs of one's choice, and a verdict."""

import secrets
from functools import lru_cache
from typing import Literal

import numpy as np
import streamlit as st

from speculation.exactness.finding import LEVEL, POWER
from speculation.exactness.power import chi_square_power
from speculation.schemes import SCHEMES, Scheme
from widgets.markdown_text import plain
from widgets.testing.cases import SMALL, Case, bias
from widgets.testing.sabotage import about_scheme, spoken
from widgets.testing.sentences import bias_size
from widgets.testing.trial import CHECKS, predicted_runs
from widgets.testing.trial_view import band_chart, counts_chart, trial_here

Kind = Literal["fast", "slow", "toward", "away", "forbidden"]

KINDS: dict[Kind, str] = {
    "fast": "Exact, and drafts are kept as often as they should be",
    "slow": "Exact, but drafts are kept too rarely",
    "toward": "Not exact: it leans toward the draft",
    "away": "Not exact: it leans away from the draft",
    "forbidden": "Not exact: it commits a token that the target forbids",
}

CATCHABLE = 20_000
SLOWER = 0.08
LEAN = 0.3
SCORE = "blind-score"


def kind_of(scheme: Scheme, case: Case) -> Kind | None:
    """What can be observed of a scheme at a position; None where it is not clear-cut."""
    p, q = case.p, case.q
    off = scheme.committed_law(case.spot) - p
    if np.abs(off).max() < 1e-12:
        if scheme.seen_by not in ("law", "none"):
            return None
        short = case.overlap - scheme.acceptance_rate(case.spot)
        if not scheme.exact:
            return None
        return "slow" if short > SLOWER else "fast" if short < 1e-9 and scheme.as_fast else None
    if chi_square_power(p + off, p, CATCHABLE, LEVEL / CHECKS) < POWER:
        return None
    if off[p <= 0.0].sum() > 0.01:
        return "forbidden"
    lean = float(off @ (q - p) / (np.linalg.norm(off) * np.linalg.norm(q - p)))
    return "toward" if lean > LEAN else "away" if lean < -LEAN else None


@lru_cache(maxsize=1)
def rounds() -> dict[Kind, list[tuple[str, Case]]]:
    """Every scheme and position with a clear answer, by answer."""
    found: dict[Kind, list[tuple[str, Case]]] = {kind: [] for kind in KINDS}
    for case in SMALL:
        for name, scheme in SCHEMES.items():
            kind = kind_of(scheme, case)
            if kind is not None:
                found[kind].append((name, case))
    return found


def blind_round() -> None:
    """Ask, draw, answer, reveal."""
    kind, name, case = _current()
    answered: Kind | None = st.session_state.get("blind-answer")
    figures, controls = st.columns([3, 2], gap="large")
    with controls:
        st.markdown(f"Position: **{case.title}**  \n{plain(case.about)}")
        trial = trial_here(case, name, "blind", 1_000, with_verdict=answered is not None)
        guess = st.radio(
            "What is it?", list(KINDS), index=None, format_func=KINDS.__getitem__, key="blind-guess"
        )
        with st.container(horizontal=True):
            ready = guess is not None and trial is not None and answered is None
            st.button(
                "Answer", key="blind-send", disabled=not ready, on_click=_answer, args=(kind, guess)
            )
            st.button("Next round", key="blind-next", on_click=_next, type="tertiary")
        if trial is None:
            st.caption("Run at least one trial before you answer.")
        right, played = st.session_state.get(SCORE, (0, 0))
        if played:
            st.markdown(f"{right} of {played} right so far.")
    with figures:
        if answered is not None:
            _reveal(kind, answered, name, case)
        band_chart(case, trial, "blind", None if answered is None else name)
        if trial is not None:
            counts_chart(trial, "blind", with_law=answered is not None, with_draft=True)


def _reveal(kind: Kind, answered: Kind, name: str, case: Case) -> None:
    scheme = SCHEMES[name]
    distance, needed = bias(scheme, case), predicted_runs(case, name)
    if kind == "fast":
        why = "What it commits is p, to the last digit, and no fewer drafts are kept than overlap."
    elif kind == "slow":
        why = (
            f"What it commits is p, but only {scheme.acceptance_rate(case.spot):.3f} of its drafts "
            f"are kept, where p and q overlap by {case.overlap:.3f}."
        )
    else:
        why = f"On paper: {bias_size(distance)}; {needed:,} runs see that in 9 tests of 10."
    says = st.success if answered == kind else st.info
    first = "Right" if answered == kind else "Not this time"
    says(f"**{first}. {KINDS[kind]}.** It was: {spoken(name)}. {why}")
    about_scheme(scheme)


def _current() -> tuple[Kind, str, Case]:
    """The round that is being played."""
    if "blind-round" not in st.session_state:
        kind = secrets.choice([kind for kind, found in rounds().items() if found])
        st.session_state["blind-round"] = (kind, *secrets.choice(rounds()[kind]))
    current: tuple[Kind, str, Case] = st.session_state["blind-round"]
    return current


def _answer(kind: Kind, guess: Kind) -> None:
    st.session_state["blind-answer"] = guess
    right, played = st.session_state.get(SCORE, (0, 0))
    st.session_state[SCORE] = right + (guess == kind), played + 1


def _next() -> None:
    for key in ("blind-round", "blind-answer", "trial-blind"):
        st.session_state.pop(key, None)
    st.session_state["blind-guess"] = None
