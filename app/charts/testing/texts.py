"""What whole texts show: drafts kept per cycle, and where the tokens fell in their laws."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from scipy.stats import binom

from charts import palette
from charts.style import chance_band, counted_mark, fill, finish


def accepted_figure(expected: Sequence[float], counts: Sequence[int]) -> go.Figure:
    """The share of cycles that keep n drafts: as it should be, and as counted."""
    xs = list(range(len(expected)))
    total = max(1, sum(counts))
    figure = go.Figure(
        [
            go.Bar(
                x=xs,
                y=list(expected),
                name="should be",
                marker=fill(palette.DRAFT),
                hovertemplate="%{x} kept, should be: %{y:.4f}<extra></extra>",
            ),
            go.Scatter(
                x=xs,
                y=[count / total for count in counts],
                name="counted",
                mode="markers",
                marker=counted_mark(),
                hovertemplate="%{x} kept, counted: %{y:.4f}<extra></extra>",
            ),
        ]
    )
    top = max(*expected, *(count / total for count in counts))
    figure.update_xaxes(tickvals=xs, title_text="drafts kept in a cycle", title_standoff=6)
    figure.update_yaxes(title_text="share of cycles", range=[0, 1.12 * top], nticks=6)
    return finish(figure, 280, bottom=52)


def accepted_sentence(expected: Sequence[float], counts: Sequence[int]) -> str:
    """Mean drafts kept, as it should be and as counted."""
    mean = sum(n * x for n, x in enumerate(expected))
    found = sum(n * x for n, x in enumerate(counts)) / max(1, sum(counts))
    return f"A cycle keeps {found:.3f} drafts on average; by its own claim it should be {mean:.3f}."


def heights_figure(heights: npt.NDArray[np.float64], bins: int = 20) -> go.Figure:
    """How many tokens fell into each twentieth of [0, 1), and the band for a flat law."""
    counts = np.histogram(heights, bins, (0.0, 1.0))[0]
    low, high = band(len(heights), bins)
    figure = go.Figure(
        go.Bar(
            x=[(i + 0.5) / bins for i in range(bins)],
            y=counts.tolist(),
            name="tokens",
            marker=fill(palette.TARGET),
            hovertemplate="around %{x:.3f}: %{y:,} tokens<extra></extra>",
        )
    )
    outline = [low, low, high, high]
    figure.add_trace(chance_band([0, 1, 1, 0], outline, "rgba(160,160,160,.55)"))
    figure.update_layout(bargap=0.08)
    figure.update_xaxes(
        title_text="height of the token in its own distribution", range=[0, 1], title_standoff=6
    )
    figure.update_yaxes(
        title_text="tokens", range=[0, 1.15 * max(high, float(counts.max()))], nticks=5
    )
    finish(figure, 280, bottom=52).update_layout(bargap=0.08, margin_r=24)
    return figure


def heights_sentence(heights: npt.NDArray[np.float64], forbidden: int = 0, bins: int = 20) -> str:
    """How many of the bars lie in the band, and how many tokens have no height at all."""
    counts = np.histogram(heights, bins, (0.0, 1.0))[0]
    low, high = band(len(heights), bins)
    inside = int(np.count_nonzero((counts >= low) & (counts <= high)))
    return (
        f"{inside} of {bins} bars end inside the band, for {len(heights):,} tokens; about "
        f"{round(0.95 * bins)} do under an exact scheme."
        + (f" {forbidden:,} more tokens have no height: p forbids them." if forbidden else "")
    )


def band(tokens: int, bins: int = 20) -> tuple[float, float]:
    """Where 95 of 100 counts of one bar lie if all bars are as likely."""
    low, high = binom.ppf([0.025, 0.975], tokens, 1.0 / bins)
    return float(low), float(high)
