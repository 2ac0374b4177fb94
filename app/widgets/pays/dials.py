"""Part 1: two dials, agreement and draft cost; what they forecast, and what was measured."""

import streamlit as st

from charts.pays.dials import Place, dials_figure, dials_sentence
from speculation.theory import break_even_c, expected_speedup, expected_tau
from widgets.figure_parts import chart
from widgets.pays.choice import Choice, block_cost, block_costs

HIGHEST_C = 1.0
COSTLY = 0.5  # such drafts are there to make a point; the chart is drawn for the others
STEP = 0.01


def dials(choice: Choice) -> None:
    """The dials stand where the chosen draft was measured, until somebody moves them."""
    block = block_cost(block_costs(choice), choice.k)
    figure, side = st.columns([3, 2], gap="large")
    with side:
        chosen = _dials(choice)
        _numbers(choice, chosen, block)
    with figure:
        places = _places(choice)
        gains = {x.name: break_even_c(x.alpha, choice.k, block) - x.c for x in places}
        top = max(0.3, 1.25 * max([*(x.c for x in places if x.c < COSTLY), chosen.c]))
        sentence = dials_sentence(chosen, choice.k, block, gains)
        above = [f"{x.name} (c {x.c:.2f})" for x in places if x.c >= top]
        if above:
            sentence += f" Too costly for this chart: {', '.join(above)}."
        chart(dials_figure(places, chosen, choice.k, block, top), sentence, "pays-dials")


def _dials(choice: Choice) -> Place:
    """Two sliders; another choice puts them back."""
    where = f"{choice.rung.name}-{choice.kind}-{choice.temperature:g}-{choice.precision}"
    alpha = st.slider(
        "alpha, agreement",
        0.0,
        1.0,
        round(choice.alpha, 2),
        STEP,
        key=f"pays-alpha-{where}",
        help="The overlap of the two distributions, averaged over the positions that were checked: "
        "the chance that a checked draft is accepted.",
    )
    c = st.slider(
        "c, draft cost",
        0.0,
        HIGHEST_C,
        min(round(choice.c, 2), HIGHEST_C),
        STEP,
        key=f"pays-c-{where}-{choice.live}",
        help="One draft step over one target step, in time inside the models' calls.",
    )
    # A dial shows two digits; where it was not moved, the measured number itself counts.
    return Place("the dials", _exact(alpha, choice.alpha), _exact(c, min(choice.c, HIGHEST_C)))


def _exact(dial: float, measured: float) -> float:
    return measured if abs(dial - measured) <= STEP / 2 + 1e-9 else dial


def _numbers(choice: Choice, chosen: Place, block: float) -> None:
    """tau, the forecast and the measured speed-up."""
    forecast = expected_speedup(chosen.alpha, choice.k, chosen.c, block)
    measured = next((x for x in choice.cells if x.k == choice.k), None)
    with st.container(horizontal=True, key="pays-numbers"):
        st.metric(
            "tau",
            f"{expected_tau(chosen.alpha, choice.k):.2f}",
            help="Committed tokens per cycle, by the closed form.",
        )
        st.metric(
            "forecast",
            f"{forecast:.2f}×",
            help=f"tau / (v + c k), with v = {block:.2f}, the measured cost of a block of "
            f"{choice.k + 1} rows.",
        )
        st.metric("measured", f"{measured.speedup.mean:.2f}×" if measured else "–")
    moved = (chosen.alpha, chosen.c) != (choice.alpha, min(choice.c, HIGHEST_C))
    if measured is None:
        st.caption(
            f"Speed was not measured at k = {choice.k} and T = {choice.temperature:g} for this "
            "draft: the recorded times are for k = 1, 2, 4, 8 at T = 0 and 1 (early exits and the "
            "target: k = 4)."
        )
    elif moved:
        st.caption(
            "The dials were moved: the forecast is for them, the measurement for the draft. "
            f"Measured alpha {choice.alpha:.2f}, c {choice.c:.3f}."
        )
    else:
        low, high = measured.speedup.low, measured.speedup.high
        st.caption(
            f"Measured {low:.2f} to {high:.2f} (95%), tau {measured.tau:.2f}. Both dials stand "
            "where this draft was measured."
        )


def _places(choice: Choice) -> list[Place]:
    """Every draft at this kind and temperature; its cost in this precision."""
    found = []
    for rung in choice.found.rungs:
        cell = choice.found.alpha_cell(rung.name, choice.kind, choice.temperature)
        if cell is None:
            continue
        c = choice.c if rung is choice.rung else rung.cost.get(choice.precision, 0.0)
        found.append(Place(rung.name, cell.alpha.mean, c))
    return found
