"""One cycle as a table in HTML, stopped before a verdict: what is known, and what is asked.

The stepper shows the same rows and goes on; this one waits for a prediction.
"""

from html import escape

from charts import palette
from charts.labels import token_label
from speculation.trace import Cycle, Piece, Position

STYLE = f"""
<style>
.cycle-rows {{ border-collapse: collapse; width: 100%; max-width: 46rem; font-size: .95rem;
  font-variant-numeric: tabular-nums; }}
.cycle-rows caption {{ text-align: left; padding-bottom: .4rem; font-size: .9rem; }}
.cycle-rows th, .cycle-rows td {{ text-align: right; padding: .3rem .55rem; white-space: nowrap;
  border-bottom: 1px solid rgba(128, 128, 128, .3); font-weight: 400; }}
.cycle-rows thead th {{ font-size: .85rem; }}
.cycle-rows .token, .cycle-rows .verdict {{ text-align: left; }}
.cycle-rows .token {{ font-family: ui-monospace, monospace; }}
.cycle-rows .meter {{ width: 26%; min-width: 5rem; }}
.cycle-rows .meter div {{ position: relative; height: .75rem; border-radius: 2px;
  box-shadow: inset 0 0 0 1px rgba(128, 128, 128, .8); }}
.cycle-rows .zone {{ position: absolute; inset: 0 auto 0 0; background: {palette.DRAFT}; }}
.cycle-rows .pin {{ position: absolute; top: -.2rem; bottom: -.2rem; width: 3px;
  margin-left: -1.5px; background: currentColor; outline: 1px solid rgba(255, 255, 255, .8); }}
.cycle-rows .asked td, .cycle-rows .asked th {{ font-weight: 650; }}
.cycle-rows .unchecked {{ opacity: .8; }}
.cycle-rows .token {{ max-width: 9rem; overflow: hidden; text-overflow: ellipsis; }}
.cycle-rows .unchecked .verdict {{ border-bottom-style: dashed; }}
@media (max-width: 640px) {{ .cycle-rows .meter, .cycle-rows .place {{ display: none; }}
  .cycle-rows {{ font-size: .82rem; }}
  .cycle-rows thead th {{ font-size: .75rem; white-space: normal; }}
  .cycle-rows th, .cycle-rows td {{ padding: .3rem .2rem; }} }}
</style>
"""


def cycle_rows(cycle: Cycle, pieces: dict[int, Piece], known: int, asked: int | None = None) -> str:
    """The table. Rows before `known` show what decided and their verdict; the others do not.

    asked  the row that the question is about; later rows are not reached yet
    """
    rows = "".join(
        _row(i, x, pieces[x.token], shown=i < known, asked=asked)
        for i, x in enumerate(cycle.drafted)
    )
    head = (
        '<tr><th class="place" scope="col">#</th><th class="token" scope="col">drafted</th>'
        '<th scope="col">q</th><th scope="col">p</th><th scope="col">min(1, p/q)</th>'
        '<th scope="col">u</th><th class="meter" scope="col" aria-hidden="true"></th>'
        '<th class="verdict" scope="col">verdict</th></tr>'
    )
    caption = (
        f"Cycle {cycle.index + 1} of this run. A token is accepted when u is below min(1, p/q)."
    )
    return _table(caption, head, rows)


def drafted_rows(cycle: Cycle, pieces: dict[int, Piece], before: str, shown: bool) -> str:
    """The drafted tokens alone, after the text `before`; with their verdicts if `shown`."""
    rows = "".join(
        f'<tr class="{_kind(x, shown)}"><td class="place">{i + 1}</td>{_token(pieces[x.token])}'
        f"{_verdict(x.verdict if shown else '?')}</tr>"
        for i, x in enumerate(cycle.drafted)
    )
    head = (
        '<tr><th class="place" scope="col">#</th><th class="token" scope="col">drafted</th>'
        '<th class="verdict" scope="col">verdict</th></tr>'
    )
    caption = f"Cycle {cycle.index + 1} of this run. The text so far: <code>{escape(before)}</code>"
    return _table(caption, head, rows)


def _table(caption: str, head: str, rows: str) -> str:
    return (
        f'{STYLE}<table class="cycle-rows"><caption>{caption}</caption>'
        f"<thead>{head}</thead><tbody>{rows}</tbody></table>"
    )


def _row(i: int, x: Position, piece: Piece, shown: bool, asked: int | None) -> str:
    later = asked is not None and i > asked and not shown
    kind = ("asked " if i == asked else "") + _kind(x, shown)
    meter = (
        f'<div><span class="zone" style="width:{100 * x.a:.1f}%"></span>'
        f'<span class="pin" style="left:{100 * x.u:.1f}%"></span></div>'
        if shown
        else ""
    )
    a, u = (_digits(x.a), f"{x.u:.3f}") if shown else ("", "") if later else ("?", "?")
    return (
        f'<tr class="{kind.strip()}"><td class="place">{i + 1}</td>{_token(piece)}'
        f"<td>{_digits(x.q)}</td><td>{_digits(x.p)}</td><td>{a}</td><td>{u}</td>"
        f'<td class="meter" aria-hidden="true">{meter}</td>'
        f"{_verdict(x.verdict if shown else 'not reached yet' if later else '?')}</tr>"
    )


def _token(piece: Piece) -> str:
    return f'<th class="token" scope="row">{escape(token_label(piece))}</th>'


def _verdict(verdict: str) -> str:
    mark = {"accepted": "✓ ", "rejected": "✕ "}.get(verdict, "")
    return f'<td class="verdict">{mark}{verdict}</td>'


def _kind(x: Position, shown: bool) -> str:
    return "unchecked" if shown and x.verdict == "unchecked" else ""


def _digits(value: float) -> str:
    return f"{value:.3f}" if value >= 0.01 or value == 0.0 else f"{value:.2g}"
