"""Two runs under the same dice, token by token: where they are the same, and where they part."""

from collections.abc import Sequence

import plotly.graph_objects as go

from charts import palette
from charts.labels import axis_label, token_label
from speculation.trace import Trace, departure


def departure_figure(trace: Trace, before: Trace) -> go.Figure:
    """Two rows of cells, the run before and the run now; filled up to where they part."""
    place = departure(trace.tokens, before.tokens)
    most = max(len(trace.tokens), len(before.tokens), 1)
    figure = go.Figure()
    for y, run in ((1, before), (0, trace)):
        same = len(run.tokens) if place is None else min(place, len(run.tokens))
        labels = [axis_label(run.pieces[token]) for token in run.tokens]
        _cells(figure, y, range(same), labels, palette.SAME, "same")
        _cells(figure, y, range(same, len(run.tokens)), labels, palette.PARTED, "parted")
    if place is not None:
        figure.add_vline(x=place - 0.5, line={"width": 2, "color": palette.PARTED})
    figure.update_layout(
        height=92,
        margin={"l": 8, "r": 8, "t": 4, "b": 4},
        bargap=0.12,
        barmode="overlay",
        showlegend=False,
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
    )
    figure.update_xaxes(visible=False, range=[-0.6, most - 0.4], fixedrange=True)
    figure.update_yaxes(
        tickvals=[0.4, 1.4],
        ticktext=["now", "before"],
        range=[0, 2],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        automargin=True,
    )
    return figure


def _cells(
    figure: go.Figure, y: int, places: Sequence[int], labels: list[str], color: str, state: str
) -> None:
    figure.add_trace(
        go.Bar(
            x=list(places),
            y=[0.8] * len(places),
            base=y,
            marker={"color": color},
            customdata=[[i + 1, labels[i]] for i in places],
            hovertemplate=f"token %{{customdata[0]}}, {state}: %{{customdata[1]}}<extra></extra>",
        )
    )


def departure_sentence(trace: Trace, before: Trace, changed: list[str]) -> str:
    """Where and after which change the two part, in a sentence."""
    what = f"After {', '.join(changed)}, under the same dice: " if changed else ""
    place = departure(trace.tokens, before.tokens)
    if place is None:
        return f"{what}the text is the same, all {len(trace.tokens)} tokens."
    if place >= min(len(trace.tokens), len(before.tokens)):
        shorter = "this run" if len(trace.tokens) < len(before.tokens) else "the run before"
        return f"{what}the same {place} tokens, and then {shorter} ends."
    now = token_label(trace.pieces[trace.tokens[place]])
    then = token_label(before.pieces[before.tokens[place]])
    same = "the first token already differs" if place == 0 else f"the first {place} tokens stay"
    return f"{what}{same}, then {then} becomes {now}."
