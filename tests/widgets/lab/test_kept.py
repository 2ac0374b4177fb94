"""What is typed is never lost: a reload, a dropped connection, another server on the same port."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.browser import Lab, Server, start_server
from recordings.presets import presets
from speculation.settings import Settings

TYPED = "A prompt that nobody has run yet,\nwith <b>two</b> lines."


@pytest.fixture
def recorded_lab(recorded_server: Server, playwright_browser: Any) -> Iterator[Lab]:
    lab = Lab(recorded_server, playwright_browser.new_context())
    yield lab.open()
    lab.context.close()
    assert lab.errors == []


def prompt(lab: Lab) -> str:
    return str(lab.page.get_by_label("Prompt", exact=True).input_value())


def k(lab: Lab) -> str:
    return str(lab.page.get_by_role("slider", name="k, draft length").input_value())


def kept_k(lab: Lab) -> object:
    """What the tab has kept: the server was told, and has answered."""
    return lab.page.evaluate("JSON.parse(sessionStorage['lab-controls']).controls.k")


def connected(lab: Lab) -> bool:
    state = lab.page.get_by_test_id("stApp").get_attribute("data-test-connection-state")
    return bool(state == "CONNECTED")


def test_a_reload(recorded_lab: Lab) -> None:
    """Settings that were never run, a prompt that was never sent, and the place."""
    lab = recorded_lab
    lab.slide("k, draft length", "ArrowRight", "ArrowRight")
    lab.wait(lambda: kept_k(lab) == 6).ready()
    lab.page.locator(".where").click()
    lab.press("PageDown", "PageDown", "ArrowRight")
    place = lab.cursor()
    box = lab.page.get_by_label("Prompt", exact=True)
    box.fill(TYPED)  # and not left: the server has not heard of it
    lab.page.reload()
    lab.ready().wait(lambda: prompt(lab) == TYPED)
    assert k(lab) == "6"
    assert lab.cursor() == place
    lab.page.reload()  # and again, though nothing was typed in between
    lab.ready().wait(lambda: prompt(lab) == TYPED)
    assert k(lab) == "6"


def test_a_link_wins(recorded_lab: Lab) -> None:
    """What was typed beside another run comes neither over that of a link, nor in another tab."""
    lab = recorded_lab
    lab.type_prompt(TYPED).ready()
    lab.open(presets()[2].settings.to_link())
    assert prompt(lab) == presets()[2].settings.prompt
    other = lab.tab()
    other.goto(lab.server.url)
    assert other.get_by_label("Prompt", exact=True).input_value() == Settings().prompt


def test_another_server(playwright_browser: Any) -> None:
    """The server is ended and started again: the page that was open has everything still."""
    with tempfile.TemporaryDirectory(prefix="speculate-again-") as folder:
        first = start_server(Path(folder), SPECULATE_LIVE="false")
        lab = Lab(first, playwright_browser.new_context())
        lab.expected = ["WebSocket", "Failed to load resource", "ERR_CONNECTION"]
        lab.open()
        lab.slide("k, draft length", "ArrowRight")
        lab.wait(lambda: kept_k(lab) == 5).ready()
        lab.page.locator(".where").click()
        lab.press("PageDown", "ArrowRight")
        place = lab.cursor()
        lab.type_prompt(TYPED).ready()
        first.end()
        lab.wait(lambda: not connected(lab))
        second = start_server(Path(folder), port=first.port, SPECULATE_LIVE="false")
        lab.wait(lambda: connected(lab)).ready()
        # The new server knows nothing; it is asked for something, and answers with it.
        lab.slide("Temperature", "ArrowRight")
        lab.wait(lambda: prompt(lab) == TYPED and k(lab) == "5").ready()
        assert lab.cursor() == place
        lab.context.close()
        second.end()
        assert second.tracebacks() == []
