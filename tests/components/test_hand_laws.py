"""Two laws drawn by hand: the component in a plain page in Chromium, and its Python side."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from charts import palette
from components.browser_code import join_modules
from components.hand_laws import FOLDER, read_laws
from helpers.browser import page_alone
from helpers.look import violations
from speculation.rule import overlap, residual

P, Q = [0.5, 0.2, 0.2, 0.1], [0.3, 0.4, 0.1, 0.2]
SIX = ([0.3, 0.3, 0.1, 0.1, 0.1, 0.1], [0.05, 0.1, 0.4, 0.2, 0.2, 0.05])

PAGE = """<!doctype html><html lang="en" style="color-scheme: light dark"><title>laws</title>
<link rel="stylesheet" href="/hand_laws.css">
<body style="background: light-dark(#fff, #0e1117)"><main><h1>Laws</h1><div id="here"></div></main>
<script type="module">
  import run from "/joined.js";
  const parentElement = document.getElementById("here");
  window.told = [];
  window.run = (data) => { run({ data, parentElement,
    setStateValue: (name, value) => told.push([name, value]) }); };
</script>"""


def serve(route: Any) -> None:
    name = route.request.url.rsplit("/", 1)[1]
    if name == "page":
        route.fulfill(body=PAGE, content_type="text/html")
    elif name == "joined.js":
        route.fulfill(body=join_modules(FOLDER / "hand_laws.js"), content_type="text/javascript")
    else:
        route.fulfill(body=(FOLDER / name).read_text("utf-8"), content_type="text/css")


class Drawing:
    """The component on a page of its own, at P and Q or at other laws."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def open(self, p: list[float] = P, q: list[float] = Q) -> "Drawing":
        self.page.goto("http://laws.test/page")
        self.page.wait_for_function("Boolean(window.run)")
        return self.give(p, q)

    def give(self, p: list[float], q: list[float]) -> "Drawing":
        data = {"names": list("ABCDEF"[: len(p)]), "p": p, "q": q}
        self.page.evaluate("(data) => run(data)", data)
        return self

    def slider(self, law: str, name: str) -> Any:
        return self.page.get_by_role("slider", name=f"{law}({name})")

    def law(self, law: str) -> list[float]:
        """As its sliders tell it: two decimals."""
        found = self.page.locator(f"[role=slider][data-law={law}]").all()
        return [float(x.get_attribute("aria-valuenow")) for x in found]

    def drag(self, law: str, name: str, up: float) -> "Drawing":
        """The top of a bar, by so much of a probability."""
        box = self.slider(law, name).locator(".grip").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        one = self.page.evaluate(
            """() => { const [low, , high] = [...document.querySelectorAll(".grid line")]
                 .map((x) => x.getBoundingClientRect().y); return low - high; }"""
        )
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x, y - up * one / 2)
        self.page.mouse.move(x, y - up * one)
        self.page.mouse.up()
        return self

    def told(self) -> dict[str, list[float]]:
        """What the component reported last, once it is what the page shows."""
        self.page.wait_for_function(
            """() => { const [, laws] = told.at(-1) ?? []; return laws
                 && ["p", "q"].every((name) =>
                   [...document.querySelectorAll(`[data-law=${name}]`)].every((x, i) =>
                     x.getAttribute("aria-valuenow") === laws[name][i].toFixed(2))); }"""
        )
        name, laws = self.page.evaluate("told.at(-1)")
        assert name == "laws"
        return dict(laws)

    def agrees(self) -> None:
        """The residual and the overlap on the page are those of the reported laws."""
        laws = self.told()
        p, q = np.array(laws["p"]), np.array(laws["q"])
        assert p.sum() == pytest.approx(1)
        assert q.sum() == pytest.approx(1)
        bars = self.page.locator(".chart .left").all()
        heights = np.array([float(x.get_attribute("height")) for x in bars])
        assert heights / heights.sum() == pytest.approx(residual(p, q), abs=1e-6)
        assert heights.sum() == pytest.approx(84)  # a probability of 1 in the lower row
        assert self.page.locator(".overlap").inner_text() == f"overlap {overlap(p, q):.2f}"


@pytest.fixture
def drawing(playwright_browser: Any) -> Iterator[Drawing]:
    options = {"viewport": {"width": 800, "height": 700}}
    for page in page_alone(playwright_browser, "http://laws.test/**", serve, options):
        yield Drawing(page)


def test_a_drag_changes_one_and_scales_the_others(drawing: Drawing) -> None:
    drawing.open().drag("p", "A", -0.2)
    assert drawing.law("p") == [0.3, 0.28, 0.28, 0.14]
    assert drawing.law("q") == Q
    drawing.agrees()
    drawing.drag("q", "C", 0.5)
    assert drawing.law("q") == [0.13, 0.18, 0.6, 0.09]
    drawing.agrees()
    drawing.drag("p", "A", 1).drag("p", "A", -0.4)  # to 1 and back: the others are not forgotten
    assert drawing.law("p") == [0.6, 0.16, 0.16, 0.08]
    drawing.agrees()
    drawing.page.get_by_role("button", name="Reset").click()
    assert (drawing.law("p"), drawing.law("q")) == (P, Q)
    assert drawing.told() == {"p": P, "q": Q}


