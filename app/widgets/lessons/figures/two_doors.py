"""Door one and door two, stacked to p; one token's own sum; and counts under a broken rule."""

from typing import Any

import numpy as np
import streamlit as st

from charts.lessons.doors import doors_figure, doors_sentence
from charts.style import CONFIG
from content.widget_options import TwoDoors
from speculation.exactness.counts import pearson
from speculation.exactness.power import runs_needed
from speculation.exactness.two_doors import Rule, doors, sample
from speculation.rule import Law
from widgets.figure_parts import hand_laws, sliders

LEVEL = 0.001
RULES: dict[Rule, str] = {
    "exact": "exact",
    "replace-from-p": "replacement drawn from p",
    "threshold": "accept only if p ≥ q",
    "softmax-residual": "residual through a softmax",
}


def two_doors(options: TwoDoors, key: str) -> None:
    """Draw it: the rule above, q beside, the sum of the chosen token under it."""
    start_p, start_q, names = hand_laws(options)
    p = np.array(start_p)
    rules = list(RULES)
    rule: Rule = st.segmented_control(
        "Rule", rules, default=options.rule, required=True, format_func=RULES.__getitem__,
        key=f"rule-{key}",
    ) or "exact"  # fmt: skip
    figure, controls = st.columns([3, 2], gap="large", vertical_alignment="center")
    with controls:
        q = sliders("q", start_q, names, key)
        who = st.segmented_control(
            "One token's own sum", names, key=f"token-{key}", selection_mode="single"
        )
    kept, replaced = doors(p, q, rule)
    counts = _counts(options, p, q, rule, key) if options.draws else None
    chosen = names.index(str(who)) if who in names else None
    with figure:
        shares = None if counts is None or not counts.sum() else counts / counts.sum()
        sentence = doors_sentence(names, kept, replaced, p)
        drawn = doors_figure(names, kept, replaced, p, chosen, shares)
        _clickable(drawn, sentence, names, key)
        st.markdown(sentence)
        st.markdown(_sum(names, kept, replaced, p, chosen))
    if counts is not None:
        _verdict(counts, p, kept + replaced)


def _clickable(figure: Any, sentence: str, names: list[str], key: str) -> None:
    """The chart; a click on a bar chooses its token, as the buttons do."""

    def clicked() -> None:
        points = st.session_state[f"chart-{key}"].selection.points
        if points:
            st.session_state[f"token-{key}"] = names[int(points[0]["x"])]

    st.plotly_chart(
        figure, key=f"chart-{key}", config=CONFIG, alt=sentence, on_select=clicked,
        selection_mode="points",
    )  # fmt: skip


def _sum(names: list[str], kept: Law, replaced: Law, p: Law, chosen: int | None) -> str:
    """One token's sum in numbers; without one, how to get it."""
    if chosen is None:
        return "Choose a token, or click its bar, to see its own sum."
    one, two, want = kept[chosen], replaced[chosen], p[chosen]
    ends = "which is p" if abs(one + two - want) < 1e-9 else f"but p is {want:.3f}"
    return (
        f"**{names[chosen]}**: {one:.3f} by door one and {two:.3f} by door two make "
        f"{one + two:.3f}, {ends}."
    )


def _counts(options: TwoDoors, p: Law, q: Law, rule: Rule, key: str) -> Law:
    """Draws of this rule on these laws so far; they begin anew when either changes."""
    name, case = f"draws-{key}", (rule, tuple(q))
    if st.session_state.get(f"{name}-for") != case:
        st.session_state[name] = np.zeros(len(p), dtype=np.int64)
        st.session_state[f"{name}-for"] = case
    with st.container(horizontal=True, vertical_alignment="center"):
        for runs in (options.draws // 20, options.draws // 4, options.draws):
            if runs and st.button(f"Draw {runs:,}", key=f"{name}-{runs}"):
                rng = np.random.default_rng()
                st.session_state[name] = st.session_state[name] + sample(p, q, rule, runs, rng)
    counts: Law = st.session_state[name]
    return counts


def _verdict(counts: Law, p: Law, committed: Law) -> None:
    """The counts, the p-value, and how many runs it should take to see this break."""
    needed = runs_needed(committed, p, level=LEVEL)
    forecast = (
        "This rule commits p: no number of runs should show a break."
        if needed is None
        else f"Forecast: {needed:,} runs show this break with a p-value below {LEVEL}, nine times "
        "in ten."
    )
    runs = int(counts.sum())
    if not runs:
        st.markdown(f"{forecast} Nothing drawn yet.")
        return
    found = pearson(counts, p, np.random.default_rng(runs))
    shown = "below 0.0001" if found.p_value < 1e-4 else f"{found.p_value:.4f}"
    says = (
        "The break is found." if found.p_value < LEVEL
        else "These runs do not tell it from an exact rule."
    )  # fmt: skip
    st.markdown(f"**{runs:,} runs, p-value {shown}.** {says} {forecast}")
