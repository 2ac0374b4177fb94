"""What the figures of "When it pays" share: error bars, a line at 1, dots and a star."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from charts import palette
from measuring.intervals import Estimate

EVEN = "#8A8A8A"


def bars_of(estimates: Sequence[Estimate]) -> dict[str, Any]:
    """Error bars from intervals that need not be symmetric."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(0.0, x.high - x.mean) for x in estimates],
        "arrayminus": [max(0.0, x.mean - x.low) for x in estimates],
        "thickness": 1.5,
        "width": 4,
    }


def even_line(figure: go.Figure, text: str = "plain") -> None:
    """The line at 1; its name stands outside, to the right. Call it after `finish`."""
    figure.add_hline(y=1.0, line={"width": 1.5, "dash": "dot", "color": EVEN})
    figure.add_annotation(
        x=1.0, xref="paper", xanchor="left", xshift=4, y=1.0, text=text, showarrow=False,
        font={"size": 12, "color": EVEN},
    )  # fmt: skip
    figure.update_layout(margin_r=44)


def star(x: int, y: float, name: str) -> go.Scatter:
    """The best point of a curve."""
    return go.Scatter(
        x=[x],
        y=[y],
        mode="markers",
        marker={"symbol": "star-open", "size": 20, "color": palette.PARTED, "line": {"width": 2}},
        name=name,
        hoverinfo="skip",
    )


def dot(color: str = palette.PARTED, symbol: str = "circle", size: int = 10) -> dict[str, Any]:
    return {"color": color, "symbol": symbol, "size": size}
