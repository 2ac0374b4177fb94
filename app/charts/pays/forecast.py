"""The forecast for every k from an engine's numbers, and where it stands now."""

import plotly.graph_objects as go

from charts import palette
from charts.pays.marks import dot, even_line, star
from charts.style import finish
from measuring.engine_numbers import Reading


def forecast_figure(reading: Reading, k: int) -> go.Figure:
    """The curve, its best k, the k in use, and the measured speed-up there."""
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=list(reading.forecast),
            y=list(reading.forecast.values()),
            mode="lines+markers",
            line={"width": 2, "color": palette.TARGET},
            marker={"size": 5},
            name="forecast",
            hovertemplate="k = %{x}: %{y:.2f}<extra>forecast</extra>",
        )
    )
    if reading.best:
        figure.add_trace(star(reading.best, reading.forecast[reading.best], "best k"))
    highest = max(reading.forecast.values())
    if reading.measured is not None:
        highest = max(highest, reading.measured)
        figure.add_trace(
            go.Scatter(
                x=[k],
                y=[reading.measured],
                mode="markers",
                marker=dot(size=12),
                name="measured",
                hovertemplate="k = %{x}: %{y:.2f}<extra>measured</extra>",
            )
        )
    figure.update_xaxes(title_text="k, draft length", rangemode="tozero")
    figure.update_yaxes(title_text="speed over plain", range=[0, 1.15 * max(highest, 1.0)])
    even_line(finish(figure, 320))
    return figure


def forecast_sentence(reading: Reading, k: int) -> str:
    """Now, and at the best k."""
    now = f"At k = {k} these numbers forecast {reading.expected:.2f} times plain decoding"
    if reading.best == 0:
        return f"{now}. No k is forecast to beat plain decoding."
    if reading.best == k:
        return f"{now}, and no other k is forecast to be faster."
    return (
        f"{now}; k = {reading.best} is forecast to be best, {reading.forecast[reading.best]:.2f}."
    )
