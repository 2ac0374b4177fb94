"""The screens without a browser: they open, with live models and without; controls and messages.

The live models here are a tiny pair, so that a run takes no time.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from environment import environment
from helpers.gated_worker import StubShelf, final, until
from helpers.patience import patience
from jobs.worker import Full, Worker, worker
from recordings.presets import presets
from recordings.trace_files import recorded
from speculation.pairs import weights
from speculation.pairs.pair import Pair
from speculation.settings import MAX_PROMPT_CHARACTERS, Settings
from widgets import state
from widgets.state import Key

APP = Path(__file__).resolve().parents[2] / "app"


@pytest.fixture
def fresh_worker() -> Iterator[None]:
    """No worker and no environment from another test."""
    for once in (environment, worker):
        once.cache_clear()
    yield
    for once in (environment, worker):
        once.cache_clear()


@pytest.fixture
def off(monkeypatch: pytest.MonkeyPatch, fresh_worker: None) -> None:
    """Live models are off."""
    monkeypatch.setenv("SPECULATE_LIVE", "false")


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch, fresh_worker: None, tiny_pair: Pair) -> Worker:
    """Live models are on, and tiny."""
    monkeypatch.delenv("SPECULATE_LIVE", raising=False)
    monkeypatch.setattr(weights, "find_gguf", lambda: APP)
    shelf = StubShelf(tiny_pair)
    shelf.open()
    worker()._shelf = shelf  # type: ignore[assignment]
    return worker()


def lab(**query: Any) -> AppTest:
    """The Lab, opened by a link."""
    app = AppTest.from_file(str(APP / "screens" / "lab.py"), default_timeout=patience(60))
    for name, value in query.items():
        app.query_params[name] = str(value)
    return app.run()


def at_rest(app: AppTest) -> AppTest:
    """After the visitor's run has ended."""
    until(worker(), app.session_state[Key.VISITOR], final)
    app.run()
    assert not app.exception
    return app


def shown(app: AppTest) -> state.Shown:
    return app.session_state[Key.SHOWN]  # type: ignore[no-any-return]


def said(app: AppTest) -> str:
    """All messages, without the marks that keep Markdown from reading them."""
    messages = " ".join(x.value for kind in (app.warning, app.error, app.info) for x in kind)
    return messages.replace("\\", "")


def test_every_screen_opens_without_models(off: None) -> None:
    app = AppTest.from_file(str(APP / "main.py"), default_timeout=patience(60)).run()
    assert not app.exception
    app = lab()
    assert not app.exception
    assert "recorded runs only" in said(app)
    assert app.button[0].disabled  # Run


def test_every_screen_opens_with_models(on: Worker) -> None:
    app = AppTest.from_file(str(APP / "main.py"), default_timeout=patience(60)).run()
    assert not app.exception
    app = lab()
    assert not app.exception
    assert said(app) == ""
    assert not app.button[0].disabled
    assert shown(app).source == "recorded"
    assert shown(app).trace == recorded(presets()[0].name)


def test_controls_have_bounds_and_help(off: None) -> None:
    app = lab()
    for name, low, high in (
        ("k", 1, 12), ("temperature", 0, 2), ("top_p", 0.01, 1), ("min_p", 0, 1),
        ("length", 1, 200),
    ):  # fmt: skip
        slider = app.slider(key=name)
        assert (slider.min, slider.max) == (low, high)
        assert slider.help == Settings.model_fields[name].description
    assert (app.number_input(key="top_k").min, app.number_input(key="top_k").max) == (0, 1000)
    assert (app.number_input(key="seed").min, app.number_input(key="seed").max) == (0, 2**53 - 1)
    drawn = [
        app.text_area(key="prompt"),
        app.radio(key="mode"),
        app.radio(key="precision"),
        app.selectbox(key="pair"),
        app.number_input(key="top_k"),
        app.number_input(key="seed"),
    ]
    for control in drawn:
        assert control.help == Settings.model_fields[str(control.key)].description


def test_too_long_a_prompt_leaves_the_run(on: Worker) -> None:
    app = lab()
    before = shown(app)
    app.text_area(key="prompt").set_value("x" * (MAX_PROMPT_CHARACTERS + 1)).run()
    assert not app.exception
    assert "at most 8,000 characters" in said(app)
    assert app.button[0].disabled
    app.slider(key="k").set_value(6).run()
    assert shown(app) is before
    app.text_area(key="prompt").set_value("short").run()
    assert not app.error
    app.button[0].click().run()
    assert shown(at_rest(app)).trace.settings == Settings(
        **presets()[0].settings.model_dump() | {"prompt": "short", "k": 6}
    )
    assert shown(app).source == "live"


