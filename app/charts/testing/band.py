"""Distance from p against the number of runs, inside the band that chance allows."""

from collections.abc import Sequence

import plotly.graph_objects as go

from charts import palette
from charts.style import chance_band, counted_mark, finish
from speculation.exactness.counts import TVBand

_BAND = "rgba(128,128,128,.34)"
_INK = "rgba(128,128,128,1)"
LOWEST = 1e-5


def band_figure(
    bands: Sequence[TVBand],
    sizes: Sequence[int] = (),
    distances: Sequence[float] = (),
    bias: float | None = None,
) -> go.Figure:
    """Both axes logarithmic.

    bias  the distance of the scheme's own law from p, known before any draw: where a broken
          scheme's line must level off
    """
    runs = [band.runs for band in bands]
    # A coin can fall evenly: then the distance is 0, which has no place on a logarithmic axis.
    high = [max(band.high, LOWEST) for band in bands]
    low = [max(band.low, band.mean / 12, LOWEST) for band in bands]
    figure = go.Figure()
    figure.add_trace(chance_band([*runs, *reversed(runs)], [*high, *reversed(low)], _BAND))
    if bias is not None and bias > LOWEST:
        figure.add_trace(
            go.Scatter(
                x=[runs[0], runs[-1]],
                y=[bias, bias],
                mode="lines",
                line={"color": palette.REJECTED, "width": 2, "dash": "dash"},
                name="its bias, on paper",
                hovertemplate=f"bias: {bias:.4f}<extra></extra>",
            )
        )
    if sizes:
        figure.add_trace(
            go.Scatter(
                x=list(sizes),
                y=[max(x, LOWEST) for x in distances],
                mode="lines",
                line={"color": palette.TARGET, "width": 2.5},
                name="this trial",
                hovertemplate="after %{x:,} runs: %{y:.4f}<extra></extra>",
            )
        )
        figure.add_trace(
            go.Scatter(
                x=[sizes[-1]],
                y=[max(distances[-1], LOWEST)],
                mode="markers",
                marker=counted_mark(11),
                showlegend=False,
                hovertemplate="after %{x:,} runs: %{y:.4f}<extra></extra>",
            )
        )
    ticks = [10, 100, 1_000, 10_000, 100_000, 1_000_000]
    labels = ["10", "100", "1,000", "10,000", "100,000", "1,000,000"]
    figure.update_xaxes(
        type="log", title_text="runs", tickvals=ticks, ticktext=labels, range=[0.93, 6.1],
        title_standoff=6,
    )  # fmt: skip
    heights = [1.0, 0.1, 0.01, 0.001, 0.0001]
    figure.update_yaxes(
        type="log",
        title_text="distance from p",
        tickvals=heights,
        ticktext=["1", ".1", ".01", ".001", ".0001"],
    )
    return finish(figure, 320, bottom=56).update_layout(margin_r=40)
