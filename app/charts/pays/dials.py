"""Agreement against draft cost: where speculation pays, and where each draft stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from charts import palette
from charts.pays.marks import EVEN, dot
from charts.style import finish
from speculation.theory import break_even_c

GRID = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True)
class Place:
    """A draft: how often it agrees, and what a step of it costs."""

    name: str
    alpha: float
    c: float


def dials_figure(
    places: Sequence[Place], chosen: Place, k: int, block: float, top: float = 0.6
) -> go.Figure:
    """alpha to the right, c upward; below the line a cycle of k drafts is faster than plain.

    block  v(k), the target's pass over k + 1 rows
    top    the largest c that is drawn; places above it are left out
    """
    places = [place for place in places if place.c < top]
    edge = [break_even_c(float(alpha), k, block) for alpha in GRID]
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=GRID,
            y=np.clip(edge, 0.0, top),
            fill="tozeroy",
            fillcolor="rgba(128, 128, 128, .13)",
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    figure.add_trace(
        go.Scatter(
            x=GRID,
            y=edge,
            mode="lines",
            line={"width": 2, "dash": "dot", "color": EVEN},
            name=f"break-even at k = {k}",
            hovertemplate="alpha %{x:.2f}: even at c = %{y:.2f}<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=[place.alpha for place in places],
            y=[place.c for place in places],
            mode="markers+text",
            text=[place.name for place in places],
            textposition=_positions(places),
            textfont={"size": 11},
            cliponaxis=False,
            marker=dot(palette.DRAFT, size=9),
            name="drafts, measured",
            hovertemplate="%{text}: alpha %{x:.2f}, c %{y:.3f}<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=[chosen.alpha],
            y=[chosen.c],
            mode="markers",
            marker={"color": "rgba(0,0,0,0)", "size": 19, "line": {"width": 3,
                    "color": palette.PARTED}},
            name="the dials",
            hovertemplate="the dials: alpha %{x:.2f}, c %{y:.3f}<extra></extra>",
        )
    )  # fmt: skip
    figure.update_xaxes(title_text="alpha, agreement", range=[-0.02, 1.04], dtick=0.2)
    figure.update_yaxes(title_text="c, draft step / target step", range=[-0.03, top])
    return finish(figure, 360)


def _positions(places: Sequence[Place]) -> list[str]:
    """Labels away from the nearest other dot, so that close ones do not write over each other."""

    def side(place: Place) -> str:
        if not 0.2 <= place.alpha <= 0.9:  # near an end of the axis there is no room
            return "middle right" if place.alpha < 0.2 else "middle left"
        near = [x for x in places if x is not place and abs(x.alpha - place.alpha) < 0.15]
        nearest = min(near, key=lambda x: abs(x.c - place.c), default=place)
        return "bottom center" if nearest.c > place.c else "top center"

    return [side(place) for place in places]


def dials_sentence(chosen: Place, k: int, block: float, names: Mapping[str, float]) -> str:
    """Where the dials stand, and how far from the line."""
    edge = break_even_c(chosen.alpha, k, block)
    where = f"At alpha {chosen.alpha:.2f} and k = {k}, a cycle breaks even at c = {edge:.2f}"
    if edge <= 0.0:
        where = (
            f"At alpha {chosen.alpha:.2f} and k = {k} even a draft that costs nothing is slower "
            f"than plain decoding, since the block of {k + 1} rows costs {block:.2f} steps"
        )
        return f"{where}."
    side = "below it: it pays" if chosen.c < edge else "not below it: it does not pay"
    paying = [name for name, gain in names.items() if gain > 0.0]
    others = f" Below the line: {', '.join(paying)}." if paying else " No draft is below the line."
    return f"{where}; the dials are at {chosen.c:.2f}, {side}.{others}"
