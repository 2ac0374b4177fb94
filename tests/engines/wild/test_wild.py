"""The engines in the wild: the record on file, the verdicts, and a foreign function over a pipe."""

import sys
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from engines.foreign import Foreign, ForeignError
from engines.wild import record
from engines.wild.__main__ import added, with_known
from engines.wild.catalog import ENVIRONMENTS, PATHS
from engines.wild.findings import CANNOT, FINDINGS
from engines.wild.install import DRIVERS
from engines.wild.measure import SETTINGS, Amount, measure, request_of, told
from engines.wild.record import Measured, NotRun, Outcome, Row, Wild
from engines.wild.table_text import table
from helpers.tables import TableModel
from speculation.sampling import law

SHOWN = DRIVERS.parent / "shown"
LONGEST_SCRIPT = 20


def outcome(p_value: float, settings: int = 1) -> Outcome:
    numbers = {"texts": 9, "outcomes": 4, "effect": 0.1, "low": 0.0, "high": 0.2, "sees": 0.1}
    one = Measured(setting="temperature 1", p_value=p_value, **numbers)
    return Outcome(tested=(one,) * settings, seconds=1.0)


def row(control: float = 0.5, found: float = 0.5, which: int = 0) -> Row:
    path = PATHS[which]
    return Row(
        engine=path.engine, version="1", packages={path.package: "1"}, path=path.label,
        driver="x.py:f", twin="plain", claims="exact", date="2026-12-01",
        control=outcome(control), found=outcome(found),
    )  # fmt: skip


def test_a_deviation_is_claimed_only_beside_a_clean_control() -> None:
    assert row(found=1e-7).verdict == "deviates"
    assert row(found=1e-5).verdict == "unclear"
    assert row(found=0.4).verdict == "passes"
    assert row(control=1e-3, found=1e-30).verdict == "unclear"
    assert row(control=1e-3, found=0.4).verdict == "unclear"
    assert outcome(4e-7).verdict == "deviates"
    assert outcome(4e-7, settings=4).verdict == "unclear", "four settings are four chances"


def test_the_shipped_record_is_whole_and_agrees_with_the_catalog() -> None:
    found = record.read()
    assert len(found.engines) >= 5
    assert len(found.rows) >= 12
    known = {path.key for path in PATHS}
    assert {(x.engine, x.path) for x in found.rows} <= known
    assert {x.setting for one in found.rows for x in one.found.tested} <= set(SETTINGS)
    for one in found.rows:
        assert one.control.verdict == "passes", f"the control of {one.engine}, {one.path}"
        if one.verdict == "deviates":
            assert one.mechanism, f"{one.engine}, {one.path} deviates and nobody says why"
            assert (SHOWN / one.script).exists()
            assert one.changed is None or one.changed.verdict == "passes"
    assert table(found).count("\n") >= len(found.rows)
    text = record.FILE.read_text(encoding="utf-8")
    assert "/work" not in text
    assert "/home" not in text
    with pytest.raises(ValidationError):
        Wild.model_validate_json(text.replace('"p_value"', '"chance"', 1))


def test_lines_replace_each_other_and_findings_are_told_of_deviations_only() -> None:
    index = next(i for i, path in enumerate(PATHS) if path.key in FINDINGS)
    empty = Wild(machine="m", pair="p")
    one = with_known(added(empty, row(found=0.0, which=index)))
    assert one.rows[0].mechanism == FINDINGS[PATHS[index].key].mechanism
    assert with_known(added(one, row(which=index))).rows[0].mechanism == ""
    failed = NotRun(
        engine=PATHS[index].engine, version="1", path=PATHS[index].label, reason="x", date=""
    )
    two = with_known(added(one, failed))
    assert two.rows == ()
    assert two.not_run == (failed, *CANNOT)
    assert with_known(two) == two


def test_the_catalog_names_what_there_is() -> None:
    for path in PATHS:
        pins = (*ENVIRONMENTS[path.environment].packages, *ENVIRONMENTS[path.environment].bare)
        assert all("==" in pin for pin in pins)
        assert any(pin.startswith(f"{path.package}==") or pin.startswith(f"{path.package}[")
                   for pin in pins), path.package  # fmt: skip
        assert (DRIVERS / path.driver).exists()
        assert set(path.settings) <= set(SETTINGS)
    assert len({path.key for path in PATHS}) == len(PATHS)
    assert set(FINDINGS) <= {path.key for path in PATHS}
    for known in FINDINGS.values():
        lines = (SHOWN / known.script).read_text(encoding="utf-8").splitlines()
        assert len(lines) <= LONGEST_SCRIPT


DRIVER = """
import random

LAW = {law}
def ready(options):
    if options["model"] == "none":
        raise FileNotFoundError("no model")
def exact(prompt, settings, seeds):
    print("noise that must not come between the answers")
    out = []
    for seed in seeds:
        rng = random.Random(seed)
        text = []
        while len(text) < settings["length"] and not (text and text[-1] in settings["end"]):
            text.append(rng.choices(range(len(LAW)), LAW)[0])
        out.append(text)
    return out
def biased(prompt, settings, seeds):
    return [[1, *text[1:]] if text[0] == 0 and text[-1] % 2 else text
            for text in exact(prompt, settings, seeds)]
def fails(prompt, settings, seeds):
    raise RuntimeError("out of luck")
"""


@pytest.fixture
def driver(tmp_path: Path) -> tuple[Path, TableModel]:
    """A function over four tokens, each drawn from the same law whatever came before."""
    p = np.array([0.4, 0.3, 0.2, 0.1])
    file = tmp_path / "driver.py"
    file.write_text(DRIVER.format(law=p.tolist()))
    return file, TableModel(lambda text: p, 4)


def asked(file: Path, name: str, model: str = "there") -> Foreign:
    return Foreign(Path(sys.executable), file, name, {"model": model})


@pytest.mark.parametrize(("name", "verdict"), [("exact", "passes"), ("biased", "deviates")])
def test_a_foreign_function_is_measured(
    driver: tuple[Path, TableModel], name: str, verdict: str
) -> None:
    file, target = driver
    with asked(file, name) as engine:
        found = measure(engine, target, ("temperature 1",), Amount(4_000, 60.0), 500)
    assert found.verdict == verdict
    assert found.texts == 4_000
    apart, by_chance = found.worst.apart, found.worst.apart_by_chance
    assert apart is not None
    assert by_chance is not None
    assert (apart > 2 * by_chance) == (verdict == "deviates")


def test_an_engine_that_fails_says_why(driver: tuple[Path, TableModel]) -> None:
    file, _ = driver
    with pytest.raises(ForeignError, match="no model"):
        asked(file, "exact", model="none")
    with asked(file, "fails") as engine, pytest.raises(ForeignError, match="out of luck"):
        engine.texts((1,), told(request_of("temperature 1", 3)), [1])
    with pytest.raises(ForeignError):
        asked(file, "nothing of that name")


def test_settings_are_told_in_plain_words() -> None:
    request = request_of("two tokens biased", 15)
    assert told(request)["logit_bias"] == [[4, -1.5], [3, 2.0]]
    assert told(request)["end"] == [15]
    assert law(np.zeros(4), request.sampling).sum() == pytest.approx(1.0)