@pytest.mark.parametrize("live", ["off", "on"])
def test_presets_switch_at_once(live: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(live)
    app = lab()
    for preset in [*presets()[1:], presets()[0]]:
        app.session_state[Key.PRESET] = None
        app.run()
        pills = next(x for x in app.get("button_group") if x.key == Key.PRESET)
        pills.select(preset.title).run()  # type: ignore[union-attr]
        assert not app.exception
        assert shown(app).trace == recorded(preset.name)
        assert shown(app).source == "recorded"
        assert app.text_area(key="prompt").value == preset.settings.prompt


def test_sliders_run_again(on: Worker) -> None:
    app = lab(prompt="hello", length=12, temperature=1)
    before = shown(at_rest(app)).trace
    app.slider(key="temperature").set_value(0.0).run()
    after = shown(at_rest(app)).trace
    assert after.settings.temperature == 0.0
    assert app.session_state[Key.PREVIOUS] == before
    assert any("under the same dice" in x.value.replace("\\", "") for x in app.caption)


@pytest.mark.parametrize(
    "odd",
    [
        {"length": 1, "k": 12}, {"top_k": 1, "temperature": 0}, {"temperature": 2},
        {"top_p": 0.001}, {"min_p": 1}, {"seed": 2**53 - 1}, {"precision": "bfloat16"},
        {"prompt": "", "mode": "chat"}, {"prompt": "", "mode": "continue"},
        {"temperature": 0.123456},
    ],
    ids=str,
)  # fmt: skip
def test_odd_settings_run(on: Worker, odd: dict[str, Any]) -> None:
    app = at_rest(lab(**{"length": 6, "prompt": "a"} | odd))
    assert said(app) == ""
    for name, value in odd.items():
        assert getattr(shown(app).trace.settings, name) == value


def test_bad_values_in_a_link(on: Worker) -> None:
    app = lab(k="40", temperature="nan", mode="<b>", length="8", seed="x", prompt="p")
    text = said(app)
    for name in ("k", "temperature", "mode", "seed"):
        assert f"The link's {name} " in text
    assert "the default is used" in text
    used = shown(at_rest(app)).trace.settings
    assert used == Settings(length=8, prompt="p")
    app.slider(key="k").set_value(3).run()
    assert "The link's" not in said(at_rest(app))


def test_a_link_without_models(off: None) -> None:
    app = lab(prompt="never recorded")
    assert not app.exception
    assert "not recorded" in said(app)
    assert shown(app).trace == recorded(presets()[0].name)
    # What is recorded opens from a link, too.
    other = presets()[2]
    app = lab(**other.settings.to_link())
    assert shown(app).trace == recorded(other.name)


def test_digest_is_compared_once(on: Worker) -> None:
    """With the run of the link; a later run with other settings is not blamed on arithmetic."""
    app = at_rest(lab(prompt="hello", length=12, digest="x" * 12))
    assert "parts from this one at token" in said(app)
    app.slider(key="k").set_value(2).run()
    assert "parts from" not in said(at_rest(app))
    app = lab(prompt="hello", length=12, digest="x" * 12)
    app.slider(key="k").set_value(2).run()
    assert "parts from" not in said(at_rest(app))


def test_failure_is_said_once(on: Worker) -> None:
    app = at_rest(lab(prompt="hello", pair="refused"))
    assert "no pair named" in said(app)
    assert shown(app).trace == recorded(presets()[0].name)
    pills = next(x for x in app.get("button_group") if x.key == Key.PRESET)
    pills.select(presets()[1].title).run()  # type: ignore[union-attr]
    assert said(app) == ""


def test_a_full_queue_leaves_the_run(on: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    app = lab()
    before = shown(app)

    def full(*_: object, **__: object) -> None:
        raise Full("3 runs are waiting already. Try again in a minute.")

    monkeypatch.setattr(on, "submit", full)
    app.button[0].click().run()
    assert "3 runs are waiting already" in said(app)
    assert shown(app) is before


def test_run_again_after_a_preset(on: Worker) -> None:
    """A run that was taken before is taken again when it is asked for again."""
    app = lab(prompt="hello", length=8)
    at_rest(app)
    pills = next(x for x in app.get("button_group") if x.key == Key.PRESET)
    pills.select(presets()[1].title).run()  # type: ignore[union-attr]
    assert shown(app).source == "recorded"
    app.text_area(key="prompt").set_value("hello")
    app.slider(key="length").set_value(8)
    app.slider(key="temperature").set_value(1.0).run()
    assert shown(at_rest(app)).source == "live"
    assert shown(app).trace.settings.prompt == "hello"


def test_presenting_keeps_the_controls(on: Worker) -> None:
    app = at_rest(lab(prompt="hello", length=8, k=7, temperature=0.4))
    app.session_state[Key.PRESENT] = True
    app.run()
    app.run()
    assert not app.slider
    app.session_state[Key.PRESENT] = False
    app.run()
    assert not app.exception
    assert app.slider(key="k").value == 7
    assert app.slider(key="temperature").value == 0.4
    assert app.text_area(key="prompt").value == "hello"


def test_measuring(on: Worker) -> None:
    app = at_rest(lab(prompt="hello", length=6))
    app.button(key="measure").click().run()
    until(on, app.session_state[Key.VISITOR], final, "compare")
    app.run()
    assert not app.exception
    assert {"speculative", "plain", "ratio"} <= {x.label for x in app.metric}
