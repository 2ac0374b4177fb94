"""What the checks of an audit measured, on one scale: how large against what they could have seen.

The checks have units of their own, so each effect is divided by the smallest one that its check
would have caught in 9 of 10 audits: inside of -1 to 1 lies what so many texts cannot see.
"""

from collections.abc import Sequence
from math import isfinite

import plotly.graph_objects as go

from charts import palette
from charts.style import finish, row_names
from engines.audit.report import Result

FURTHEST = 4.0


def audit_figure(results: Sequence[Result]) -> go.Figure:
    """A row a check that ran: the effect and its 95% interval."""
    shown = scaled(results)
    figure = go.Figure()
    figure.add_vrect(x0=-1, x1=1, fillcolor=palette.SAME, opacity=0.22, line_width=0, layer="below")
    for flagged, name, symbol, color in (
        (False, "no deviation found", "circle", palette.PARTED),
        (True, "deviation found", "diamond", palette.REJECTED),
    ):
        rows = [i for i, (result, *_) in enumerate(shown) if result.flagged == flagged]
        figure.add_trace(
            go.Scatter(
                x=[shown[i][1] for i in rows],
                y=rows,
                mode="markers",
                name=name,
                marker={"symbol": symbol, "size": 11, "color": color},
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [shown[i][3] - shown[i][1] for i in rows],
                    "arrayminus": [shown[i][1] - shown[i][2] for i in rows],
                    "color": color,
                    "thickness": 2,
                    "width": 5,
                },
                customdata=[[shown[i][0].name, _effect(shown[i][0])] for i in rows],
                hovertemplate="%{customdata[0]}: %{customdata[1]}<extra></extra>",
            )
        )
    finish(figure, 110 + 30 * max(1, len(shown)), bottom=52).update_layout(margin_l=132)
    row_names(figure, [result.name for result, *_ in shown])
    lowest = min([-1.2, *(low - 0.2 for _, _, low, _ in shown)])
    highest = max([1.6, *(high + 0.2 for *_, high in shown)])
    figure.update_xaxes(
        title_text="effect ÷ smallest it would have seen", range=[lowest, highest],
        zeroline=True, nticks=7,
    )  # fmt: skip
    return figure


def audit_sentence(results: Sequence[Result]) -> str:
    """What the figure shows."""
    shown = scaled(results)
    found = [result.name for result, *_ in shown if result.flagged]
    start = (
        "Each effect with its 95% interval, in multiples of the smallest that its check would have "
        "caught in 9 of 10 audits; the gray band holds what so many texts cannot see."
    )
    if found:
        return f"{start} Found by: {', '.join(found)}."
    return f"{start} None of the {len(shown)} checks found anything."


def scaled(results: Sequence[Result]) -> list[tuple[Result, float, float, float]]:
    """The checks that ran, and left something to measure: effect, low, high over what it sees.

    A forbidden token or the like refutes by itself: its check is drawn at the edge.
    """
    rows = []
    for result in results:
        finding = result.finding
        if finding is None or result.column == "note":
            continue
        unit = finding.sees
        if not isfinite(unit) or unit <= 0.0:
            if result.flagged:
                rows.append((result, FURTHEST, FURTHEST, FURTHEST))
            continue
        effect, low, high = (_within(x / unit) for x in (finding.effect, finding.low, finding.high))
        rows.append((result, effect, min(low, effect), max(high, effect)))
    return rows


def _within(value: float) -> float:
    """Not further out than the figure reaches."""
    return max(-FURTHEST, min(FURTHEST, value)) if isfinite(value) else FURTHEST


def _effect(result: Result) -> str:
    finding = result.finding
    return "" if finding is None else f"{finding.effect:.3g} {finding.unit}"
