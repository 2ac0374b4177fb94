"""Taking a run along: links, their digests and bad values; copy, download, upload, reload, back."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from helpers.browser import Lab, Opener, Server
from recordings.presets import presets
from recordings.trace_files import recorded
from speculation.settings import Settings
from speculation.trace import Trace, digest

LIST = presets()[2]


def list_trace() -> Trace:
    return trace_of(LIST.name)


def trace_of(name: str) -> Trace:
    trace = recorded(name)
    assert trace is not None
    return trace


def place(cycle: int, stage: str, position: int) -> dict[str, Any]:
    return {"cycle": cycle, "stage": stage, "position": position}


def upload(lab: Lab, name: str, data: bytes) -> Lab:
    lab.page.locator("input[type=file]").set_input_files(
        [{"name": name, "mimeType": "application/json", "buffer": data}]
    )
    return lab


def test_link_reopened_elsewhere(open_lab: Opener) -> None:
    """The same cycle, stage, position and text in a context of its own; and after a reload."""
    lab = open_lab(LIST.settings.to_link())
    lab.press("PageDown", "PageDown", "ArrowRight", "ArrowRight")
    assert lab.cursor() == (3, "decide", 1)
    lab.wait(lambda: "cycle 3" in lab.laws_title())
    other = open_lab(lab.page.url)
    lab.page.reload()
    for copy in (other, lab.ready()):
        assert copy.cursor() == (3, "decide", 1)
        assert copy.text() == lab.text()
        assert copy.page.locator(".where").inner_text() == f"cycle 3 of {len(list_trace().cycles)}"
        assert copy.laws_title() == lab.laws_title()
        assert copy.page.locator(".stages [aria-current=step]").inner_text() == "1"
        assert copy.said() == []


def test_link_from_another_machine(open_lab: Opener) -> None:
    """A digest that differs: the page says where the two part."""
    trace = list_trace()
    theirs = digest([*trace.tokens[:6], trace.tokens[6] + 1, *trace.tokens[7:]])
    lab = open_lab(LIST.settings.to_link() | {"digest": theirs})
    (said,) = lab.said()
    # A letter of a digest is one of 64, so it may name a place late.
    parts = next(i for i, (a, b) in enumerate(zip(theirs, digest(trace.tokens), strict=True))
                 if a != b)  # fmt: skip
    assert f"parts from this one at token {parts + 1}." in said
    assert parts in (6, 7)
    lab.open(LIST.settings.to_link() | {"digest": digest(trace.tokens)})
    assert lab.said() == []


def test_bad_values_in_a_link(open_lab: Opener) -> None:
    """Each has a message, and the rest is used."""
    bad = {"k": 40, "length": "many", "seed": -1, "temperature": "nan", "mode": "<b>shout</b>"}
    lab = open_lab(LIST.settings.to_link() | bad | place(99, "elsewhere", -3))
    said = " ".join(lab.said())
    for name in bad:
        assert f"The link's {name} " in said
    assert "less than or equal to 12 (got '40')" in said
    assert lab.query()["prompt"] == LIST.settings.prompt  # with defaults, this is the recording
    assert lab.page.locator("b", has_text="shout").count() == 0
    assert lab.badge().startswith("recorded")
    lab.preset("Code")
    lab.wait(lambda: lab.said() == []).ready()


def test_unknown_pair_in_a_link(open_lab: Opener, server: Server) -> None:
    lab = open_lab({"pair": "no-such/pair", "length": 8})
    lab.wait(lambda: bool(lab.said()))
    assert ("no pair named" if server.live else "not recorded") in " ".join(lab.said())
    assert lab.tokens()  # the default run stands in
    lab.preset("List").wait(lambda: lab.said() == []).ready()


def test_copy_link(open_lab: Opener) -> None:
    """Every setting, the place, and the digest; and it opens the same."""
    lab = open_lab(LIST.settings.to_link(), permissions=["clipboard-read", "clipboard-write"])
    lab.press("PageDown", "ArrowRight")
    lab.wait(lambda: "cycle 2" in lab.laws_title())
    lab.button("Copy link").click()
    lab.page.get_by_text("Copied.").wait_for()
    copied = lab.page.evaluate("navigator.clipboard.readText()")
    other = open_lab(copied)
    query = other.query()
    assert query.keys() == {*Settings.model_fields, "digest", "cycle", "stage", "position"}
    assert Settings.from_link(query) == LIST.settings
    assert query["digest"] == digest(list_trace().tokens)
    assert other.cursor() == (2, "verify", 1)
    assert other.text() == lab.text()


def test_download_and_upload(open_lab: Opener, tmp_path: Path) -> None:
    """A trace as JSON opens again and is stepped through; a bad one names the field."""
    lab = open_lab(LIST.settings.to_link())
    with lab.page.expect_download() as waiting:
        lab.button("Download the trace").click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    assert file.name == "trace.json"
    data = json.loads(file.read_text())
    assert Trace.model_validate(data) == list_trace()

    other = open_lab()
    wrong = json.loads(file.read_text())
    wrong["cycles"][1]["drafted"][0]["p"] = 1.5
    upload(other, "wrong.json", json.dumps(wrong).encode())
    other.wait(lambda: any("cycles.1.drafted.0.p" in x for x in other.said())).ready()
    assert len(other.tokens()) == len(recorded("code").tokens)  # type: ignore[union-attr]
    wrong["settings"]["prompt"] = "# *bold* :red[red] <img src=x onerror=window.hacked=1> $x$"
    wrong["cycles"][1]["drafted"][0]["p"] = 0.5
    data["settings"]["prompt"] = wrong["settings"]["prompt"]
    upload(other, "trace.json.gz", gzip.compress(json.dumps(data).encode()))
    other.wait(lambda: other.badge().startswith("uploaded")).ready()
    assert other.said() == []
    assert other.text() == lab.text()
    other.press("End", "Home", "ArrowRight", "ArrowRight")
    assert other.cursor() == (1, "decide", 1)
    assert other.page.evaluate("window.hacked") is None
    assert other.page.get_by_label("Prompt", exact=True).input_value() == data["settings"]["prompt"]


def test_upload_during_a_run(open_lab: Opener, server: Server) -> None:
    if not server.live:
        pytest.skip("needs the live models: make install")
    # A trace can be opened once there is a run: here what a stopped one has kept.
    lab = open_lab({"length": 200, "seed": 8, "prompt": "Count from one to forty."}, wait=False)
    lab.streaming().button("Stop").click()
    lab.ready().button("Run").click()
    lab.streaming()
    assert lab.button("Stop").is_enabled()
    upload(lab, "trace.json", list_trace().model_dump_json().encode())
    lab.wait(lambda: lab.query().get("prompt") == LIST.settings.prompt).ready()
    assert lab.badge().startswith("uploaded")
    assert len(lab.tokens()) == len(list_trace().tokens)


def test_back_reload_and_a_run(open_lab: Opener, server: Server) -> None:
    """Back after a slider move is the run before; a reload in the middle of a run loses no page."""
    if not server.live:
        pytest.skip("needs the live models: make install")
    start = {"length": 8, "prompt": "Say hi.", "temperature": 0.5}
    lab = open_lab(start)
    before = lab.text()
    lab.slide("Temperature", *["ArrowRight"] * 20)
    lab.wait(lambda: lab.query().get("temperature") == "1.5").ready()
    lab.page.go_back()
    thumb = lab.page.get_by_role("slider", name="Temperature")
    lab.wait(lambda: thumb.input_value() != "1.5").ready()
    assert float(thumb.input_value()) == float(lab.query()["temperature"])
    lab.wait(lambda: lab.text() == before or lab.query()["temperature"] != "0.5")
    lab.open(start)
    assert lab.text() == before
    lab.open({"length": 200, "seed": 9, "prompt": "Count to thirty."}, wait=False).streaming()
    lab.page.reload()
    lab.page.locator(".tokens [role=option]").first.wait_for()
    lab.button("Stop").or_(lab.button("Run")).first.wait_for()
    lab.preset("List").wait(lambda: lab.query().get("prompt") == LIST.settings.prompt).ready()


def test_a_prompt_too_long_for_an_address(open_lab: Opener) -> None:
    """The trace carries it; the link leaves it out and says so, also where it is opened."""
    # The default run's settings: without a prompt they are a recording, and nothing need be run.
    data = json.loads(trace_of(presets()[0].name).model_dump_json())
    data["settings"]["prompt"] = "long " * 1200
    lab = upload(open_lab(), "trace.json", json.dumps(data).encode())
    lab.wait(lambda: lab.badge().startswith("uploaded")).ready()
    assert "prompt" not in lab.query()
    assert len(lab.page.url) < 4300
    lab.page.get_by_text("so the link leaves it out").wait_for()
    other = open_lab(lab.page.url)
    assert any("prompt was too long for an address" in x for x in other.said())
