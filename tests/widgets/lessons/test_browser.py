"""Home and the lessons in a real browser: the keyboard, two learners, widths, themes, axe.

The server runs on recordings here: no model is loaded, so the tests are quick.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helpers.browser import AT_REST, Server, Visitor
from helpers.look import violations
from recordings.home_runs import home_runs

LESSON = "why-the-output-stays-exact"


_FOCUSED = """() => {
  let x = document.activeElement;
  while (x && x.shadowRoot && x.shadowRoot.activeElement) x = x.shadowRoot.activeElement;
  if (!x || x === document.body) return "";
  const keyed = x.closest("[class*=st-key-]");
  const key = keyed ? [...keyed.classList].find((c) => c.startsWith("st-key-")).slice(7) : "";
  return `${key} | ${x.tagName} | ${(x.innerText || x.getAttribute("aria-label") || "").trim()}`;
}"""


_LONGEST_LINE = """() => {
  const walker = (p) => {  // characters by the height of the line they stand on
            const lines = new Map();
            const texts = document.createTreeWalker(p, NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) {
              const range = document.createRange();
              for (let i = 0; i < texts.currentNode.length; i++) {
                range.setStart(texts.currentNode, i);
                range.setEnd(texts.currentNode, i + 1);
                const line = Math.round(range.getBoundingClientRect().bottom / 16);
                lines.set(line, (lines.get(line) ?? 0) + 1);
              }
            }
            return Math.max(...lines.values());
          };
          return Math.max(...[...document.querySelectorAll("[class*=st-key-prose-] p")]
            .map(walker));
        }"""


class Reader(Visitor):
    """One learner's browser."""

    def __init__(self, server: Server, context: Any) -> None:
        self.server = server
        super().__init__(context)

    def open(self, path: str = "") -> "Reader":
        self.page.goto(f"http://127.0.0.1:{self.server.port}/{path}")
        return self.ready()

    def ready(self) -> "Reader":
        """Wait until the page is drawn and at rest."""
        self.wait_for(f"() => ({AT_REST})() && document.querySelector('h1')", "a page at rest")
        return self

    def focused(self) -> str:
        return str(self.page.evaluate(_FOCUSED))

    def tab_to(self, pattern: str, most: int = 150) -> "Reader":
        """Press Tab until what has the focus matches."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if re.search(pattern, self.focused()):
                return self
        raise AssertionError(f"{most} tabs did not reach {pattern}; at {self.focused()}")

    def whole(self) -> None:
        """Make the window as high as the page: what is below it is not drawn, nor judged."""
        width = self.page.viewport_size["width"]
        height = self.page.get_by_test_id("stMain").evaluate("(x) => x.scrollHeight")
        self.page.set_viewport_size({"width": width, "height": min(height + 20, 16_000)})
        self.ready()

    def violations(self) -> list[tuple[str, str]]:
        """What axe has to say."""
        return violations(self.page)

    def longest_line(self) -> int:
        """How many characters stand on the fullest line of the prose."""
        return int(self.page.evaluate(_LONGEST_LINE))


Opener = Callable[..., Reader]


@pytest.fixture
def reader(recorded_server: Server, playwright_browser: Any) -> Iterator[Opener]:
    readers: list[Reader] = []

    def opener(path: str = "", **options: Any) -> Reader:
        options.setdefault("viewport", {"width": 1440, "height": 900})
        options.setdefault("reduced_motion", "reduce")
        readers.append(Reader(recorded_server, playwright_browser.new_context(**options)))
        return readers[-1].open(path)

    yield opener
    errors = [error for one in readers for error in one.errors]
    for one in readers:
        one.context.close()
    assert errors == []
    assert recorded_server.tracebacks() == []


def test_lesson_two_by_keyboard_only(reader: Opener) -> None:
    """From the top through gates and figures to the checkpoint, with Tab, Enter and arrows."""
    me = reader(LESSON)
    page = me.page
    me.tab_to(r"option-l2-bet-on-verdict").press("Enter")
    page.get_by_text("This cycle committed").wait_for()
    me.tab_to(r"^p-why").press("ArrowRight")
    page.get_by_text("p/q = 0.11/0.50").wait_for()
    me.tab_to(r"^u-why").press("Enter")
    page.get_by_text("Drawn 1 times").wait_for()
    me.tab_to(r"skip-l2-predict-residual").press("Enter")
    page.get_by_text("was drawn instead").first.wait_for()
    me.tab_to(r"option-l2-predict-replacement").press("Enter")
    me.tab_to(r"^rule-why").press("ArrowRight").press("Space")  # arrows move within a group
    page.get_by_text("The stacks miss p").wait_for()
    me.tab_to(r"answer-l2-overlap-of-four \| INPUT")
    page.keyboard.type("0,27")
    me.press("Enter")
    page.get_by_text("accepted only if two independent draws agree").wait_for()
    me.press("Control+a")
    page.keyboard.type("70%")
    me.press("Enter")
    page.get_by_text("The smaller of the two at each token").wait_for()
    assert page.get_by_text("Your first try was another one").is_visible()
    me.tab_to(r"option-l2-residual-of-four-scaled").press("Enter")
    page.get_by_text("What is missing is 0.2 and 0.1").wait_for()


def test_two_learners_do_not_see_each_other(reader: Opener) -> None:
    """Each browser has its own answers; a reload keeps them; a code brings them elsewhere."""
    ann = reader("draft-then-verify")
    ann.page.locator("[class*=st-key-option-l1-why-a-block-is-cheap-weights] button").click()
    ann.page.get_by_text("Reading the weights is what takes the time").wait_for()
    bob = reader("draft-then-verify")
    assert bob.page.get_by_text("Reading the weights is what takes the time").count() == 0
    ann.open("draft-then-verify")
    ann.page.get_by_text("Reading the weights is what takes the time").wait_for()
    assert ann.page.get_by_text("(your answer)").count() == 1

    ann.open()
    ann.page.get_by_text("1 of 6 right").wait_for()
    assert bob.open().page.get_by_text("not begun").count() >= 3
    code = ann.page.locator("[data-testid=stCode] code").inner_text().strip()
    bob.page.get_by_label("Resume code from another device").fill("bbb-bbb-bbb")
    bob.page.get_by_role("button", name="Continue").click()
    bob.page.get_by_text("No work is kept under this code").wait_for()
    bob.errors.clear()  # the browser logs the refusal as a failed request
    bob.page.get_by_label("Resume code from another device").fill(code)
    bob.page.get_by_role("button", name="Continue").click()
    bob.page.get_by_text("1 of 6 right").wait_for()
    bob.page.get_by_role("button", name="Start again").click()
    bob.page.get_by_text("Nothing answered yet").wait_for()
    ann.page.get_by_role("button", name="Delete my answers").click()
    ann.page.get_by_role("button", name="Delete them now").click()
    ann.page.get_by_text("Nothing answered yet").wait_for()
    assert ann.page.get_by_text("not begun").count() >= 3


def test_a_visitor_of_home_changes_k(reader: Opener) -> None:
    """The bars of the recorded run at that draft length are there, and what it took is said."""
    found = home_runs()
    assert found is not None, "Home's runs are not recorded: make traces"
    me = reader()
    slider, bars = me.page.get_by_role("slider"), me.page.locator(".stepper .bars [role=option]")
    assert bars.count() == len(found.runs[4].cycles)  # whole: reduced motion
    for key, k in (("Home", 1), ("End", 8), ("ArrowLeft", 7)):
        slider.press(key)
        run = found.runs[k]
        assert bars.count() == len(run.cycles)
        tokens = sum(len(cycle.committed) for cycle in run.cycles)
        says = f"At k = {k}, {tokens} tokens take {len(run.cycles)} passes of the target"
        me.page.get_by_text(says).wait_for()
        assert me.page.get_by_text(f"k+1 = {k + 1}").count() == 1


def test_home_hands_a_link_on_to_the_lab(reader: Opener) -> None:
    me = reader()
    assert me.page.get_by_role("link", name="Lab", exact=True).count() == 1
    me.open("?prompt=Why+is+the+sky+blue%3F&k=4&cycle=2&stage=decide&position=1")
    me.page.wait_for_url("**/lab?*")
    me.ready()
    assert me.page.get_by_label("Prompt", exact=True).input_value() == "Why is the sky blue?"
    assert "cycle=2" in me.page.url


def test_a_law_drawn_by_hand_reaches_the_sentence(reader: Opener) -> None:
    me = reader(LESSON)
    bar = me.page.locator("[role=slider][data-law=q]").first
    bar.scroll_into_view_if_needed()
    me.page.get_by_text("The overlap is 0.60. The residual: A 0.75 and C 0.25.").wait_for()
    bar.press("PageUp")
    me.page.get_by_text("The overlap is 0.69").wait_for()
    assert bar.get_attribute("aria-valuetext") == "0.20, overlap 0.69"


@pytest.mark.parametrize(
    ("path", "width", "scheme"),
    [
        ("", 390, "dark"),
        ("", 1440, "light"),
        (LESSON, 390, "light"),
        (LESSON, 1440, "dark"),
        ("glossary", 1440, "light"),
    ],
)
def test_width_theme_and_axe(reader: Opener, path: str, width: int, scheme: str) -> None:
    me = reader(path, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert me.no_sideways_scroll()
    me.whole()
    assert me.no_sideways_scroll()
    assert me.violations() == []
    if path == LESSON:
        assert 30 <= me.longest_line() <= 75
