"""The two doors, stacked for every token, against p."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from charts import palette
from charts.style import fill, finish
from speculation.rule import Law


def doors_figure(
    names: Sequence[str],
    kept: Law,
    replaced: Law,
    p: Law,
    chosen: int | None = None,
    shares: Law | None = None,
) -> go.Figure:
    """Door one and door two stacked; a line at p; measured shares as diamonds.

    chosen  the token whose own sum is shown: the others are pale
    """
    xs = list(range(len(names)))
    opacity = [1.0 if chosen in (None, x) else 0.4 for x in xs]
    figure = go.Figure()
    for name, color, pattern, heights in (
        ("door one: drafted and kept", palette.DRAFT, "", kept),
        ("door two: replacement", palette.RESIDUAL, "/", replaced),
    ):
        figure.add_trace(
            go.Bar(
                x=xs,
                y=heights,
                name=name,
                customdata=list(names),
                marker=fill(color, pattern) | {"opacity": opacity},
                hovertemplate="%{customdata}, " + name + ": %{y:.3f}<extra></extra>",
            )
        )
    for width, color, legend in ((7, "#FFFFFF", False), (3, palette.TARGET, True)):
        figure.add_trace(  # a white line under the blue one: seen on any ground
            go.Scatter(
                x=xs,
                y=p,
                name="p, target",
                mode="markers",
                marker={"symbol": "line-ew", "size": 46, "line": {"width": width, "color": color}},
                showlegend=legend,
                hovertemplate="p: %{y:.3f}<extra></extra>",
            )
        )
    if shares is not None:
        figure.add_trace(
            go.Scatter(
                x=xs,
                y=shares,
                name="drawn",
                mode="markers",
                marker={"symbol": "diamond", "size": 12, "color": "#FFFFFF",
                        "line": {"width": 2.5, "color": "#222222"}},
                hovertemplate="drawn: %{y:.3f}<extra></extra>",
            )
        )  # fmt: skip
    top = float(max(np.max(kept + replaced), np.max(p), 0.0 if shares is None else shares.max()))
    figure.update_layout(barmode="stack", clickmode="event+select")
    figure.update_yaxes(title_text="probability", range=[0, max(0.1, top * 1.12)], nticks=6)
    figure.update_xaxes(tickvals=xs, ticktext=list(names), range=[-0.6, len(names) - 0.4])
    return finish(figure, 340)


def doors_sentence(names: Sequence[str], kept: Law, replaced: Law, p: Law) -> str:
    """Whether the stacks meet p, and where not."""
    off = kept + replaced - p
    if float(np.abs(off).max()) < 1e-9:
        return "Every stack is exactly as high as p."
    high = [name for name, x in zip(names, off, strict=True) if x > 1e-9]
    low = [name for name, x in zip(names, off, strict=True) if x < -1e-9]
    return f"The stacks miss p: too high at {', '.join(high)}, too low at {', '.join(low)}."