def test_keys(drawing: Drawing) -> None:
    bar = drawing.open().slider("q", "B")
    for key, value in {
        "ArrowUp": 0.41, "ArrowRight": 0.42, "ArrowDown": 0.41, "ArrowLeft": 0.4,
        "PageUp": 0.5, "PageDown": 0.4, "End": 1.0, "Home": 0.0,
    }.items():  # fmt: skip
        bar.press(key)
        assert drawing.law("q")[1] == value
        assert sum(drawing.law("q")) == pytest.approx(1, abs=0.02)
    assert drawing.law("q") == [0.5, 0.0, 0.17, 0.33]
    drawing.agrees()
    assert bar.get_attribute("aria-valuetext") == "0.00, overlap 0.77"
    assert bar.locator(".ring").evaluate("(x) => getComputedStyle(x).stroke") != "none"
    drawing.page.keyboard.press("Tab")
    assert drawing.slider("p", "C").evaluate("(x) => x === document.activeElement")


def test_laws_can_be_made_equal(drawing: Drawing) -> None:
    drawing.open().drag("q", "A", 0.2).drag("q", "B", -0.09).drag("q", "C", 0.12)
    drawing.drag("q", "D", -0.04)
    assert drawing.law("q") == P
    assert drawing.told() == {"p": P, "q": P}
    assert drawing.page.get_by_text("nothing is left over").is_visible()
    assert drawing.page.locator(".overlap").inner_text() == "overlap 1.00"
    drawing.slider("q", "A").press("ArrowUp")  # and they part again
    assert drawing.law("q")[0] == 0.51
    drawing.agrees()


def test_equal_data_is_not_drawn_again(drawing: Drawing) -> None:
    drawing.open().slider("p", "A").press("ArrowUp")
    changes = drawing.page.evaluate(
        """async (data) => {
          let seen = 0;
          new MutationObserver((list) => { seen += list.length; }).observe(
            document.getElementById("here"), { subtree: true, childList: true, attributes: true });
          run(data);
          await new Promise(requestAnimationFrame);
          return seen;
        }""",
        {"names": list("ABCD"), "p": P, "q": Q},
    )
    assert changes == 0
    assert drawing.law("p")[0] == 0.51
    assert drawing.page.locator(".hand-laws").count() == 1
    drawing.give(*SIX)
    assert drawing.law("p") == SIX[0]


def test_a_finger_scrolls_beside_the_handles(drawing: Drawing) -> None:
    drawing.page.set_viewport_size({"width": 390, "height": 800})
    drawing.open(*SIX)
    action = "(x) => getComputedStyle(x).touchAction"
    assert drawing.slider("p", "A").locator(".hit").evaluate(action) == "none"
    assert drawing.page.locator(".bar").first.evaluate(action) == "auto"
    assert drawing.page.locator(".chart").evaluate(action) == "auto"
    assert drawing.page.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = [x.bounding_box() for x in drawing.page.locator(".hit").all()]
    assert min(box["width"] for box in boxes) >= 24
    boxes.sort(key=lambda box: box["x"])
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"] + 0.5

    box = drawing.slider("p", "A").locator(".grip").bounding_box()
    x, y = box["x"] + 5, box["y"] + 2
    finger = drawing.page.context.new_cdp_session(drawing.page)
    for kind, points in [
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x, "y": y - 19}]),
        ("touchMove", [{"x": x, "y": y - 38}]),
        ("touchEnd", []),
    ]:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    drawing.agrees()
    assert drawing.law("p")[0] == 0.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe(drawing: Drawing, scheme: str) -> None:
    drawing.page.emulate_media(color_scheme=scheme)
    drawing.open()
    assert violations(drawing.page) == []


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"p": [0.5, 0.5]},
        {"p": [1.0], "q": [1.0]},
        {"p": [0.9, 0.2], "q": [0.5, 0.5]},
        {"p": [1.5, -0.5], "q": [0.5, 0.5]},
        {"p": "no", "q": None},
    ],
)
def test_a_report_that_does_not_fit_is_not_taken(value: object) -> None:
    p, q = read_laws(value, (0.9, 0.1), (0.2, 0.8))
    assert (p.tolist(), q.tolist()) == ([0.9, 0.1], [0.2, 0.8])


def test_colors_are_those_of_the_palette() -> None:
    css = (FOLDER / "hand_laws.css").read_text("utf-8")
    colors = {"p": palette.TARGET, "q": palette.DRAFT, "r": palette.RESIDUAL}
    for name, color in colors.items():
        assert f"--{name}: {color.lower()};" in css
