"""Tokens committed by each cycle, a bar a cycle: the accepted drafts, and what ends it."""

from collections.abc import Iterable
from dataclasses import dataclass

import plotly.graph_objects as go

from charts import palette
from charts.style import fill, finish, listed, mean_line
from speculation.trace import Cycle

MOST_LISTED = 12


@dataclass(frozen=True)
class Bar:
    """One cycle. `last` is the token that ends it, if there is one."""

    accepted: int
    last: str | None

    @property
    def committed(self) -> int:
        return self.accepted + (self.last is not None)


def bars_of(cycles: Iterable[Cycle]) -> list[Bar]:
    """The bars of a run; the end of a text may cut the last one."""
    bars = []
    for cycle in cycles:
        accepted = min(cycle.n_accepted, len(cycle.committed))
        ended = len(cycle.committed) > accepted and cycle.replacement is not None
        kind = "bonus" if ended and cycle.replacement and cycle.replacement.bonus else "replacement"
        bars.append(Bar(accepted, kind if ended else None))
    return bars


def bars_given(numbers: Iterable[int], k: int) -> list[Bar]:
    """The bars of given numbers: k + 1 means that all were accepted, and the bonus came."""
    return [Bar(n - 1, "bonus" if n == k + 1 else "replacement") for n in numbers]


def committed_figure(bars: list[Bar], k: int, places: int | None = None) -> go.Figure:
    """Stacked bars, their mean as a dashed line. `places` keeps room for so many cycles."""
    numbers = list(range(1, len(bars) + 1))
    figure = go.Figure()
    parts = (
        ("accepted drafts", palette.DRAFT, "", [bar.accepted for bar in bars]),
        ("replacement", palette.RESIDUAL, "/", [int(bar.last == "replacement") for bar in bars]),
        ("bonus", palette.BONUS, "x", [int(bar.last == "bonus") for bar in bars]),
    )
    for name, color, pattern, heights in parts:
        figure.add_trace(
            go.Bar(
                x=numbers,
                y=heights,
                name=name,
                marker=fill(color, pattern),
                hovertemplate="cycle %{x}, " + name + ": %{y}<extra></extra>",
            )
        )
    if bars:
        mean_line(figure, mean(bars))
        figure.add_trace(
            go.Scatter(
                x=numbers,
                y=[bar.committed for bar in bars],
                mode="text",
                text=[str(bar.committed) for bar in bars],
                textposition="top center",
                showlegend=False,
                hoverinfo="skip",
                cliponaxis=False,
            )
        )
    figure.update_layout(barmode="stack")
    figure.update_yaxes(range=[0, k + 1.8], dtick=1, tickvals=list(range(0, k + 2)))
    figure.update_yaxes(title_text="tokens committed")
    figure.update_xaxes(title_text="cycle", range=[0.4, (places or len(bars) or 1) + 0.6], dtick=1)
    return finish(figure, 280)


def mean(bars: list[Bar]) -> float:
    """Tau of these cycles."""
    return sum(bar.committed for bar in bars) / max(len(bars), 1)


def committed_sentence(bars: list[Bar], k: int) -> str:
    """The figure in words."""
    if not bars:
        return "No cycle yet."
    numbers = [str(bar.committed) for bar in bars]
    each = f"{listed(numbers)}: " if len(numbers) <= MOST_LISTED else ""
    total = sum(bar.committed for bar in bars)
    bonus = sum(bar.last == "bonus" for bar in bars)
    what = "1 cycle" if len(bars) == 1 else f"{len(bars)} cycles"
    return (
        f"{what} at k = {k} committed {each}{total} tokens together, tau = {mean(bars):.2f} "
        f"(the dashed line). {bonus or 'None'} of them ended with the bonus."
    )
