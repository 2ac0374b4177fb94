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
    """The table. Rows before `known` show their verdict, the others a question mark.

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
    return (
        f'{STYLE}<table class="cycle-rows"><caption>Cycle {cycle.index + 1} of this run. '
        "A token is accepted when u is below min(1, p/q).</caption>"
        f"<thead>{head}</thead><tbody>{rows}</tbody></table>"
    )


def _row(i: int, x: Position, piece: Piece, shown: bool, asked: int | None) -> str:
    later = asked is not None and i > asked and not shown
    verdict = x.verdict if shown else "not reached yet" if later else "?"
    mark = {"accepted": "✓ ", "rejected": "✕ "}.get(verdict, "")
    kind = ("asked" if i == asked else "") + (" unchecked" if verdict == "unchecked" else "")
    u = "" if later else f"{x.u:.3f}"
    meter = (
        ""
        if later
        else f'<div><span class="zone" style="width:{100 * x.a:.1f}%"></span>'
        f'<span class="pin" style="left:{100 * x.u:.1f}%"></span></div>'
    )
    return (
        f'<tr class="{kind.strip()}"><td class="place">{i + 1}</td>'
        f'<th class="token" scope="row">{escape(token_label(piece))}</th>'
        f"<td>{_digits(x.q)}</td><td>{_digits(x.p)}</td><td>{_digits(x.a)}</td><td>{u}</td>"
        f'<td class="meter" aria-hidden="true">{meter}</td>'
        f'<td class="verdict">{mark}{verdict}</td></tr>'
    )


def _digits(value: float) -> str:
    return f"{value:.3f}" if value >= 0.01 or value == 0.0 else f"{value:.2g}"
