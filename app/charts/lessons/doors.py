"""The two doors, stacked for every token, against p."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from charts import palette
from charts.style import counted_mark, finish
from charts.token_bars import token_axis, token_bar
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
        bars = token_bar(names, heights, name, color, pattern)
        figure.add_trace(bars.update(marker_opacity=opacity))
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
                marker=counted_mark(12, 2.5),
                hovertemplate="drawn: %{y:.3f}<extra></extra>",
            )
        )
    top = float(max(np.max(kept + replaced), np.max(p), 0.0 if shares is None else shares.max()))
    figure.update_layout(barmode="stack", clickmode="event+select")
    figure.update_yaxes(title_text="probability", range=[0, max(0.1, top * 1.12)], nticks=6)
    token_axis(figure, names)
    return finish(figure, 340)


def doors_sentence(names: Sequence[str], kept: Law, replaced: Law, p: Law) -> str:
    """Whether the stacks meet p, and where not."""
    off = kept + replaced - p
    if float(np.abs(off).max()) < 1e-9:
        return "Every stack is exactly as high as p."
    high = [name for name, x in zip(names, off, strict=True) if x > 1e-9]
    low = [name for name, x in zip(names, off, strict=True) if x < -1e-9]
    return f"The stacks miss p: too high at {', '.join(high)}, too low at {', '.join(low)}."
