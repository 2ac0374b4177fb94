"""A bar for every token and the axis under it, placed by number: two tokens may read alike."""

from collections.abc import Sequence

import numpy.typing as npt
import plotly.graph_objects as go

from charts.style import fill

SLANT = -40


def token_bar(
    names: Sequence[str],
    heights: npt.ArrayLike,
    name: str,
    color: str,
    pattern: str = "",
    digits: int = 3,
    after: str = ", ",
) -> go.Bar:
    """One law over the tokens; the pointer reads "token, name: height".

    after  what stands between token and name there
    """
    return go.Bar(
        x=list(range(len(names))),
        y=heights,
        name=name,
        customdata=list(names),
        marker=fill(color, pattern),
        hovertemplate="%{customdata}" + after + name + f": %{{y:.{digits}f}}<extra></extra>",
    )


def token_axis(figure: go.Figure, names: Sequence[str]) -> None:
    """The tokens' names under their bars."""
    figure.update_xaxes(
        tickvals=list(range(len(names))), ticktext=list(names), range=[-0.6, len(names) - 0.4]
    )


def long_names(names: Sequence[str]) -> bool:
    """Whether the names must stand aslant to find room."""
    return max(map(len, names)) > 3
