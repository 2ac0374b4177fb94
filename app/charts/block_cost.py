"""What a block costs in one pass, and how far it rounds away from a single token."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from charts import palette
from charts.style import fill, finish

if TYPE_CHECKING:  # it loads torch, which takes seconds
    from measuring.block_cost import Measurement

_LOOKS = {"float32": (palette.TARGET, ""), "bfloat16": (palette.PARTED, "/")}


def cost_figure(found: "Sequence[Measurement]", largest: int) -> go.Figure:
    """Bars of milliseconds, grouped by precision; over each its multiple of a single token."""
    figure = go.Figure()
    for measurement in found:
        color, pattern = _LOOKS.get(measurement.precision, (palette.UNCHECKED, ""))
        places = [i for i, rows in enumerate(measurement.rows) if rows <= largest]
        figure.add_trace(
            go.Bar(
                x=[str(measurement.rows[i]) for i in places],
                y=[measurement.ms[i] for i in places],
                name=measurement.precision,
                text=[f"{measurement.relative[i]:.1f}×" for i in places],
                textposition="outside",
                textangle=0,
                cliponaxis=False,
                marker=fill(color, pattern),
                hovertemplate="%{x} tokens: %{y:.1f} ms<extra>"
                + measurement.precision
                + "</extra>",
            )
        )
    figure.update_layout(barmode="group")
    figure.update_yaxes(title_text="ms for one pass", rangemode="tozero")
    figure.update_xaxes(title_text="tokens in the pass", type="category")
    return finish(figure, 320)


def cost_sentence(found: "Sequence[Measurement]") -> str:
    """The price of five tokens and of the longest block, in words."""
    parts = []
    for m in found:
        five = m.relative[m.rows.index(5)]
        parts.append(
            f"In {m.precision} a pass over one token takes {m.ms[0]:.0f} ms, over five "
            f"{five:.1f} times as long, over {m.rows[-1]} {m.relative[-1]:.1f} times."
        )
    return " ".join(parts)


def rounding_figure(found: "Sequence[Measurement]") -> go.Figure:
    """The largest difference of a logit, and of the laws, on a scale of powers of ten."""
    figure = go.Figure()
    names = ["largest logit difference", "mean difference of the distributions"]
    for m in found:
        color, pattern = _LOOKS.get(m.precision, (palette.UNCHECKED, ""))
        values = [m.logit, m.tv_mean]
        figure.add_trace(
            go.Bar(
                y=names,
                x=values,
                orientation="h",
                name=m.precision,
                text=[decimal(value) for value in values],
                textposition="outside",
                cliponaxis=False,
                marker=fill(color, pattern),
                hovertemplate="%{y}: %{x:.2g}<extra>" + m.precision + "</extra>",
            )
        )
    figure.update_layout(barmode="group")
    figure.update_xaxes(type="log", range=[-8, 1.4], dtick=1, exponentformat="power")
    figure.update_yaxes(autorange="reversed")
    finish(figure, 250).update_layout(margin_l=190)
    return figure


def rounding_sentence(found: "Sequence[Measurement]") -> str:
    """The numbers, and how often the likeliest token changed."""
    return " ".join(
        f"In {m.precision}, at {m.places} places, logits differ by up to {decimal(m.logit)} and "
        f"the distributions by {decimal(m.tv_mean)} on average; the likeliest token changed at "
        f"{m.flips}."
        for m in found
    )


def decimal(value: float) -> str:
    """A small number without an exponent, to one digit, or two if it is not so small.

    >>> decimal(0.0000032), decimal(0.0146), decimal(0.8125)
    ('0.000003', '0.015', '0.81')
    """
    digits = 2 if value >= 0.01 else 1
    return f"{float(f'{value:.{digits}g}'):.9f}".rstrip("0").rstrip(".")
