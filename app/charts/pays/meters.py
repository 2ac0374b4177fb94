"""Two meters, one that moves and one that does not; and what does change a law."""

from collections.abc import Sequence
from typing import Literal

import plotly.graph_objects as go

from charts import palette
from charts.block_cost import decimal
from charts.pays.marks import bars_of, dot
from charts.style import fill, finish
from measuring.intervals import Estimate
from measuring.ladder_file import LawChange, Meter

Which = Literal["tpot_ms", "log_prob"]
TITLES: dict[Which, str] = {
    "tpot_ms": "ms a token (TPOT)",
    "log_prob": "mean log p of a token",
}


def meter_figure(meters: Sequence[Meter], which: Which) -> go.Figure:
    """One dot with its interval a way of decoding; the band is plain decoding's own interval."""
    figure = go.Figure()
    plain = _plain(meters)
    if plain is not None:
        found = _value(plain, which)
        figure.add_vrect(
            x0=found.low, x1=found.high, fillcolor="rgba(128, 128, 128, .16)", line_width=0
        )
    for way, color, symbol in (
        ("plain", palette.TARGET, "square"),
        ("speculative", palette.PARTED, "circle"),
    ):
        some = [m for m in meters if m.way == way]
        figure.add_trace(
            go.Scatter(
                x=[_value(m, which).mean for m in some],
                y=[name_of(m) for m in some],
                error_x=bars_of([_value(m, which) for m in some]),
                mode="markers",
                marker=dot(color, symbol),
                name=way,
                hovertemplate="%{y}: %{x:.2f}<extra></extra>",
            )
        )
    if which == "tpot_ms" and meters:
        figure.update_xaxes(range=[0, 1.1 * max(m.tpot_ms.high for m in meters)])
    figure.update_xaxes(title_text=TITLES[which])
    figure.update_yaxes(autorange="reversed", type="category", categoryorder="array",
                        categoryarray=[name_of(m) for m in meters])  # fmt: skip
    finish(figure, 120 + 34 * max(3, len(meters))).update_layout(margin_l=86)
    return figure


def _plain(meters: Sequence[Meter]) -> Meter | None:
    return next((m for m in meters if m.way == "plain"), None)


def _value(meter: Meter, which: Which) -> Estimate:
    return meter.tpot_ms if which == "tpot_ms" else meter.log_prob


def name_of(meter: Meter) -> str:
    return meter.rung or "plain"


def meter_sentence(meters: Sequence[Meter], which: Which) -> str:
    """Plain decoding's value, and how far the others are from it."""
    plain = _plain(meters)
    others = [m for m in meters if m.way != "plain"]
    if plain is None or not others:
        return "Nothing was measured in this precision."
    base = _value(plain, which)
    if which == "tpot_ms":
        fast = min(others, key=lambda m: m.tpot_ms.mean)
        slow = max(others, key=lambda m: m.tpot_ms.mean)
        return (
            f"Plain decoding takes {base.mean:.0f} ms a token over all prompts and k; the fastest "
            f"draft here is {name_of(fast)} with {fast.tpot_ms.mean:.0f}, the slowest "
            f"{name_of(slow)} with {slow.tpot_ms.mean:.0f}."
        )
    same = [m for m in others if _overlapping(m.log_prob, base)]
    return (
        f"Plain decoding: {base.mean:.2f} ({base.low:.2f} to {base.high:.2f}) over {plain.runs} "
        f"runs. The intervals of {len(same)} of {len(others)} drafts overlap it. A bias smaller "
        "than the interval would not show here: the page Test it yourself looks closer."
    )


def _overlapping(one: Estimate, other: Estimate) -> bool:
    return one.low <= other.high and other.low <= one.high


def changes_figure(changes: Sequence[LawChange]) -> go.Figure:
    """TV against the uncut law, one bar each, and 0 for exact speculation."""
    names = ["exact speculation", *(x.name for x in changes)]
    values = [0.0, *(x.tv.mean for x in changes)]
    figure = go.Figure(
        go.Bar(
            y=names,
            x=values,
            orientation="h",
            text=["0, by proof", *(decimal(x.tv.mean) for x in changes)],
            textposition="outside",
            cliponaxis=False,
            marker=fill(palette.TARGET, "/"),
            hovertemplate="%{y}: %{x:.3f}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(
        title_text="TV from the target's distribution at T = 1",
        range=[0, 1.25 * max([*values, 0.05])],
    )
    finish(figure, 90 + 34 * len(names), legend=False).update_layout(margin_l=126)
    return figure


def changes_sentence(changes: Sequence[LawChange]) -> str:
    """Every change with its size."""
    if not changes:
        return "Nothing was measured."
    each = "; ".join(
        f"{x.name} ({x.about}): {decimal(x.tv.mean)} ({decimal(x.tv.low)} to {decimal(x.tv.high)})"
        for x in changes
    )
    return f"Mean total variation over places of the target's own texts. {each}."
