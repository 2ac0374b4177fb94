"""Sabotage: a scheme that breaks the rule, what it commits on paper, and the catch."""

import inspect
import re

import streamlit as st

from charts.testing.shares import committed_sentence, shares_figure
from speculation.schemes import SCHEMES, Scheme
from widgets.figure_parts import chart
from widgets.markdown_text import plain
from widgets.testing.cases import SMALL, Case, bias, most_visible, offered, pick
from widgets.testing.sentences import bias_size
from widgets.testing.trial import SIZES, predicted_runs
from widgets.testing.trial_view import band_chart, counts_chart, trial_here

BROKEN = [name for name, scheme in SCHEMES.items() if not scheme.exact]
EXACT = [name for name, scheme in SCHEMES.items() if scheme.exact]
START = "replacement-from-target"
_POSITIONS = {
    "R": "R is the position p = (.6, .3, .1), q = (.2, .3, .5).",
    "P8": "P8 is p = (.30, .20, .15, .10, .10, .05, .05, .05), and q is p reversed.",
    "TV": "TV is total variation: the distance from p, half the sum of the differences.",
    "H": "H is the entropy of p: how unsure the target is.",
}


def spoken(name: str) -> str:
    """A scheme's name as words.

    >>> spoken("replacement-from-target")
    'replacement from target'
    """
    return (
        "the rule itself"
        if name == "exact"
        else name.replace("-", " ").replace("one hot", "one-hot")
    )


def story(scheme: Scheme) -> str:
    """What a scheme does, in paragraphs: its docstring."""
    text = inspect.cleandoc(type(scheme).__doc__ or "").split("\n\n")
    return "\n\n".join(plain(re.sub(r"\s+", " ", part)) for part in text)


def about_scheme(scheme: Scheme) -> None:
    """In words: what it does, and where it was seen."""
    if scheme.name == "exact":
        st.markdown("The rule itself, as the Lab runs it. Nothing is broken.")
    else:
        told = story(scheme)
        st.markdown(told)
        named = [about for name, about in _POSITIONS.items() if re.search(rf"\b{name}\b", told)]
        if named:
            st.caption(plain(" ".join(named)))
    st.caption(plain(f"Seen in: {scheme.case}."))


def choose_scheme(start: str, key: str) -> Scheme:
    """A list of all schemes, and what the chosen one does."""
    names = [*BROKEN, *EXACT]
    name: str = st.selectbox("Scheme", names, names.index(start), format_func=_option, key=key)
    about_scheme(SCHEMES[name])
    return SCHEMES[name]


def _option(name: str) -> str:
    return f"{'exact' if SCHEMES[name].exact else 'broken'}: {spoken(name)}"


def sabotage(real: Case | None) -> None:
    """Choose a scheme, see its law, predict, run, catch."""
    figures, controls = st.columns([3, 2], gap="large")
    with controls:
        scheme = choose_scheme(START, "sabotage-scheme")
        name = scheme.name
        case = _position(scheme, real)
        _prediction(scheme, case)
        trial = trial_here(case, name, "sabotage")
    with figures:
        if trial is not None:
            counts_chart(trial, "sabotage", with_law=True)
        else:
            picked = pick(case)
            p, law = picked.fold(case.p), picked.fold(scheme.committed_law(case.spot))
            figure = shares_figure(picked.names, p, law)
            chart(figure, committed_sentence(picked.names, p, law), "sabotage-law")
        band_chart(case, trial, "sabotage", name)


def _position(scheme: Scheme, real: Case | None) -> Case:
    """The position to test at: to begin with the one where the mistake is largest."""
    cases = offered(real)
    names = list(cases)
    chosen: str = st.selectbox(
        "Position",
        names,
        names.index(most_visible(scheme)),
        format_func=lambda name: cases[name].title,
        key=f"sabotage-case-{scheme.name}-{len(names)}",
    )
    st.caption(plain(cases[chosen].about))
    return cases[chosen]


def _prediction(scheme: Scheme, case: Case) -> None:
    """What is known before a single draw."""
    needed = predicted_runs(case, scheme.name)
    distance = bias(scheme, case)
    if needed is not None:
        beyond = ", more than this page draws" if needed > SIZES[-1] else ""
        st.markdown(
            f"Known beforehand: **{bias_size(distance)}**. Predicted: **{needed:,} runs** catch it "
            f"in 9 tests of 10{beyond}."
        )
        return
    if scheme.exact:
        st.markdown("Known beforehand: it commits p. It should be flagged *not exact* hardly ever.")
        if not scheme.as_fast:
            st.markdown(
                f"It keeps {scheme.acceptance_rate(case.spot):.3f} of the drafts here; the rule "
                f"keeps {case.overlap:.3f}."
            )
    elif scheme.seen_by == "law" and bias(scheme, _best(scheme)) > 0:
        st.markdown(
            f"At this position it happens to commit p: nothing to catch. At "
            f"**{_best(scheme).title}** there is."
        )
    else:
        st.markdown(
            "This mistake does not show in one position: every token here follows p. It shows in "
            "longer texts; the table at the end of the page says which check sees it."
        )


def _best(scheme: Scheme) -> Case:
    return next(case for case in SMALL if case.name == most_visible(scheme))
