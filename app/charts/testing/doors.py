"""The two doors at one position, stacked beside p."""

from collections.abc import Sequence

import plotly.graph_objects as go

from charts import palette
from charts.style import fill, finish
from charts.token_bars import SLANT, long_names, token_axis


def exact_figure(
    names: Sequence[str], accepted: Sequence[float], replaced: Sequence[float], p: Sequence[float]
) -> go.Figure:
    """For every token p, and beside it min(p, q) with (1 - overlap) r on top."""
    xs = list(range(len(names)))
    figure = go.Figure()
    for name, color, pattern, heights, group, base in (
        ("p, target", palette.TARGET, "", p, "p", None),
        ("door one: drafted and kept, min(p, q)", palette.DRAFT, "", accepted, "doors", None),
        ("door two: replacement, (1 − overlap) · r", palette.RESIDUAL, "/", replaced, "doors",
         list(accepted)),
    ):  # fmt: skip
        figure.add_trace(
            go.Bar(
                x=xs,
                y=list(heights),
                base=base,
                name=name,
                offsetgroup=group,
                customdata=[[x, height] for x, height in zip(names, heights, strict=True)],
                marker=fill(color, pattern),
                hovertemplate="%{customdata[0]}, " + name + ": %{customdata[1]:.4f}<extra></extra>",
            )
        )
    top = max(max(p), max(a + r for a, r in zip(accepted, replaced, strict=True)))
    long = long_names(names)
    figure.update_layout(barmode="group")
    figure.update_yaxes(title_text="probability", range=[0, max(0.05, 1.08 * top)], nticks=6)
    token_axis(figure, names)
    figure.update_xaxes(tickangle=SLANT if long else 0)
    finish(figure, 400 if long else 340, bottom=96 if long else 40)
    figure.update_layout(margin_t=84, legend={"orientation": "v", "y": 1.04})
    return figure


def exact_sentence(accepted: Sequence[float], replaced: Sequence[float], p: Sequence[float]) -> str:
    """Whether the doors add up to p."""
    off = max(abs(a + r - x) for a, r, x in zip(accepted, replaced, p, strict=True))
    meet = (
        "Every stack is exactly as high as p." if off < 1e-9 else f"A stack misses p by {off:.4f}."
    )
    return (
        f"{meet} A draft is kept with probability {sum(accepted):.3f}, the overlap of p and q; "
        f"otherwise the replacement delivers the {sum(replaced):.3f} that is still owed."
    )
