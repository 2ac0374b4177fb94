"""The ratio min(1, p/q) at every checked position of a run, and the verdict there."""

from collections.abc import Iterable

import plotly.graph_objects as go

from charts import palette
from charts.style import finish
from speculation.trace import Cycle


def ratios_figure(cycles: Iterable[Cycle]) -> go.Figure:
    """One mark a position: a circle where the draft was accepted, a cross where it was rejected."""
    checked = [x for cycle in cycles for x in cycle.checked]
    figure = go.Figure()
    for verdict, color, symbol in (
        ("accepted", palette.DRAFT, "circle"),
        ("rejected", palette.REJECTED, "x"),
    ):
        places = [i for i, x in enumerate(checked, 1) if x.verdict == verdict]
        figure.add_trace(
            go.Scatter(
                x=places,
                y=[checked[i - 1].a for i in places],
                mode="markers",
                name=verdict,
                marker={"color": color, "symbol": symbol, "size": 9},
                cliponaxis=False,
                hovertemplate=f"{verdict}, " + "min(1, p/q) = %{y:.3f}<extra></extra>",
            )
        )
    figure.update_yaxes(title_text="min(1, p/q)", range=[-0.05, 1.08], dtick=0.25)
    figure.update_xaxes(title_text="checked position", range=[0, len(checked) + 1], zeroline=False)
    return finish(figure, 280)


def ratios_sentence(cycles: Iterable[Cycle]) -> str:
    """How many ratios lie strictly between 0 and 1, and how many drafts were rejected."""
    checked = [x for cycle in cycles for x in cycle.checked]
    between = sum(1e-4 < x.a < 1 - 1e-4 for x in checked)
    rejected = sum(x.verdict == "rejected" for x in checked)
    return (
        f"{len(checked)} positions were checked: at {between} of them the ratio lies strictly "
        f"between 0 and 1, and {rejected} drafts were rejected."
    )
