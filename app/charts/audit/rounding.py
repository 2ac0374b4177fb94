"""The likeliest tokens where two texts part: logits, and how far rounding can carry them."""

import plotly.graph_objects as go

from charts import palette
from charts.labels import axis_label
from charts.style import finish, row_names
from engines.rounding.found import Candidate, Rounding


def rounding_figure(found: Rounding) -> go.Figure:
    """A marker a token, its bar half the reach to each side: two bars that meet are a near-tie.

    The texts' tokens are named and have shapes of their own; thin ticks are the logits as scored in
    blocks, hollow circles those of float32.
    """
    figure = go.Figure()
    shown = found.candidates
    ys = list(range(len(shown)))
    half = found.reach / 2.0
    _blocks(figure, shown)
    if found.precision != "float32":
        figure.add_trace(
            go.Scatter(
                x=[x.float32 for x in shown],
                y=ys,
                mode="markers",
                name="in float32",
                marker={"symbol": "circle-open", "size": 9, "color": palette.UNCHECKED,
                        "line": {"width": 2}},
                hovertemplate="%{x:.4f} in float32<extra></extra>",
            )
        )  # fmt: skip
    one, two = found.one.token, found.two.token
    others = [i for i in ys if shown[i].token not in (one, two)]
    for name, symbol, color, places in (
        ("text one's token", "diamond", palette.TARGET, [i for i in ys if shown[i].token == one]),
        ("text two's token", "square", palette.TARGET, [i for i in ys if shown[i].token == two]),
        ("other tokens", "circle", palette.PARTED, others),
    ):
        figure.add_trace(
            go.Scatter(
                x=[shown[i].plain for i in places],
                y=places,
                mode="markers",
                name=name,
                marker={"symbol": symbol, "size": 11, "color": color},
                error_x={"type": "constant", "value": half, "color": color, "thickness": 2.5,
                         "width": 6},
                customdata=[axis_label(shown[i].piece) for i in places],
                hovertemplate="%{customdata}: %{x:.4f} ± " + f"{half:.2g}<extra></extra>",
            )
        )  # fmt: skip
    finish(figure, 120 + 38 * len(shown), bottom=48).update_layout(
        margin_l=130, margin_t=64, legend={"font": {"size": 12}}
    )
    row_names(figure, [_label(found, x) for x in shown])
    figure.update_xaxes(title_text=f"logit, in {found.precision}", range=_range(found), nticks=6)
    return figure


def _blocks(figure: go.Figure, shown: list[Candidate]) -> None:
    """From the lowest to the highest logit that was scored, plainly and in blocks."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for i, candidate in enumerate(shown):
        xs += [candidate.low, candidate.high, None]
        ys += [i + 0.24, i + 0.24, None]
    figure.add_trace(
        go.Scatter(
            x=xs,
            y=ys,
            mode="lines+markers",
            name="lowest and highest, scored in blocks",
            line={"color": palette.UNCHECKED, "width": 2},
            marker={"symbol": "line-ns-open", "size": 9, "color": palette.UNCHECKED},
            hovertemplate="%{x:.4f} in a block<extra></extra>",
        )
    )


def _label(found: Rounding, candidate: Candidate) -> str:
    names = [
        name
        for name, side in (("one", found.one), ("two", found.two))
        if side.token == candidate.token
    ]
    text = axis_label(candidate.piece)
    return f"<b>{text}</b> ({' and '.join(names)})" if names else text


def _range(found: Rounding) -> list[float]:
    """All of the texts' tokens and what is near them, whole bars included."""
    values = [x for c in found.candidates for x in (c.plain, c.low, c.high, c.float32)]
    low, high = min(values) - found.reach / 2.0, max(values) + found.reach / 2.0
    room = 0.06 * (high - low)
    return [low - room, high + room]
