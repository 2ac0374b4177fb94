"""p against q at one position, and the residual under it on the same tokens."""

from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots
from speculation.trace import Cycle, Piece, Position, Table, Trace

from charts import palette
from charts.labels import axis_label, token_label


@dataclass(frozen=True)
class Marks:
    """Which tokens are marked: the drafted one and the one that ended the cycle here."""

    drafted: int | None
    replacing: int | None


def laws_figure(trace: Trace, cycle: Cycle, place: int) -> go.Figure | None:
    """The figure for one place of a cycle: a drafted position, or k for the bonus.

    None where there is nothing to draw: an unchecked position has no law that counts.
    """
    if place >= len(cycle.drafted):
        bonus = cycle.replacement
        if bonus is None or bonus.table is None:
            return None
        return _bars(bonus.table, trace.pieces, Marks(None, bonus.token))
    position = cycle.drafted[place]
    if position.table is None:
        return None
    return _bars(position.table, trace.pieces, _marks(cycle, position))


def laws_sentence(trace: Trace, cycle: Cycle, place: int) -> str:
    """What the figure shows, in a sentence made from its data."""
    if place >= len(cycle.drafted):
        bonus = cycle.replacement
        if bonus is None:
            return "The text ended inside the draft, so no further token was needed."
        name = token_label(trace.pieces[bonus.token])
        return (
            f"All drafts were accepted, so the target's own law gives one more token: {name}, "
            f"drawn from p, where it has probability {bonus.p:.3g}."
        )
    position = cycle.drafted[place]
    name = token_label(trace.pieces[position.token])
    if position.overlap is None:
        return (
            f"{name} was drafted after a rejection. The prefix it continues was thrown away, so "
            "there is nothing here to compare."
        )
    sentence = (
        f"The two laws overlap by {position.overlap:.2f}: the sum over all {trace.vocab_size:,} "
        "tokens of the smaller of p and q, which is the chance that a draft is accepted here. "
    )
    if position.verdict == "accepted":
        if position.p >= position.q:
            return sentence + f"{name} has p ≥ q, so it was sure to be kept."
        return sentence + f"{name} has p < q; the draw u was below p/q, so it was kept."
    replacement = cycle.replacement
    sentence += f"{name} was rejected."
    if replacement is not None:
        other = token_label(trace.pieces[replacement.token])
        sentence += f" {other} was drawn instead, from what the target wanted beyond q."
    return sentence


def _marks(cycle: Cycle, position: Position) -> Marks:
    ends_here = position.verdict == "rejected" and cycle.replacement is not None
    return Marks(position.token, cycle.replacement.token if ends_here else None)  # type: ignore[union-attr]


def _bars(table: Table, pieces: dict[int, Piece], marks: Marks) -> go.Figure:
    """Paired bars of p and q; the residual in a second row, where there is a q."""
    has_q = bool(table.q)
    names = [_marked(token, pieces, marks) for token in table.tokens]
    names.append(f"other ({table.tail_count:,})")
    # Bars are placed by number: two tokens may read alike.
    xs = list(range(len(names)))
    mass = sum(table.left) + table.tail_left
    figure = make_subplots(
        rows=2 if has_q else 1,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.09,
        row_heights=[0.6, 0.4] if has_q else None,
    )

    def add(row: int, name: str, color: str, values: list[float], pattern: str = "") -> None:
        figure.add_trace(
            go.Bar(
                x=xs,
                y=values,
                name=name,
                marker={"color": color, "pattern": {"shape": pattern, "fgcolor": color}},
                customdata=names,
                hovertemplate="%{customdata}<br>" + name + ": %{y:.4g}<extra></extra>",
            ),
            row=row,
            col=1,
        )

    add(1, "p, target", palette.TARGET, [*table.p, table.tail_p])
    if has_q:
        add(1, "q, draft", palette.DRAFT, [*table.q, table.tail_q])
        left = [*table.left, table.tail_left]
        residual = [x / mass for x in left] if mass > 0 else [0.0 for _ in left]
        add(2, "residual", palette.RESIDUAL, residual)
        figure.update_yaxes(title_text="residual", row=2, col=1, rangemode="tozero")
    figure.update_yaxes(title_text="probability", row=1, col=1, rangemode="tozero")
    figure.update_xaxes(
        tickmode="array", tickvals=xs, ticktext=names, tickangle=-40, row=2 if has_q else 1, col=1
    )
    figure.update_layout(
        barmode="group",
        bargap=0.25,
        height=430 if has_q else 300,
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        uirevision="laws",
    )
    figure.update_yaxes(automargin=True, nticks=5)
    figure.update_xaxes(automargin=True)
    return figure


def _marked(token: int, pieces: dict[int, Piece], marks: Marks) -> str:
    """The tick label of a token; the marked ones say in words why."""
    name = axis_label(pieces[token])
    if token == marks.drafted:
        name = f"<b>{name}</b> drafted"
    if token == marks.replacing:
        name = f"<b>{name}</b> ◆ {'drawn' if marks.drafted is not None else 'bonus'}"
    return name
