"""Part 2: speed-up against k, the closed form beside it, and why they differ."""

import streamlit as st

from charts.pays.curve import (
    block_figure,
    block_sentence,
    curve_figure,
    curve_sentence,
    positions_figure,
    positions_sentence,
)
from measuring.ladder_file import LONGEST_K
from speculation.theory import expected_speedup
from widgets.figure_parts import chart
from widgets.markdown_text import plain
from widgets.pays.choice import Choice, block_cost, block_costs
from widgets.pays.measured_here import measure_here


def curve(choice: Choice) -> None:
    """The curve and its button, then alpha by position and v(k)."""
    costs = block_costs(choice)
    ks = range(1, LONGEST_K + 1)
    textbook = {k: expected_speedup(choice.alpha, k, choice.c) for k in ks}
    with_block = {k: expected_speedup(choice.alpha, k, choice.c, block_cost(costs, k)) for k in ks}
    figure, side = st.columns([3, 2], gap="large")
    with figure:
        chart(
            curve_figure(choice.cells, textbook, with_block, choice.k),
            curve_sentence(choice.cells, textbook, with_block),
            "pays-curve",
        )
    with side:
        _source(choice)
        measure_here(choice.found, choice.rung, choice.kind, choice.temperature, choice.precision)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Reason one: alpha is not one number", anchor=False)
        cell = choice.found.alpha_cell(choice.rung.name, choice.kind, choice.temperature)
        if cell is None:
            st.markdown("This draft proposed nothing here, so there is no alpha.")
        else:
            chart(positions_figure(cell), positions_sentence(cell), "pays-positions")
    with right:
        st.subheader("Reason two: a block is not one step", anchor=False)
        chart(block_figure(costs), block_sentence(costs, choice.precision), "pays-block")


def _source(choice: Choice) -> None:
    """Where the curve comes from."""
    found = choice.found
    if choice.live:
        st.markdown(f":green-badge[measured here, in this session]  \n{plain(choice.words)}")
    else:
        st.markdown(
            f":gray-badge[recorded {found.recorded_at[:10]}]  \n{plain(found.machine)}  \n"
            f"{plain(choice.words)}"
        )
