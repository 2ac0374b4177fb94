"""Speed-up against k: measured, and by the closed form; and the two reasons why they differ."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from charts import palette
from charts.pays.marks import bars_of, dot, even_line, star
from charts.style import fill, finish, mean_line
from measuring.ladder_file import AlphaCell, SpeedCell

Curve = Mapping[int, float]
FEW = 5  # checked less often, a position says nothing


def curve_figure(
    measured: Sequence[SpeedCell], textbook: Curve, with_block: Curve, chosen: int
) -> go.Figure:
    """Dots with intervals, the textbook's dashed line, and the form that knows v(k)."""
    figure = go.Figure()
    lines = (
        ("closed form, v = 1", textbook, "dash", palette.SAME),
        ("closed form, v(k) measured", with_block, "solid", palette.TARGET),
    )
    for name, curve, dash, color in lines:
        figure.add_trace(
            go.Scatter(
                x=list(curve),
                y=list(curve.values()),
                mode="lines",
                line={"width": 2, "dash": dash, "color": color},
                name=name,
                hovertemplate="k = %{x}: %{y:.2f}<extra>" + name + "</extra>",
            )
        )
    if measured:
        figure.add_trace(
            go.Scatter(
                x=[x.k for x in measured],
                y=[x.speedup.mean for x in measured],
                error_y=bars_of([x.speedup for x in measured]),
                mode="markers",
                marker=dot(),
                name="measured",
                hovertemplate="k = %{x}: %{y:.2f}<extra>measured</extra>",
            )
        )
        best = max(measured, key=lambda x: x.speedup.mean)
        figure.add_trace(star(best.k, best.speedup.mean, "best measured k"))
    highest = max([*textbook.values(), *(x.speedup.high for x in measured), 1.2])
    figure.add_vline(x=chosen, line={"width": 1, "color": palette.SAME})
    figure.update_xaxes(title_text="k, draft length", dtick=1, range=[0.6, 8.4])
    figure.update_yaxes(title_text="speed over plain", range=[0, 1.12 * highest])
    even_line(finish(figure, 360))
    return figure


def curve_sentence(measured: Sequence[SpeedCell], textbook: Curve, with_block: Curve) -> str:
    """Best k of each curve, and the gap between them."""
    ideal = max(textbook, key=textbook.__getitem__)
    block = max(with_block, key=with_block.__getitem__)
    words = (
        f"The textbook's form is best at k = {ideal} with {textbook[ideal]:.2f} times plain "
        f"decoding; with the measured block cost it is k = {block}, {with_block[block]:.2f}."
    )
    if not measured:
        return f"{words} Nothing was measured at this setting."
    best = max(measured, key=lambda x: x.speedup.mean)
    side = "slower than plain at every k" if best.speedup.mean < 1.0 else f"best at k = {best.k}"
    return (
        f"Measured: {side}, {best.speedup.mean:.2f} ({best.speedup.low:.2f} to "
        f"{best.speedup.high:.2f}). {words}"
    )


def positions_figure(cell: AlphaCell) -> go.Figure:
    """Overlap at each position of the cycle, the mean as a dashed line."""
    places = [i for i, value in enumerate(cell.by_position) if value is not None]
    figure = go.Figure(
        go.Bar(
            x=[i + 1 for i in places],
            y=[cell.by_position[i] for i in places],
            text=[f"{cell.by_position[i]:.2f}" for i in places],
            textposition="outside",
            cliponaxis=False,
            marker=fill(palette.DRAFT),
            customdata=[cell.reached[i] for i in places],
            hovertemplate="position %{x}: %{y:.2f}, checked %{customdata} times<extra></extra>",
        )
    )
    mean_line(figure, cell.alpha.mean)
    figure.update_xaxes(title_text="position in the cycle", dtick=1, range=[0.4, cell.k + 0.6])
    figure.update_yaxes(title_text="overlap where checked", range=[0, 1.12])
    return finish(figure, 270, legend=False)


def positions_sentence(cell: AlphaCell) -> str:
    """First and last position, and how often they are reached."""
    reached = cell.reached
    seen = [(i, x) for i, x in enumerate(cell.by_position) if x is not None and reached[i] >= FEW]
    if len(seen) < 2:
        return "Too little was checked to compare positions."
    (_, first), (last, value) = seen[0], seen[-1]
    words = (
        f"Mean {cell.alpha.mean:.2f}: {first:.2f} at position 1, which was checked {reached[0]} "
        f"times, and {value:.2f} at position {last + 1}, checked {reached[last]} times."
    )
    if value > first:
        words += " Late positions are reached in easy passages only, so they look better."
    return words


def block_figure(costs: Mapping[int, float]) -> go.Figure:
    """v(k): one pass over k + 1 rows, over a pass of one row; the textbook's 1 beside."""
    figure = go.Figure(
        go.Bar(
            x=[str(k) for k in costs],
            y=list(costs.values()),
            text=[f"{v:.2f}" for v in costs.values()],
            textposition="outside",
            cliponaxis=False,
            marker=fill(palette.TARGET),
            hovertemplate="k = %{x}: %{y:.2f} steps<extra></extra>",
        )
    )
    figure.update_xaxes(title_text="k", type="category")
    figure.update_yaxes(title_text="v(k), in target steps",
                        range=[0, 1.2 * max([*costs.values(), 1.2])])  # fmt: skip
    even_line(finish(figure, 270, legend=False), "v = 1")
    return figure


def block_sentence(costs: Mapping[int, float], precision: str) -> str:
    """What the longest block costs."""
    if not costs:
        return "No full block was measured."
    k = max(costs)
    return (
        f"In {precision} one pass over {k + 1} rows costs {costs[k]:.2f} times a pass of one row, "
        "and speculation pays that in every cycle, whatever it commits."
    )
