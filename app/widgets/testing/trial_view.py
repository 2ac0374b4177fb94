"""Drawing a position many times: the controls, and what they show, for every part that draws."""

import secrets

import streamlit as st

from charts.testing.band import band_figure
from charts.testing.shares import counted_sentence, shares_figure
from speculation.exactness.finding import LEVEL
from speculation.schemes import SCHEMES
from widgets.figure_parts import chart
from widgets.markdown_text import plain
from widgets.testing.cases import Case, bias, pick
from widgets.testing.sentences import (
    band_sentence,
    number,
    p_value_words,
    sees_sentence,
    verdict,
)
from widgets.testing.trial import SIZES, Trial, bands, run_trial

MOST_SEED = 10**6


def _runs_slider(key: str, start: int) -> int:
    """How many runs, on a scale of 1, 2, 5, 10."""
    runs: int = st.select_slider(
        "Runs", SIZES, start, format_func=lambda n: f"{n:,}", key=f"runs-{key}"
    )
    return runs


def _run_button(case: Case, scheme: str, runs: int, key: str) -> Trial | None:
    """Draw with fresh random numbers when pressed -> the last trial of this scheme here."""
    slot = f"trial-{key}"
    if st.button("Run", key=f"draw-{key}", type="primary"):
        st.session_state[slot] = run_trial(case, scheme, runs, secrets.randbelow(MOST_SEED))
    found = st.session_state.get(slot)
    if isinstance(found, Trial) and (found.case, found.scheme) == (case, scheme):
        return found
    return None


def trial_here(
    case: Case, scheme: str, key: str, start: int = 10_000, with_verdict: bool = True
) -> Trial | None:
    """The controls; under them the last trial of this scheme here, which is also returned."""
    trial = _run_button(case, scheme, _runs_slider(key, start), key)
    if trial is not None:
        st.caption(
            f"{trial.runs:,} runs with seed {trial.seed:,}. Every press of Run takes a new seed."
        )
        _checks_table(trial, with_verdict)
    return trial


def counts_chart(trial: Trial, key: str, with_law: bool, with_draft: bool = False) -> None:
    """Counted shares on p, on q, and on the law of the scheme if that may be shown."""
    picked = pick(trial.case)
    p, counted = picked.fold(trial.case.p), picked.fold(trial.shares)
    committed = None
    if with_law:
        committed = picked.fold(SCHEMES[trial.scheme].committed_law(trial.case.spot))
    q = picked.fold(trial.case.q) if with_draft else None
    figure = shares_figure(picked.names, p, committed, counted, q)
    chart(figure, counted_sentence(picked.names, p, counted), f"counts-{key}")


def band_chart(case: Case, trial: Trial | None, key: str, scheme: str | None = None) -> None:
    """The distance from p on the way, against what chance allows."""
    known = None if scheme is None else bias(SCHEMES[scheme], case)
    if trial is None:
        figure = band_figure(bands(case), bias=known)
        chart(figure, "Where trials of an exact rule lie. Press Run to add one.", f"band-{key}")
        return
    figure = band_figure(bands(case), trial.sizes, trial.distances, known)
    chart(figure, band_sentence(trial), f"band-{key}")


def _checks_table(trial: Trial, with_verdict: bool) -> None:
    """Both checks and their p-values; the verdict, unless it is to be found."""
    law, speed = trial.adjusted
    share = trial.kept / trial.runs
    st.table(
        {
            "check": ["exact? counts against p", "as fast? kept drafts against overlap"],
            "found": [
                f"chi-square {trial.law.statistic:,.1f}",
                f"{share:.4f} against {trial.case.overlap:.4f}",
            ],
            "p-value": [number(trial.law.p_value), number(trial.speed.p_value)],
            "for two checks": [number(law), number(speed)],
        }
    )
    if not with_verdict:
        st.markdown(plain(sees_sentence(trial)))
        return
    st.markdown(verdict(trial))
    st.markdown(plain(f"{p_value_words(trial.law.p_value, trial.broken)} {sees_sentence(trial)}"))


def statistics_note() -> None:
    """How the checks work, for whoever asks."""
    with st.expander("How the checks work"):
        st.markdown(
            "**Distance from p** is total variation: half the sum of the differences between "
            "shares and probabilities. Read it as the share of tokens that are misplaced. Even an "
            "exact rule ends a little away from p, because counts are random; the gray band is "
            "where 95 of 100 exact trials of that size lie. Its middle is computed; its width is "
            "simulated, or computed where the vocabulary is large.\n\n"
            "**Exact?** is Pearson's chi-square test: squared differences between counts and "
            "expected counts, each divided by the expected one. Tokens expected fewer than five "
            "times share a bin. A token that p forbids refutes exactness by itself. Below 1,000 "
            "runs the p-value comes from 999 simulated trials.\n\n"
            "**As fast?** compares the share of kept drafts with the overlap of p and q, which is "
            "what the rule reaches.\n\n"
            f"**For two checks.** Two checks have two chances of a false alarm. Holm's correction "
            f"doubles the smaller p-value before it is compared with {LEVEL:.2f}, and then asks "
            "the other one. So an exact scheme is wrongly flagged in at most 5 of 100 trials, "
            "whatever the number of runs. Pressing Run until something looks odd undoes that: "
            "decide on the number of runs first."
        )
