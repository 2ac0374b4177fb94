"""How many draws from the draft a committed token took: retrying against one shot."""

import numpy as np
import plotly.graph_objects as go

from charts import palette
from charts.style import fill, finish

MOST = 12


def tries_figure(classical: np.ndarray, runs: int) -> go.Figure:
    """Share of tokens by number of draws; more than twelve share the last place."""
    capped = np.bincount(np.minimum(classical, MOST), minlength=MOST + 1)[1:] / max(runs, 1)
    names = [str(i) for i in range(1, MOST)] + [f"{MOST} +"]
    once = [1.0, *([0.0] * (MOST - 1))]
    figure = go.Figure()
    for name, color, pattern, values in (
        ("one shot (the rule)", palette.RESIDUAL, "/", once),
        ("retry until kept", palette.UNCHECKED, "", capped),
    ):
        figure.add_trace(
            go.Bar(
                x=names,
                y=values,
                name=name,
                marker=fill(color, pattern),
                hovertemplate="%{x} draws: %{y:.1%}<extra>" + name + "</extra>",
            )
        )
    figure.update_layout(barmode="group")
    figure.update_yaxes(title_text="share of tokens", tickformat=".0%", range=[0, 1.05])
    figure.update_xaxes(title_text="draws from q for one committed token", type="category")
    return finish(figure, 300)
