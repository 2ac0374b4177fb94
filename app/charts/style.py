"""What the figures have in common: no zoom, little ink, a pattern beside each color."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

CONFIG: dict[str, Any] = {"displayModeBar": False, "scrollZoom": False}


def fill(color: str, pattern: str = "") -> dict[str, Any]:
    """The fill of a bar: a color, and where it must be told apart without colors, a pattern."""
    shape = {"shape": pattern, "fgcolor": "white", "fillmode": "overlay", "size": 7,
             "solidity": 0.25}  # fmt: skip
    return {"color": color, "pattern": shape}


def counted_mark(size: float = 10, width: float = 2) -> dict[str, Any]:
    """The marker of what was counted: a white diamond with a dark edge, seen on any ground."""
    line = {"width": width, "color": "#222222"}
    return {"symbol": "diamond", "size": size, "color": "#FFFFFF", "line": line}


def chance_band(x: Sequence[float], y: Sequence[float], color: str) -> go.Scatter:
    """The area, by its outline, in which 95 of 100 exact trials lie."""
    return go.Scatter(
        x=x,
        y=y,
        fill="toself",
        fillcolor=color,
        mode="lines",
        line={"width": 0},
        name="what chance allows (95 of 100)",
        hoverinfo="skip",
    )


def mean_line(figure: go.Figure, mean: float) -> None:
    """A dashed line across at the mean."""
    figure.add_hline(y=mean, line={"dash": "dash", "width": 1.5, "color": "#808080"})


def row_names(figure: go.Figure, names: Sequence[str]) -> None:
    """Names of rows, the first on top, for points placed by the row's number."""
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=list(names),
        range=[len(names) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
    )


def finish(figure: go.Figure, height: int, legend: bool = True, bottom: int = 44) -> go.Figure:
    """The common layout. Margins are fixed: letting Plotly find them draws the figure twice."""
    figure.update_layout(
        height=height,
        margin={"l": 56, "r": 10, "t": 40 if legend else 10, "b": bottom},
        showlegend=legend,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0,
                "traceorder": "normal", "itemclick": False, "itemdoubleclick": False},
        bargap=0.3,
        dragmode=False,
    )  # fmt: skip
    figure.update_xaxes(automargin=False, fixedrange=True)
    figure.update_yaxes(automargin=False, fixedrange=True, title_standoff=6)
    return figure


def listed(values: list[str]) -> str:
    """
    >>> listed(["A"]), listed(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
