"""Part 3: alpha by kind of prompt and temperature, every cell a link to that run in the Lab."""

from html import escape
from urllib.parse import urlencode

import streamlit as st

from charts import palette
from measuring.ladder_file import TEMPERATURES, AlphaCell, DraftMeasurements
from measuring.run_record import link_settings, seed_of
from widgets import places
from widgets.pays.choice import KIND_TITLES, Choice
from widgets.pays.html_table import table

DARK_TEXT_ABOVE = 0.63  # below it, white on the dark page reads better

_STYLE = f"""
<style>
.heat {{ overflow-x: auto; max-width: 100%; }}
.heat table {{ border-collapse: separate; border-spacing: 3px; font-size: .95rem;
  font-variant-numeric: tabular-nums; }}
.heat th {{ font-weight: 600; text-align: left; padding: .35rem .6rem .35rem 0;
  white-space: nowrap; }}
.heat thead th {{ text-align: center; padding: .2rem .5rem; }}
.heat td {{ padding: 0; min-width: 4.6rem; text-align: center; }}
.heat td a, .heat td span {{ display: block; padding: .6rem .3rem; border-radius: 4px;
  text-decoration: none; color: light-dark(#111, #fff);
  background: color-mix(in srgb, {palette.DRAFT} calc(var(--share) * 100%), transparent); }}
.heat td.high a {{ color: #000; }}
.heat td a:hover, .heat td a:focus-visible {{ outline: 2px solid {palette.PARTED}; }}
.contexts {{ overflow-x: auto; }}
.contexts th, .contexts td {{ text-align: left; padding: .3rem 1.2rem .3rem 0; font-size: .9rem;
  white-space: nowrap; font-variant-numeric: tabular-nums; }}
.heat td span {{ background: none; opacity: .6; }}
@media (max-width: 640px) {{
  .heat th[scope=row] {{ white-space: normal; min-width: 4.6rem; }}
  .heat td {{ min-width: 3.3rem; }}
}}
</style>
"""


def heat(choice: Choice) -> None:
    """The table for the chosen draft, and a sentence made from it."""
    st.html(_STYLE + table_html(choice.found, choice.rung.name))
    st.markdown(heat_sentence(choice.found, choice.rung.name))
    _same_texts(choice.found)
    _contexts(choice.found)


def table_html(found: DraftMeasurements, rung: str) -> str:
    """Kinds down, temperatures across."""
    head = "".join(f"<th scope=col>T = {t:g}</th>" for t in TEMPERATURES)
    body = ""
    for kind in found.prompts:
        cells = "".join(_cell(found, rung, kind, t) for t in TEMPERATURES)
        body += f"<tr><th scope=row>{escape(KIND_TITLES.get(kind, kind))}</th>{cells}</tr>"
    label = f"Alpha of {rung} by kind of prompt and temperature"
    return (
        f"<div class=heat role=region tabindex=0 aria-label='{escape(label)}'><table>"
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(found: DraftMeasurements, rung: str, kind: str, temperature: float) -> str:
    cell = found.alpha_cell(rung, kind, temperature)
    if cell is None:
        return "<td><span>–</span></td>"
    alpha = cell.alpha
    where = f"{KIND_TITLES.get(kind, kind)}, T = {temperature:g}"
    title = (
        f"{where}: {alpha.mean:.2f}, 95% {alpha.low:.2f} to {alpha.high:.2f}, {cell.checked} "
        "positions checked. Opens this run in the Lab, in a new tab."
    )
    words = escape(title)
    style = f"--share: {alpha.mean:.3f}"
    high = " class=high" if alpha.mean > DARK_TEXT_ABOVE else ""
    return (
        f"<td{high}><a href='{escape(lab_address(found, cell))}' target='_blank' "
        f"title='{words}' aria-label='{words}' style='{style}'>{alpha.mean:.2f}</a></td>"
    )


def lab_address(found: DraftMeasurements, cell: AlphaCell) -> str:
    """The address of the first of the cell's runs, with its seed."""
    rung = found.rung(cell.rung)
    settings = link_settings(
        rung.pair if rung else cell.rung,
        found.prompts[cell.kind][0],
        cell.temperature,
        cell.k,
        seed_of(cell.rung, cell.kind, 0, cell.k),
        found.lengths.get(cell.kind, 20),
    )
    return f"{places.address(places.LAB)}?{urlencode(settings.to_link())}"


def heat_sentence(found: DraftMeasurements, rung: str) -> str:
    """The highest and the lowest cell."""
    cells = [x for x in found.alpha if x.rung == rung]
    if not cells:
        return "This draft proposed nothing on these prompts."
    best = max(cells, key=lambda x: x.alpha.mean)
    worst = min(cells, key=lambda x: x.alpha.mean)
    prompts = max(len(x) for x in found.prompts.values())
    return (
        f"Highest: {_named(best)}. Lowest: {_named(worst)}. Each cell is a mean over up to "
        f"{prompts} held-out prompts, whole vocabulary, float32, k = {best.k}; rest the pointer "
        "on it for its interval."
    )


def _named(cell: AlphaCell) -> str:
    kind = KIND_TITLES.get(cell.kind, cell.kind).lower()
    return f"{kind} at T = {cell.temperature:g}, {cell.alpha.text}"


def _same_texts(found: DraftMeasurements) -> None:
    """Every draft at the same positions, so that two drafts can be compared."""
    if not found.agreement:
        return
    with st.expander("All drafts on the same texts"):
        rows = {
            x.rung: [x.alpha.text]
            + [x.by_kind[kind].text if kind in x.by_kind else "–" for kind in found.prompts]
            for x in found.agreement
        }
        kinds = [KIND_TITLES.get(kind, kind) for kind in found.prompts]
        st.html(table("contexts", "Alpha of every draft on the same texts", ["All", *kinds], rows))
        texts = found.agreement[0].alpha.count
        said = (
            f"Alpha at T = 1 on {texts} texts that the target wrote alone, wherever a draft "
            "proposes. In the map above a draft's own runs decide what is checked; here no draft "
            "does. The interval draws texts again."
        )
        if found.baseline is not None:
            said += f" The draft that training began with: {found.baseline.alpha.text}."
        st.caption(said)


def _contexts(found: DraftMeasurements) -> None:
    """Does agreement last when the context grows?"""
    if not found.context:
        return
    with st.expander("Agreement in longer contexts"):
        lengths = sorted({x.tokens for x in found.context})
        by_rung: dict[str, dict[int, str]] = {}
        for x in found.context:
            by_rung.setdefault(x.rung, {})[x.tokens] = x.alpha.text
        rows = {rung: [cells.get(n, "–") for n in lengths] for rung, cells in by_rung.items()}
        columns = [f"{n:,} tokens" for n in lengths]
        st.html(table("contexts", "Alpha by context length", columns, rows))
        st.caption(
            "Alpha at T = 1 around each length, on long texts that the target wrote; the interval "
            "draws texts again. The drafts were trained on short rows."
        )
