"""Where a cycle's time goes, and what becomes of the drafts."""

from collections.abc import Callable, Sequence

import plotly.graph_objects as go

from charts import palette
from charts.pays.marks import EVEN
from charts.style import fill, finish
from measuring.ladder_file import SpeedCell

PARTS = (
    ("draft", palette.DRAFT, ""),
    ("verify", palette.TARGET, "/"),
    ("decide", palette.PARTED, "x"),
)
FATES = (
    ("accepted", palette.DRAFT, ""),
    ("rejected", palette.REJECTED, "\\"),
    ("unchecked", palette.UNCHECKED, "."),
)


def time_figure(cells: Sequence[SpeedCell]) -> go.Figure:
    """One bar a k: milliseconds a committed token, in parts; plain decoding as a line."""
    figure = _stacked(cells, PARTS, lambda x: x.tau, "%{x:.1f} ms a token")
    if cells:
        names = _names(cells)
        plain = 1000.0 / (sum(x.plain_tokens_per_second for x in cells) / len(cells))
        figure.add_trace(
            go.Scatter(
                x=[plain] * len(names),
                y=names,
                mode="lines",
                line={"width": 2, "dash": "dot", "color": EVEN},
                name="plain decoding",
                hovertemplate="plain decoding: %{x:.1f} ms a token<extra></extra>",
            )
        )
    figure.update_xaxes(title_text="ms a committed token")
    return finish(figure, 290)


def time_sentence(cells: Sequence[SpeedCell], k: int) -> str:
    """The shares at one k."""
    cell = _at(cells, k)
    if cell is None:
        return "Nothing was measured at this setting."
    total = cell.draft + cell.verify + cell.decide
    shares = {name: getattr(cell, name) / total for name, _, _ in PARTS}
    return (
        f"At k = {cell.k} a cycle takes {total:.0f} ms: {shares['draft']:.0%} drafting, "
        f"{shares['verify']:.0%} in the target's pass, {shares['decide']:.0%} deciding (sampling, "
        f"comparing, recording). It commits {cell.tau:.2f} tokens, so {total / cell.tau:.0f} ms "
        f"each; plain decoding takes {1000 / cell.plain_tokens_per_second:.0f} ms."
    )


def fates_figure(cells: Sequence[SpeedCell]) -> go.Figure:
    """One bar a k: drafts a cycle, by what became of them."""
    figure = _stacked(cells, FATES, lambda x: x.cycles, "%{x:.2f} a cycle")
    outline = {"width": 1, "color": palette.UNCHECKED}
    figure.update_traces(marker_line=outline, selector={"name": "unchecked"})
    figure.update_xaxes(title_text="drafted tokens a cycle")
    return finish(figure, 290)


def fates_sentence(cells: Sequence[SpeedCell], k: int) -> str:
    """The waste at one k."""
    cell = _at(cells, k)
    if cell is None or not cell.drafted:
        return "Nothing was drafted at this setting."
    wasted = cell.rejected + cell.unchecked
    return (
        f"At k = {cell.k}, {wasted} of {cell.drafted} drafts were thrown away "
        f"({wasted / cell.drafted:.0%}): {cell.rejected} rejected, {cell.unchecked} unchecked, "
        "drafted after a rejection and never looked at."
    )


def _stacked(
    cells: Sequence[SpeedCell],
    parts: Sequence[tuple[str, str, str]],
    over: Callable[[SpeedCell], float],
    unit: str,
) -> go.Figure:
    """A lying bar a k, stacked of these fields of the cell, each divided by `over`.

    parts  field, color and pattern of each
    unit   how the pointer reads a part's length
    """
    figure = go.Figure()
    for part, color, pattern in parts:
        figure.add_trace(
            go.Bar(
                y=_names(cells),
                x=[getattr(x, part) / over(x) for x in cells],
                orientation="h",
                name=part,
                marker=fill(color, pattern),
                hovertemplate="%{y}, " + part + f": {unit}<extra></extra>",
            )
        )
    figure.update_layout(barmode="stack")
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(rangemode="tozero")
    return figure


def _names(cells: Sequence[SpeedCell]) -> list[str]:
    return [f"k = {x.k}" for x in cells]


def _at(cells: Sequence[SpeedCell], k: int) -> SpeedCell | None:
    """The cell at k, or the nearest one that was measured."""
    return min(cells, key=lambda x: abs(x.k - k), default=None)
