"""What the lessons' figures have in common: no zoom, little ink, a pattern beside each color."""

from typing import Any

import plotly.graph_objects as go

CONFIG: dict[str, Any] = {"displayModeBar": False, "scrollZoom": False}


def fill(color: str, pattern: str = "") -> dict[str, Any]:
    """The fill of a bar: a color, and where it must be told apart without colors, a pattern."""
    shape = {"shape": pattern, "fgcolor": "white", "fillmode": "overlay", "size": 7,
             "solidity": 0.25}  # fmt: skip
    return {"color": color, "pattern": shape}


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
