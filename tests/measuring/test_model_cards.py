"""The model cards: each shipped draft has one, and its numbers are those that were measured."""

import pytest

from measuring.ladder.model_cards import FOLDER, HEADING, measured, side_by_side, with_numbers
from measuring.ladder_file import DraftMeasurements, Rung
from measuring.shipped import measured_drafts

CARD = "# A draft\n\n## Measured\n\nalpha .99\n\n## Limits\nMany.\n"


@pytest.fixture
def found() -> DraftMeasurements:
    numbers = measured_drafts()
    assert numbers is not None
    return numbers


@pytest.fixture
def rung(found: DraftMeasurements) -> Rung:
    return found.rungs[0]


def test_every_draft_with_weights_has_a_card(found: DraftMeasurements) -> None:
    folders = {file.parent for file in FOLDER.glob("*/model.safetensors")}
    assert {folder.name for folder in folders} <= {rung.name for rung in found.rungs}
    for folder in folders:
        card = (folder / "README.md").read_text()
        assert card.startswith("---\nlicense: apache-2.0\n"), folder
        for said in ("**What it is.**", "**How it was made.**", "**Limits.**", "**License.**"):
            assert said in card, (folder.name, said)


def test_the_numbers_on_the_cards_are_the_measured_ones(found: DraftMeasurements) -> None:
    for rung in found.rungs:
        card = FOLDER / rung.name / "README.md"
        if card.exists():
            assert card.read_text() == with_numbers(card.read_text(), measured(found, rung)), (
                rung.name
            )


def test_only_the_measured_section_is_written_anew(found: DraftMeasurements, rung: Rung) -> None:
    section = measured(found, rung)
    card = with_numbers(CARD, section)
    assert card.startswith("# A draft\n\n## Measured\n\nBy `make measure`")
    assert card.endswith("\n\n## Limits\nMany.\n")
    assert ".99" not in card
    assert with_numbers(card, section) == card
    fresh = with_numbers("# A draft\n", section)
    assert fresh == f"# A draft\n\n{section.rstrip()}\n"
    assert with_numbers(fresh, section) == fresh


def test_the_section_has_every_kind_and_temperature(found: DraftMeasurements, rung: Rung) -> None:
    section = measured(found, rung)
    assert section.startswith(HEADING)
    for kind in found.prompts:
        row = next(x for x in section.splitlines() if x.startswith(f"| {kind} |"))
        assert row.count("|") == 6
    cell = found.alpha_cell(rung.name, "code", 1.0)
    assert cell is not None
    assert cell.alpha.text in section


def test_the_page_about_all_drafts_has_the_measured_numbers(found: DraftMeasurements) -> None:
    page = (FOLDER / "README.md").read_text()
    assert page == with_numbers(page, side_by_side(found))
    for rung in found.rungs:
        assert f"| {rung.title} |" in page
