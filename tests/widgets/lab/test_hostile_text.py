"""Hostile text: what a person or a model writes is shown as text, or refused politely."""

import json
from typing import Any

import pytest

from helpers.browser import Lab, Opener, Server
from recordings.trace_files import recorded
from speculation.settings import MAX_PROMPT_CHARACTERS

HOSTILE = {
    "markup": "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>\n"
    "# h\n**b** [l](javascript:hacked) `c` :red[x] $x^2$ :material/star: :smile: ---",
    "characters": "👩‍👩‍👧‍👦🏳️‍🌈 e\u0301 \U0001f9d1\u200d\U0001f680 "  # joined, combined
    "שלום \u202eabc\u202c مرحبا "  # right to left
    "a\u0001b\u0007c\u001bd\ttab\u200bzero\ufeffend",  # control and formatting characters
}


def unharmed(lab: Lab) -> None:
    page = lab.page
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("[data-testid=stException]").count() == 0
    main = page.get_by_test_id("stMain")
    assert main.locator(".katex, a[href^=javascript]").count() == 0
    assert "\ufffd" not in main.inner_text()


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_prompt_runs(name: str, server: Server, open_lab: Opener) -> None:
    """Typed into the prompt and run: the prompt stays what it was, in box and address."""
    if not server.live:
        pytest.skip("needs the live models: make install")
    lab = open_lab({"length": 6, "mode": "continue", "prompt": HOSTILE[name]})
    assert lab.said() == []
    assert lab.query()["prompt"] == HOSTILE[name]
    box = lab.page.get_by_label("Prompt", exact=True)
    assert box.input_value() == HOSTILE[name]
    assert 1 <= len(lab.tokens()) <= 6
    unharmed(lab)


def test_hostile_pieces(open_lab: Opener) -> None:
    """Tokens that read like markup, in chips, rows, charts and sentences."""
    trace = recorded("list")
    assert trace is not None
    data: dict[str, Any] = json.loads(trace.model_dump_json())
    texts = [text for prompt in HOSTILE.values() for text in prompt.split(" ")]
    for i, token in enumerate(sorted(data["pieces"])):
        data["pieces"][token] = texts[i % len(texts)]
    data["timings"]["machine"] = HOSTILE["markup"]
    lab = open_lab()
    lab.page.locator("input[type=file]").set_input_files(
        [{"name": "t.json", "mimeType": "application/json", "buffer": json.dumps(data).encode()}]
    )
    lab.wait(lambda: lab.badge().startswith("uploaded")).ready()
    rejected = next(c for c in trace.cycles if c.replacement and not c.replacement.bonus)
    lab.press("Home", *["PageDown"] * rejected.index, "ArrowRight", "ArrowRight")
    lab.wait(lambda: f"cycle {rejected.index + 1}" in lab.laws_title()).ready()
    unharmed(lab)
    lab.page.get_by_text("The two distributions overlap").wait_for()
    caption = lab.page.get_by_test_id("stMain").inner_text()
    assert "window.hacked" in caption  # as text
    assert lab.page.locator(".stMain [style*='color: red'], .stMain [class*=colored]").count() == 0


def test_too_long_a_prompt(open_lab: Opener) -> None:
    """A message beside the box; the run on the page stays; a shorter prompt is taken again."""
    lab = open_lab()
    text = lab.text()
    lab.type_prompt("x" * 20_000)
    lab.wait(lambda: bool(lab.said())).ready()
    assert f"{MAX_PROMPT_CHARACTERS:,} characters" in lab.said()[0]
    message = lab.page.get_by_test_id("stAlert").first.bounding_box()
    box = lab.page.get_by_label("Prompt", exact=True).bounding_box()
    assert 0 <= message["y"] - (box["y"] + box["height"]) < 60
    assert lab.button("Run").is_disabled()
    assert lab.text() == text
    lab.slide("k, draft length", "ArrowRight").ready()
    assert lab.text() == text
    lab.type_prompt("short")
    lab.wait(lambda: not lab.said()).ready()
    assert lab.text() == text
