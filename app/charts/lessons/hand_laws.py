"""p and q of a few tokens as paired bars, and the residual under them."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from charts import palette
from charts.labels import axis_label
from charts.style import finish, listed
from charts.token_bars import SLANT, long_names, token_bar
from speculation.rule import Law, overlap, residual
from speculation.trace import Piece, Table


def hand_figure(
    names: Sequence[str], p: Law, q: Law, left: Law | None, height: int = 380
) -> go.Figure:
    """Bars of p and q; in a second row the residual `left`, or an empty row where it is None.

    The empty row is what a prediction is made about: it keeps its place, so nothing jumps.
    """
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.1, row_heights=[0.6, 0.4]
    )

    def add(row: int, name: str, color: str, values: Law, pattern: str) -> None:
        bars = token_bar(names, values, name, color, pattern, after="<br>")
        figure.add_trace(bars, row=row, col=1)

    add(1, "p, target", palette.TARGET, p, "")
    add(1, "q, draft", palette.DRAFT, q, "")
    add(2, "residual", palette.RESIDUAL, np.zeros(len(names)) if left is None else left, "/")
    if left is None:
        figure.add_annotation(
            text="the residual: not shown yet",
            xref="x2 domain",
            yref="y2 domain",
            x=0.5,
            y=0.5,
            showarrow=False,
        )
    figure.update_layout(barmode="group")
    figure.update_yaxes(rangemode="tozero", nticks=5)
    figure.update_yaxes(title_text="probability", row=1, col=1)
    top = 1.0 if left is None else max(0.05, float(np.max(left)) * 1.1)
    figure.update_yaxes(title_text="residual", range=[0, top], row=2, col=1)
    ticks = list(range(len(names)))
    figure.update_xaxes(tickvals=ticks, ticktext=list(names), row=2, col=1)
    long = long_names(names)
    if long:
        figure.update_xaxes(tickangle=SLANT, row=2, col=1)
    return finish(figure, height + 50 * long, bottom=100 if long else 44)


def hand_sentence(names: Sequence[str], p: Law, q: Law) -> str:
    """The overlap and the residual, in words."""
    shared = float(overlap(p, q))
    if shared > 1.0 - 1e-9:
        return "p and q are the same: the overlap is 1, nothing is rejected, nothing is left over."
    left = residual(p, q)
    parts = [
        f"{name} {value:.2f}" for name, value in zip(names, left, strict=True) if value > 0.0005
    ]
    return f"The overlap is {shared:.2f}. The residual: {listed(parts)}."


def table_laws(table: Table, pieces: dict[int, Piece]) -> tuple[list[str], Law, Law, Law]:
    """A recorded position as names, p, q and the residual; the last entry is all other tokens."""
    names = [axis_label(pieces[token]) for token in table.tokens]
    names.append(f"other ({table.tail_count:,})")
    p = np.array([*table.p, table.tail_p])
    q = np.array([*table.q, table.tail_q])
    left = np.array([*table.left, table.tail_left])
    mass = float(left.sum())
    return names, p, q, left / mass if mass > 0.0 else left
