"""p against q at one position, and the residual under it on the same tokens."""

from dataclasses import dataclass

import plotly.graph_objects as go

from charts import palette
from charts.labels import axis_label, token_label
from speculation.trace import Cycle, Piece, Position, Table, Trace


@dataclass(frozen=True)
class Marks:
    """Which tokens are marked: the drafted one and the one that ended the cycle here."""

    drafted: int | None
    replacing: int | None


def laws_figure(trace: Trace, cycle: Cycle, place: int) -> go.Figure | None:
    """The figure for one place of a cycle: a drafted position, or k for the bonus.

    None where there is nothing to draw: an unchecked position has no law that counts.
    """
    table, marks = _table_at(cycle, place)
    return None if table is None else _bars(table, trace.pieces, marks)


def laws_numbers(trace: Trace, cycle: Cycle, place: int) -> dict[str, list[str]] | None:
    """The figure's bars as columns of a table, in six digits; None where there is no figure."""
    table, marks = _table_at(cycle, place)
    if table is None:
        return None
    names = [token_label(trace.pieces[token]) for token in table.tokens]
    columns = {
        "token": [*names, f"other ({table.tail_count:,})"],
        "p": _digits([*table.p, table.tail_p]),
    }
    if table.q:
        columns["q"] = _digits([*table.q, table.tail_q])
        columns["residual"] = _digits(_residual(table))
    said = {marks.replacing: "drawn" if table.q else "bonus", marks.drafted: "drafted"}
    return columns | {"": [*(said.get(token, "") for token in table.tokens), ""]}


def laws_sentence(trace: Trace, cycle: Cycle, place: int) -> str:
    """What the figure shows, in a sentence made from its data."""
    if place >= len(cycle.drafted):
        bonus = cycle.replacement
        if bonus is None:
            return "The text ended inside the draft, so no further token was needed."
        name = token_label(trace.pieces[bonus.token])
        return (
            f"All drafts were accepted, so the target's own distribution gives one more token: "
            f"{name}, drawn from p, where it has probability {bonus.p:.3g}."
        )
    position = cycle.drafted[place]
    name = token_label(trace.pieces[position.token])
    if position.overlap is None:
        return (
            f"{name} was drafted after a rejection. The prefix it continues was thrown away, so "
            "there is nothing here to compare."
        )
    sentence = (
        f"The two distributions overlap by {position.overlap:.2f}: the sum over all "
        f"{trace.vocab_size:,} tokens of the smaller of p and q, which is the chance that a draft "
        "is accepted here. "
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


def _table_at(cycle: Cycle, place: int) -> tuple[Table | None, Marks]:
    if place >= len(cycle.drafted):
        bonus = cycle.replacement
        return (
            (None, Marks(None, None))
            if bonus is None
            else (
                bonus.table,
                Marks(None, bonus.token),
            )
        )
    position = cycle.drafted[place]
    return position.table, _marks(cycle, position)


def _residual(table: Table) -> list[float]:
    """max(0, p - q), normalized, the tail last; zeros where p = q."""
    left = [*table.left, table.tail_left]
    mass = sum(left)
    return [x / mass if mass > 0 else 0.0 for x in left]


def _digits(values: list[float]) -> list[str]:
    return [f"{value:.6g}" for value in values]


def _marks(cycle: Cycle, position: Position) -> Marks:
    ends_here = position.verdict == "rejected" and cycle.replacement is not None
    return Marks(position.token, cycle.replacement.token if ends_here else None)  # type: ignore[union-attr]


def _bars(table: Table, pieces: dict[int, Piece], marks: Marks) -> go.Figure:
    """Paired bars of p and q; the residual in a second row, where there is a q.

    The layout is written out, with fixed margins: letting Plotly find them draws the figure twice.
    """
    names = [_marked(token, pieces, marks) for token in table.tokens]
    names.append(f"other ({table.tail_count:,})")
    # Bars are placed by number: two tokens may read alike.
    xs = list(range(len(names)))

    def bars(name: str, color: str, values: list[float], row: str = "") -> go.Bar:
        return go.Bar(
            x=xs,
            y=values,
            name=name,
            yaxis=f"y{row}",
            marker={"color": color},
            customdata=names,
            hovertemplate="%{customdata}<br>" + name + ": %{y:.4g}<extra></extra>",
        )

    def axis(title: str, low: float, high: float) -> dict[str, object]:
        return {
            "title": {"text": title, "standoff": 4},
            "domain": [low, high],
            "rangemode": "tozero",
            "nticks": 5,
        }

    data = [bars("p, target", palette.TARGET, [*table.p, table.tail_p])]
    layout: dict[str, object] = {
        "barmode": "group",
        "bargap": 0.25,
        "margin": {"l": 52, "r": 8, "t": 34, "b": 96},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        "height": 340,
        "xaxis": {"tickvals": xs, "ticktext": names, "tickangle": -40, "anchor": "y"},
        "yaxis": axis("probability", 0.0, 1.0),
    }
    if table.q:
        residual = _residual(table)
        data.append(bars("q, draft", palette.DRAFT, [*table.q, table.tail_q]))
        data.append(bars("residual", palette.RESIDUAL, residual, "2"))
        layout |= {
            "height": 450,
            "xaxis": {"tickvals": xs, "ticktext": names, "tickangle": -40, "anchor": "y2"},
            "yaxis": axis("probability", 0.46, 1.0),
            "yaxis2": axis("residual", 0.0, 0.36),
        }
    return go.Figure(data, layout)


def _marked(token: int, pieces: dict[int, Piece], marks: Marks) -> str:
    """The tick label of a token; the marked ones say in words why."""
    name = axis_label(pieces[token])
    if token == marks.drafted:
        name = f"<b>{name}</b> drafted"
    if token == marks.replacing:
        name = f"<b>{name}</b> ◆ {'drawn' if marks.drafted is not None else 'bonus'}"
    return name
