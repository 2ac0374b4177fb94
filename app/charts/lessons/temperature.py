"""Overlap of p and q against temperature: one pair of logits, or many places of a real text."""

from collections.abc import Sequence

import plotly.graph_objects as go

from charts import palette
from charts.style import finish


def temperature_figure(
    curve: tuple[Sequence[float], Sequence[float]],
    marks: tuple[Sequence[float], Sequence[float]] = ((), ()),
    places: Sequence[Sequence[float]] = (),
) -> go.Figure:
    """The main curve (temperatures, overlaps); marked points; thin curves of single places."""
    figure = go.Figure()
    for i, overlaps in enumerate(places):
        figure.add_trace(
            go.Scatter(
                x=curve[0],
                y=overlaps,
                mode="lines",
                line={"width": 1, "color": palette.SAME},
                name="one place each",
                showlegend=i == 0,
                hoverinfo="skip",
            )
        )
    figure.add_trace(
        go.Scatter(
            x=curve[0],
            y=curve[1],
            mode="lines",
            line={"width": 3, "color": palette.TARGET},
            name="mean of all places" if places else "overlap",
            hovertemplate="T = %{x:.2f}: %{y:.2f}<extra></extra>",
        )
    )
    if marks[0]:
        figure.add_trace(
            go.Scatter(
                x=marks[0],
                y=marks[1],
                mode="markers+text",
                text=[f"{y:.2f}" for y in marks[1]],
                textposition="bottom right",
                marker={"size": 9, "color": palette.TARGET},
                showlegend=False,
                hovertemplate="T = %{x}: %{y:.2f}<extra></extra>",
            )
        )
    figure.update_yaxes(
        title_text="overlap", range=[-0.1, 1.08], tickvals=[0, 0.2, 0.4, 0.6, 0.8, 1]
    )
    figure.update_xaxes(title_text="temperature", range=[0, 1.12 * max(curve[0])])
    return finish(figure, 300, legend=bool(places))
