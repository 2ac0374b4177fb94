"""The measured part of each draft's model card, written anew by `make measure`.

A card (assets/drafts/NAME/README.md) says in a person's words what a draft is and how it was made;
its section "Measured" is made from assets/measurements/drafts.json, so that the two cannot part.
The page about all of them (assets/drafts/README.md) has such a section too.
"""

import re
from pathlib import Path

from measuring.intervals import Estimate
from measuring.ladder_file import PRECISIONS, TEMPERATURES, Agreement, DraftMeasurements, Rung
from speculation.pairs.assets import ASSETS

FOLDER = ASSETS / "drafts"
HEADING = "## Measured"
_SECTION = re.compile(rf"^{HEADING}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def write_cards(found: DraftMeasurements, folder: Path = FOLDER) -> list[Path]:
    """Put the numbers into every card that is there -> the files."""
    written = []
    for rung in found.rungs:
        card = folder / rung.name / "README.md"
        if card.exists():
            card.write_text(with_numbers(card.read_text(), measured(found, rung)))
            written.append(card)
    ladder = folder / "README.md"
    if ladder.exists():
        ladder.write_text(with_numbers(ladder.read_text(), side_by_side(found)))
        written.append(ladder)
    return written


def with_numbers(card: str, section: str) -> str:
    """A card with its measured section in place of an earlier one, or at the end."""
    if _SECTION.search(card):
        return _SECTION.sub(lambda _: section, card).rstrip("\n") + "\n"
    return f"{card.rstrip()}\n\n{section}".rstrip("\n") + "\n"


def measured(found: DraftMeasurements, rung: Rung) -> str:
    """The section: agreement by kind and temperature, by context, and what a step costs."""
    kinds = {kind for kind in found.prompts if found.alpha_cell(rung.name, kind, 1.0)}
    rows = [
        [kind, *(_cell(found, rung.name, kind, t) for t in TEMPERATURES)]
        for kind in found.prompts
        if kind in kinds
    ]
    cost = ", ".join(f"{c:.3f} in {precision}" for precision, c in rung.cost.items())
    lines = [
        HEADING,
        "",
        f"By `make measure` on {found.machine}, {found.recorded_at[:10]}; every number is in "
        "`assets/measurements/drafts.json`. Alpha is the mean over checked positions of the sum "
        "of min(p, q) over the whole vocabulary, with its 95% interval, in float32, on texts that "
        "the target wrote to prompts whose templates and topics are not in the training data.",
        "",
        *_table(["prompts", *(f"T = {t:g}" for t in TEMPERATURES)], rows),
    ]
    agreed = found.agreement_of(rung.name)
    if agreed is not None:
        lines += ["", _agreed(found, agreed)]
    contexts = [x for x in found.context if x.rung == rung.name]
    if contexts:
        head = [f"after {x.tokens:,} tokens" for x in contexts]
        lines += ["", "At T = 1, by how much text stands before:", ""]
        lines += _table(head, [[x.alpha.text for x in contexts]])
    if cost:
        lines += ["", f"One step takes this share of the target's step (c): {cost}."]
    return "\n".join(lines) + "\n\n"


def side_by_side(found: DraftMeasurements) -> str:
    """The section of the page about all drafts: agreement against cost, and what came of it."""
    rows = []
    for rung in found.rungs:
        agreed = found.agreement_of(rung.name)
        best = found.fastest(rung.name)
        earned = "-"
        if best is not None:
            where = f"{best.kind}, T = {best.temperature:g}, k = {best.k}, {best.precision}"
            earned = f"{best.speedup.text} on {where}"
        rows.append(
            [
                rung.title,
                f"{rung.megabytes:g} MB",
                agreed.alpha.text if agreed else "-",
                *(f"{rung.cost[x]:.3f}" if x in rung.cost else "-" for x in PRECISIONS),
                earned,
            ]
        )
    head = ["draft", "weights", "alpha at T = 1", *(f"c, {x}" for x in PRECISIONS)]
    texts = next((x.alpha.count for x in found.agreement), 0)
    lines = [
        HEADING,
        "",
        f"By `make measure` on {found.machine}, {found.recorded_at[:10]}; every number is in "
        "`assets/measurements/drafts.json`. Alpha: the mean of the sum of min(p, q) over the whole "
        f"vocabulary, where a draft proposes, on {texts} texts that the target wrote alone to "
        "held-out prompts. c: a draft step's time over a target step's. The last column is the "
        "best of all settings measured, tokens/s over plain decoding beside it; most are lower.",
        "",
        *_table([*head, "the most it earned"], rows),
    ]
    return "\n".join(lines) + "\n\n"


def _agreed(found: DraftMeasurements, agreed: Agreement) -> str:
    """The one number, on texts that do not depend on the draft."""
    said = (
        f"Read beside the target on {agreed.alpha.count} of its own texts, at every one of "
        f"{agreed.positions:,} positions, T = 1: {agreed.alpha.text}"
    )
    gain = agreed.above_start
    if gain is None or found.baseline is None:
        return f"{said}."
    return (
        f"{said}. The draft that training started from has {found.baseline.alpha.text} there; the "
        f"difference, text by text, is {gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})."
    )


def _cell(found: DraftMeasurements, rung: str, kind: str, temperature: float) -> str:
    cell = found.alpha_cell(rung, kind, temperature)
    estimate: Estimate | None = cell.alpha if cell else None
    return estimate.text if estimate else "-"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [
        "| " + " | ".join(head) + " |",
        "|---" * len(head) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
