"""Laws beside p, and counted shares on them: what a scheme should commit, would, and did."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from charts import palette
from charts.style import counted_mark, finish
from charts.token_bars import SLANT, long_names, token_axis, token_bar


def shares_figure(
    names: Sequence[str],
    p: Sequence[float],
    committed: Sequence[float] | None = None,
    counted: Sequence[float] | None = None,
    q: Sequence[float] | None = None,
) -> go.Figure:
    """p as bars; beside it q, or the law that a scheme commits; counted shares as diamonds."""
    figure = go.Figure()
    laws = [("p, target", palette.TARGET, "", p)]
    if q is not None:
        laws.append(("q, draft", palette.DRAFT, "", q))
    if committed is not None:
        laws.append(("what the scheme commits, on paper", palette.PARTED, "/", committed))
    for name, color, pattern, heights in laws:
        figure.add_trace(token_bar(names, list(heights), name, color, pattern, digits=4))
    if counted is not None:
        # On the bar they belong to: the scheme's law, the last one, or p, the first.
        width = 0.7 / len(laws)
        shift = (len(laws) - 1) * width / 2 * (1 if committed is not None else -1)
        figure.add_trace(
            go.Scatter(
                x=[i + shift for i in range(len(names))],
                y=list(counted),
                name="counted",
                mode="markers",
                customdata=list(names),
                marker=counted_mark(),
                hovertemplate="%{customdata}, counted: %{y:.4f}<extra></extra>",
            )
        )
    top = max(max(heights) for *_, heights in [*laws, ("", "", "", counted or [0.0])])
    long = long_names(names)
    figure.update_layout(barmode="group")
    token_axis(figure, names)
    figure.update_xaxes(tickangle=SLANT if long else 0)
    figure.update_yaxes(title_text="probability", range=[0, max(0.05, 1.12 * top)], nticks=6)
    return finish(figure, 320, bottom=96 if long else 40)


def committed_sentence(names: Sequence[str], p: Sequence[float], law: Sequence[float]) -> str:
    """Which tokens a scheme favors, and by how much."""
    off = np.array(law) - np.array(p)
    if float(np.abs(off).max()) < 5e-13:
        return "On paper the scheme commits exactly p at this position."
    high, low = int(np.argmax(off)), int(np.argmin(off))
    return (
        f"On paper {names[high]} comes too often ({law[high]:.3f} instead of {p[high]:.3f}), "
        f"{names[low]} too rarely ({law[low]:.3f} instead of {p[low]:.3f})."
    )


def counted_sentence(names: Sequence[str], p: Sequence[float], shares: Sequence[float]) -> str:
    """The token that was counted furthest from p."""
    worst = int(np.argmax(np.abs(np.array(shares) - np.array(p))))
    return f"Furthest off is {names[worst]}: counted {shares[worst]:.4f}, p is {p[worst]:.4f}."
