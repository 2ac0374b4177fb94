"""One drafted token: p and q as bars, and the interval of u in which it is accepted."""

import plotly.graph_objects as go

from charts import palette
from charts.style import fill, finish

_ROWS = ["u", "q, draft", "p, target"]


def rule_figure(p: float, q: float, u: float | None) -> go.Figure:
    """Three rows on one scale from 0 to 1; the last number drawn as a line through the third."""
    a = min(1.0, p / q)
    figure = go.Figure()
    for row, name, base, width, color, pattern in (
        (_ROWS[2], "p", 0.0, p, palette.TARGET, ""),
        (_ROWS[1], "q", 0.0, q, palette.DRAFT, ""),
        (_ROWS[0], "accepted", 0.0, a, "#9DB9A8", ""),
        (_ROWS[0], "rejected", a, 1.0 - a, palette.REJECTED, "/"),
    ):
        figure.add_trace(
            go.Bar(
                y=[row],
                x=[width],
                base=[base],
                orientation="h",
                marker=fill(color, pattern),
                hovertemplate=f"{name}: {width:.3f}<extra></extra>",
                showlegend=False,
            )
        )
    _note(figure, 0.01, f"accepted below {a:.2f}" if a < 1.0 else "accepted, whatever u is", "left")
    if a <= 0.6:
        _note(figure, 0.99, "rejected", "right")
    if u is not None:
        for line in ({"width": 4, "color": "#111111"}, {"width": 1.5, "color": "#FFFFFF"}):
            figure.add_shape(
                type="line", x0=u, x1=u, y0=-0.5, y1=0.5, xref="x", yref="y", line=line
            )
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(range=[0, 1], dtick=0.2)
    figure.update_yaxes(categoryorder="array", categoryarray=_ROWS)
    finish(figure, 200, legend=False, bottom=30).update_layout(margin_l=70)
    return figure


def _note(figure: go.Figure, x: float, text: str, anchor: str) -> None:
    figure.add_annotation(
        x=x,
        xanchor=anchor,
        y="u",
        text=text,
        showarrow=False,
        font={"color": "#111111", "size": 13},
        bgcolor="rgba(255,255,255,.85)",
        borderpad=2,
    )


def rule_sentence(p: float, q: float, u: float | None) -> str:
    """The rule on these numbers."""
    a = min(1.0, p / q)
    rule = (
        f"p = {p:.2f} is at least q = {q:.2f}, so the token is always accepted."
        if p >= q
        else f"p/q = {p:.2f}/{q:.2f} = {a:.2f}: accepted when u is below that."
    )
    if u is None:
        return rule
    return f"{rule} Last u = {u:.3f}: {'accepted' if u < a else 'rejected'}."
