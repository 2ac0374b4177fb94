""" "When it pays" in a real browser: widths, themes, axe, the keyboard, a link, and a stop."""

import re
from typing import Any

import pytest

from helpers.browser import AT_REST, Lab, Opener, Server
from helpers.look import violations
from measuring.shipped import measured_drafts

RESTED = f"""() => ({AT_REST})()
  && document.querySelectorAll(".names table").length === 1
  && document.querySelectorAll(".js-plotly-plot .main-svg").length > 0"""


def rest(lab: Lab) -> Lab:
    """Wait until the whole page is drawn."""
    lab.wait_for(RESTED, "the whole page")
    assert lab.page.get_by_test_id("stException").count() == 0
    return lab


def visit(open_lab: Opener, server: Server, **options: Any) -> Lab:
    address = f"http://127.0.0.1:{server.port}/when-it-pays"
    return rest(open_lab(address, wait=False, **options))


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_width_theme_and_axe(open_lab: Opener, server: Server, width: int, scheme: str) -> None:
    lab = visit(
        open_lab, server, viewport={"width": width, "height": 900}, color_scheme=scheme
    )  # fmt: skip
    height = lab.page.get_by_test_id("stMain").evaluate("(x) => x.scrollHeight")
    lab.page.set_viewport_size({"width": width, "height": min(height + 20, 12_000)})
    rest(lab)
    assert lab.no_sideways_scroll()
    assert violations(lab.page) == []


def test_a_visit_with_the_keyboard(open_lab: Opener, server: Server) -> None:
    """A dial moves by keys, a chart has its words, and a cell of the map leads to its run."""
    assert measured_drafts() is not None, "the page is tested on the shipped measurements"
    lab = visit(open_lab, server, viewport={"width": 1280, "height": 900})
    page = lab.page
    tau = page.get_by_test_id("stMetricValue").first
    before = tau.inner_text()
    for _ in range(5):
        page.get_by_role("slider", name="alpha, agreement").press("ArrowRight")
    lab.wait(lambda: tau.inner_text() != before)
    rest(lab)
    page.get_by_role("slider", name="k, draft length").press("ArrowRight")
    page.get_by_text(re.compile("At alpha .* and k = 5")).first.wait_for()
    cell = page.locator(".heat td a").first
    cell.focus()
    assert cell.get_attribute("target") == "_blank"
    with lab.context.expect_page() as opened:
        cell.press("Enter")
    other = opened.value
    other.wait_for_url(re.compile(r"/lab\?prompt="))
    other.get_by_label("Prompt", exact=True).wait_for()
    assert (
        other.get_by_label("Prompt", exact=True).input_value()
        == (
            next(iter(measured_drafts().prompts.values()))[0]  # type: ignore[union-attr]
        )
    )
    other.close()


def test_a_measurement_can_be_stopped(open_lab: Opener, server: Server) -> None:
    if not server.live:
        pytest.skip("needs the live models")
    lab = visit(open_lab, server, viewport={"width": 1280, "height": 900})
    start = lab.page.get_by_role("button", name="Measure this curve on this machine")
    start.click()
    lab.page.get_by_role("button", name="Stop", exact=True).click()
    start.wait_for()
    rest(lab)
    assert lab.page.get_by_role("button", name="Stop", exact=True).count() == 0
