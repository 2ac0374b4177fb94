"""The page "When it pays": an engine's numbers, its figures and sentences, and a visit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from charts.pays import curve, dials, forecast, meters, time_parts
from charts.pays.dials import Place
from helpers.made_records import made_up
from helpers.patience import patience
from measuring import shipped
from measuring.engine_numbers import DEFINITIONS, Definition, Printed, invert, read
from measuring.ladder_file import DraftMeasurements
from speculation.settings import Settings
from speculation.theory import accepted_over_drafted, expected_speedup, expected_tau
from widgets.pays import alpha_map, engine_names

APP = Path(__file__).resolve().parents[3] / "app"


@pytest.fixture(scope="module")
def found() -> DraftMeasurements:
    return made_up()


# An engine's numbers


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.8, 0.99])
@pytest.mark.parametrize("k", [1, 5, 12])
def test_alpha_comes_back_from_whatever_is_printed(alpha: float, k: int) -> None:
    tau = expected_tau(alpha, k)
    printed: dict[Definition, float] = {
        "drafted": accepted_over_drafted(alpha, k), "checked": alpha, "tau": tau,
        "accepted": tau - 1.0,
    }  # fmt: skip
    assert set(printed) == set(DEFINITIONS)
    for definition, value in printed.items():
        assert invert(Printed(k, value, definition)) == pytest.approx(alpha, abs=1e-6), definition


@pytest.mark.parametrize(
    ("value", "definition"),
    [(1.2, "drafted"), (-0.1, "checked"), (0.5, "tau"), (9.0, "tau"), (5.5, "accepted")],
)
def test_a_number_that_cannot_be_is_refused(value: float, definition: Definition) -> None:
    with pytest.raises(ValueError, match="expected a number"):
        invert(Printed(5, value, definition))


def test_a_gain_as_forecast_has_no_suspects() -> None:
    speed = 50 * expected_speedup(0.8, 5, 0.1, 1.5)
    reading = read(Printed(5, 0.8, "checked", speed, 50.0, c=0.1, per_row=0.1))
    assert reading.measured == pytest.approx(reading.expected)
    assert reading.cost == pytest.approx(2.0)
    assert reading.suspects == ()
    assert reading.forecast[reading.best] == max(reading.forecast.values())


@pytest.mark.parametrize("batch", [1, 32])
def test_each_suspect_alone_explains_the_whole_difference(batch: int) -> None:
    reading = read(Printed(4, 0.7, "checked", 60.0, 50.0, batch, c=0.05, per_row=0.0))
    assert reading.measured == pytest.approx(1.2)
    assert reading.cost is not None
    found = {x.name: x.finding for x in reading.suspects}
    assert ("Batch" in found) == (batch > 1)
    c = (reading.cost - 1.0) / 4
    assert f"have to be {c:.2f}, not 0.05" in found["Draft cost"]
    assert expected_speedup(0.7, 4, c) == pytest.approx(1.2)
    v = reading.cost - 0.2
    assert f"cost {v:.2f} plain steps" in found["Block cost"]
    assert expected_speedup(0.7, 4, 0.05, v) == pytest.approx(1.2)
    ms = 1000 * batch * (reading.cost - 1.2) / 50
    assert f"{ms:.1f} ms" in found["Fixed overhead"]


def test_a_block_cannot_cost_more_than_its_rows() -> None:
    reading = read(Printed(4, 0.7, "checked", 20.0, 50.0))
    block = next(x for x in reading.suspects if x.name == "Block cost")
    assert "cannot be this alone" in block.finding


# Figures and sentences


def test_the_break_even_line_is_where_the_forecast_is_one() -> None:
    chosen = Place("one", 0.7, 0.2)
    figure = dials.dials_figure([chosen], chosen, 4, 1.3)
    line = next(x for x in figure.data if x.name == "break-even at k = 4")
    for alpha, c in zip(line.x[30::10], line.y[30::10], strict=True):
        if c >= 0:
            assert expected_speedup(float(alpha), 4, float(c), 1.3) == pytest.approx(1.0)
    for c, words in ((0.1, "below it: it pays"), (0.5, "does not pay")):
        place = Place("one", 0.7, c)
        gain = {"one": expected_speedup(0.7, 4, c, 1.3) - 1}
        assert words in dials.dials_sentence(place, 4, 1.3, gain)
    assert "costs nothing is slower" in dials.dials_sentence(Place("", 0.1, 0), 4, 1.5, {})


def test_labels_of_close_drafts_lie_on_different_sides() -> None:
    low, high, far = Place("low", 0.51, 0.05), Place("high", 0.50, 0.075), Place("far", 0.56, 0.14)
    ends = Place("left", 0.02, 0.22), Place("right", 0.95, 0.1)
    figure = dials.dials_figure([low, high, far, *ends], far, 4, 1.3)
    (dots,) = [trace for trace in figure.data if trace.mode == "markers+text"]
    sides = dict(zip(dots.text, dots.textposition, strict=True))
    assert sides == {
        "low": "bottom center", "high": "top center", "far": "top center",
        "left": "middle right", "right": "middle left",
    }  # fmt: skip


def test_the_curve_shows_what_was_measured(found: DraftMeasurements) -> None:
    cells = found.speed_cells("layers-4", "code", 1.0, "bfloat16")
    assert [x.k for x in cells] == [1, 2, 4, 8]
    textbook = {k: expected_speedup(0.6, k, 0.1) for k in range(1, 9)}
    figure = curve.curve_figure(cells, textbook, textbook, 4)
    measured = next(x for x in figure.data if x.name == "measured")
    assert list(measured.y) == [x.speedup.mean for x in cells]
    assert list(measured.error_y.array) == pytest.approx(
        [x.speedup.high - x.speedup.mean for x in cells]
    )
    best = max(cells, key=lambda x: x.speedup.mean)
    assert f"best at k = {best.k}" in curve.curve_sentence(cells, textbook, textbook)
    assert "Nothing was measured" in curve.curve_sentence([], textbook, textbook)
    slow = [
        x.model_copy(update={"speedup": x.speedup.model_copy(update={"mean": 0.5})}) for x in cells
    ]
    assert "slower than plain at every k" in curve.curve_sentence(slow, textbook, textbook)
    cell = found.alpha_cell("layers-4", "code", 1.0)
    assert cell is not None
    bars = curve.positions_figure(cell).data[0]
    assert list(bars.y) == [x for x in cell.by_position if x is not None]
    assert f"Mean {cell.alpha.mean:.2f}" in curve.positions_sentence(cell)


def test_time_and_fates_add_up(found: DraftMeasurements) -> None:
    cells = found.speed_cells("layers-4", "story", 0.0, "float32")
    parts = [np.array(bar.x) for bar in time_parts.time_figure(cells).data[:3]]
    per_token = [1000.0 / x.tokens_per_second for x in cells]
    assert sum(parts) == pytest.approx(per_token, rel=0.02)
    fates = [np.array(bar.x) for bar in time_parts.fates_figure(cells).data]
    assert sum(fates) == pytest.approx([x.drafted / x.cycles for x in cells])
    cell = cells[2]
    said = time_parts.fates_sentence(cells, 4)
    assert f"{cell.rejected + cell.unchecked} of {cell.drafted}" in said
    assert "At k = 4" in time_parts.time_sentence(cells, 5), "the nearest that was measured"


def test_meters_and_changes(found: DraftMeasurements) -> None:
    some = [m for m in found.meters if m.precision == "float32"]
    assert [m.way for m in some].count("plain") == 1
    figure = meters.meter_figure(some, "log_prob")
    assert [len(trace.x) for trace in figure.data] == [1, len(some) - 1]
    assert "overlap it" in meters.meter_sentence(some, "log_prob")
    assert "ms a token" in meters.meter_sentence(some, "tpot_ms")
    assert "Nothing was measured" in meters.meter_sentence([], "tpot_ms")
    bars = meters.changes_figure(found.changes).data[0]
    assert list(bars.x) == [0.0, *(x.tv.mean for x in found.changes)]


def test_the_forecast_of_an_engine() -> None:
    reading = read(Printed(5, 0.54, "drafted", 90.0, 50.0, c=0.1))
    figure = forecast.forecast_figure(reading, 5)
    assert [x.name for x in figure.data] == ["forecast", "best k", "measured"]
    assert f"k = {reading.best} is forecast" in forecast.forecast_sentence(reading, 5)
    hopeless = read(Printed(5, 0.1, "drafted", c=0.9))
    assert hopeless.best == 0
    assert "No k" in forecast.forecast_sentence(hopeless, 5)
    assert "no other k" in forecast.forecast_sentence(reading, reading.best)


def test_every_cell_of_the_map_opens_its_run(found: DraftMeasurements) -> None:
    from html import unescape
    from urllib.parse import parse_qsl, urlsplit

    table = alpha_map.table_html(found, "layers-4")
    assert table.count("<a href=") == len(found.prompts) * 4
    for part in table.split("<a href='")[1:]:
        address = urlsplit(unescape(part.split("'")[0]))
        assert address.path == "/lab"
        settings = Settings.from_link(dict(parse_qsl(address.query)))
        assert settings.pair == "smollm2-135m/layers-4"
        assert settings.prompt in [texts[0] for texts in found.prompts.values()]
        assert settings.k == 8
    assert "Highest: code" in alpha_map.heat_sentence(found, "layers-4")
    assert alpha_map.table_html(found, "no such draft").count("–") == len(found.prompts) * 4


# A visit


@pytest.mark.usefixtures("no_models")
def test_a_visit_without_any_model(
    monkeypatch: pytest.MonkeyPatch, found: DraftMeasurements
) -> None:
    shipped.measured_drafts.cache_clear()
    monkeypatch.setattr(shipped, "measured_drafts", lambda: found)
    app = AppTest.from_file(
        str(APP / "screens" / "when_it_pays.py"), default_timeout=patience(60)
    ).run()
    assert not app.exception
    assert app.title[0].value == "When it pays"
    assert len(app.header) == 6
    sees = [x.value for x in app.markdown if "**See**" in x.value]
    assert len(sees) == 6, "each part has a sentence that says what to see"
    assert any("Measuring here needs" in x.value for x in app.caption)
    measured = _metric(app, "measured")
    assert measured.endswith("×")
    for rung in found.rungs:
        app.selectbox(key="pays-rung").select(rung.name).run()
        assert not app.exception, rung.name
    app.selectbox(key="pays-rung").select("layers-4").run()
    app.segmented_control(key="pays-temperature").set_value(0.5).run()
    assert _metric(app, "measured") == "–", "speed was measured at T = 0 and 1 only"
    app.segmented_control(key="pays-temperature").set_value(1.0).run()
    before = _metric(app, "tau")
    alpha = next(x for x in app.slider if x.label == "alpha, agreement")
    alpha.set_value(0.9).run()
    assert _metric(app, "tau") == f"{expected_tau(0.9, 4):.2f}" != before
    assert any("dials were moved" in x.value for x in app.caption)
    # The engine's part: the trap is computed, and an impossible number is refused in words.
    assert any("**0.54**" in x.value and "**3.69**" in x.value for x in app.markdown)
    app.selectbox(key="pays-engine-definition").select("tau").run()
    app.number_input(key="pays-engine-value-tau").set_value(0.5).run()
    assert any("cannot be" in x.value for x in app.warning)
    app.number_input(key="pays-engine-value-tau").set_value(3.0).run()
    assert not app.exception


def _metric(app: AppTest, label: str) -> str:
    return str(next(x.value for x in app.metric if x.label == label))


@pytest.mark.usefixtures("no_models")
def test_without_measurements_the_last_part_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "measured_drafts", lambda: None)
    app = AppTest.from_file(
        str(APP / "screens" / "when_it_pays.py"), default_timeout=patience(60)
    ).run()
    assert not app.exception
    assert any("make measure" in x.value for x in app.info)
    assert [x.value for x in app.header] == ["Your engine's numbers"]


def test_no_engine_is_missing_from_the_names() -> None:
    table: Any = engine_names.table_html()
    for name in ("vLLM", "SGLang", "TensorRT-LLM", "llama.cpp", "transformers"):
        assert f"<th scope=row>{name}</th>" in table
