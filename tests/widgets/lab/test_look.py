"""How the Lab looks and is reached: widths, themes, present mode, the keyboard, axe."""

import pytest

from helpers.browser import Lab, Opener
from helpers.look import violations


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_width_theme_and_axe(open_lab: Opener, width: int, scheme: str) -> None:
    """Nothing is wider than the window, nothing is out of reach, and nothing is logged."""
    lab = open_lab(viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert lab.no_sideways_scroll()
    background = lab.page.get_by_test_id("stApp").evaluate(
        "(x) => getComputedStyle(x).backgroundColor"
    )
    dark = sum(int(x) for x in background.removeprefix("rgb(").removesuffix(")").split(",")) < 384
    assert dark == (scheme == "dark")
    lab.press("ArrowRight", "ArrowRight", "End")
    lab.ready()
    # Streamlit scrolls inside the window, and axe judges only what is seen: let it all be seen.
    height = lab.page.get_by_test_id("stMain").evaluate("(x) => x.scrollHeight")
    lab.page.set_viewport_size({"width": width, "height": height + 20})
    lab.ready()
    assert lab.no_sideways_scroll()
    assert violations(lab.page) == []
    lab.page.get_by_role("button", name="More settings").click()
    lab.page.get_by_text("Length, in tokens").wait_for()
    assert lab.no_sideways_scroll()
    assert violations(lab.page) == []


def test_present(open_lab: Opener) -> None:
    """P: bars and rows fill a 1280 x 720 screen in large type, without controls; Escape leaves."""
    lab = open_lab({"cycle": 2, "stage": "decide", "position": 1},
                   viewport={"width": 1280, "height": 720})  # fmt: skip
    page = lab.page
    prompt = page.get_by_label("Prompt", exact=True)
    small = row_size(lab)
    lab.slide("k, draft length")  # the keyboard is a slider's, and P is not its key
    page.locator(".where").click()
    lab.press("p")
    prompt.wait_for(state="detached")
    lab.ready()
    assert page.get_by_role("slider").count() == 0
    assert row_size(lab) > 1.25 * small
    assert row_size(lab) >= 18
    for part in (page.locator(".bars"), page.locator(".rows"), page.locator(".nav")):
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 720
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0
    lab.press("ArrowRight")
    assert lab.cursor()[0] == 2
    assert violations(lab.page) == []
    lab.press("Escape")
    prompt.wait_for()
    lab.ready()
    # The controls come back as they were.
    assert prompt.input_value() == lab.query()["prompt"]
    assert page.get_by_role("slider", name="k, draft length").input_value() == "4"
    temperature = page.get_by_role("slider", name="Temperature").input_value()
    assert float(temperature) == float(lab.query()["temperature"])
    assert row_size(lab) == small


def row_size(lab: Lab) -> float:
    """The size of a row's type, in px."""
    size = lab.page.locator(".rows .chip").first.evaluate("(x) => getComputedStyle(x).fontSize")
    return float(str(size).removesuffix("px"))


def test_keyboard(open_lab: Opener) -> None:
    """Tab reaches every control; arrows in the prompt, a slider or a list are theirs alone."""
    lab = open_lab()
    page = lab.page
    where = lab.cursor()
    box = page.get_by_label("Prompt", exact=True)
    box.focus()
    lab.press("ArrowRight", "ArrowLeft", "Home", "End", "PageDown", "p", "Backspace")
    assert lab.cursor() == where
    assert box.input_value() == lab.query()["prompt"]
    assert page.locator("[data-present]").count() == 0
    page.evaluate("document.activeElement.blur()")
    reached: list[str] = []
    for _ in range(70):
        lab.press("Tab")
        reached.append(page.evaluate(NAME_OF_FOCUS))
        if "Upload" in reached[-1]:
            break
    everything = " | ".join(reached)
    for name in (
        "Code", "Prompt", "chat", "k, draft length", "Temperature", "More settings", "Run",
        "token 1", "cycle 1", "forward", "draft", "Is it faster here", "Copy link",
        "Download the trace", "Upload",
    ):  # fmt: skip
        assert name in everything, f"Tab never came to {name}: {everything}"


NAME_OF_FOCUS = """() => {
  let x = document.activeElement;
  while (x.shadowRoot?.activeElement) x = x.shadowRoot.activeElement;
  const label = x.getAttribute("aria-label") ?? x.labels?.[0]?.innerText ?? "";
  return `${label} ${x.innerText ?? ""}`.replaceAll("\\n", " ").slice(0, 60);
}"""
