"""All of a run on one screen: whatever its length and k, in a room's projector and on a laptop."""

from typing import Any

import pytest

from helpers.browser import Lab, Opener
from helpers.made_traces import as_trace, make_trace
from speculation.trace import Trace

SIZES = ((1280, 720), (1440, 900))
PARTS = {
    "prompt and handles": ".st-key-handles",
    "k": ".st-key-k",
    "temperature": ".st-key-temperature",
    "draft": ".st-key-pair",
    "seed": ".st-key-seed",
    "text": ".stepper .tokens",
    "bars": ".stepper .bars",
    "tau and alpha": ".stepper .figures",
    "moves": ".stepper .moves",
    "table": ".stepper .rows",
    "p against q": ".stepper .plot.pq",
    "residual": ".stepper .plot.left",
    "sentence": ".stepper .sentence",
}
HANDLES = 5  # of these are the page's; the others are drawn in present mode too


def run_of(tokens: int, k: int) -> Trace:
    """A run that commits so many tokens."""
    made = make_trace(k=k, n_cycles=tokens, seed=tokens + k)
    cycles = [cycle for cycle in made.cycles if cycle.start + len(cycle.committed) <= tokens]
    return as_trace(cycles, k)


def upload(lab: Lab, trace: Trace) -> None:
    file = {"name": "trace.json", "mimeType": "application/json",
            "buffer": trace.model_dump_json().encode()}  # fmt: skip
    lab.page.locator("input[type=file]").set_input_files([file])
    count = len(trace.cycles)
    lab.wait(lambda: lab.page.locator(".where").inner_text().endswith(f" of {count}"))
    lab.page.get_by_text(f"k+1 = {trace.settings.k + 1}", exact=True).wait_for()


OUTSIDE = """(parts) => {
  const find = (selector) => {
    const roots = [document, ...[...document.querySelectorAll("*")].map((x) => x.shadowRoot)];
    return roots.filter(Boolean).flatMap((root) => [...root.querySelectorAll(selector)])
      .filter((x) => x.checkVisibility({ visibilityProperty: true }));
  };
  const outside = [];
  for (const [name, selector] of parts) {
    const found = find(selector);
    if (!found.length) outside.push(`${name} is not there`);
    for (const node of found) {
      const box = node.getBoundingClientRect();
      if (box.left < 0 || box.top < 0 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1
          || box.width < 20 || box.height < 10) {
        const at = [box.left, box.top, box.right, box.bottom].map(Math.round);
        outside.push(`${name} lies at ${at}`);
      }
    }
  }
  return outside;
}"""


def outside(lab: Lab, parts: dict[str, str]) -> list[str]:
    """What is not wholly inside the window."""
    rows = {"a row of the table": ".stepper .row", "a row of the chart": ".stepper .dist"}
    found: list[str] = lab.page.evaluate(OUTSIDE, list((parts | rows).items()))
    return found


def settled(lab: Lab, size: tuple[int, int]) -> None:
    """After a change of the window, until two frames are alike."""
    lab.page.set_viewport_size({"width": size[0], "height": size[1]})
    lab.page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def test_everything_is_in_sight(open_lab: Opener) -> None:
    """Runs of 20 and 200 tokens at k = 1, 4 and 12, in both windows, where a cycle has ended."""
    lab = open_lab(viewport={"width": 1280, "height": 720})
    for size in SIZES:
        settled(lab, size)
        assert outside(lab, PARTS) == [], f"the default run at {size}"
    for tokens in (20, 200):
        for k in (1, 4, 12):
            trace = run_of(tokens, k)
            upload(lab, trace)
            long = max(trace.cycles, key=lambda x: (len(x.drafted), x.n_accepted < k))
            lab.page.locator(".bars [role=option]").nth(long.index).click()
            lab.page.locator(".where").click()
            for _ in range(len(long.checked) + 2):
                lab.press("ArrowRight")
            for size in SIZES:
                settled(lab, size)
                assert outside(lab, PARTS) == [], f"{tokens} tokens, k = {k}, {size}"
    lab.press("p")
    lab.page.locator(".st-key-handles").wait_for(state="detached")
    for size in SIZES:
        settled(lab, size)
        drawn = dict(list(PARTS.items())[HANDLES:])
        assert outside(lab, drawn) == [], f"present mode, k = 12, {size}"


def test_a_phone(open_lab: Opener) -> None:
    """Text, bars, table, distributions; the moves stay under the thumb wherever one scrolls."""
    lab = open_lab(viewport={"width": 390, "height": 844})
    order = [top(lab, part) for part in (".tokens", ".bars", ".rows", ".plot.pq")]
    assert order == sorted(order)
    for place in (0, 10_000):
        lab.page.get_by_test_id("stMain").evaluate("(x, to) => { x.scrollTop = to; }", place)
        for name in ("back", "forward"):
            box = lab.page.get_by_role("button", name=name, exact=True).bounding_box()
            assert 844 - 90 < box["y"] < 844 - 30
            assert min(box["width"], box["height"]) >= 44
    lab.page.get_by_role("button", name="forward", exact=True).click()
    assert lab.cursor() == (1, "verify", 1)


def top(lab: Lab, selector: str) -> float:
    return float(lab.page.locator(selector).first.bounding_box()["y"])


def rejected_place() -> tuple[Trace, Any]:
    from recordings.trace_files import recorded

    trace = recorded("code")
    assert trace is not None
    return trace, next(c for c in trace.cycles if c.replacement and not c.replacement.bonus)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_one_token_everywhere(open_lab: Opener, motion: str) -> None:
    """A verdict is seen at one token in table and chart; a pointer on either marks the other."""
    trace, cycle = rejected_place()
    place = {"cycle": cycle.index + 1, "stage": "decide", "position": cycle.n_accepted + 1}
    lab = open_lab(trace.settings.to_link() | place, viewport={"width": 1280, "height": 720},
                   reduced_motion=motion)  # fmt: skip
    page, x = lab.page, cycle.drafted[cycle.n_accepted]
    marked = page.locator(".dist[data-eye]")
    assert marked.count() == 1
    assert marked.get_attribute("data-mark") == "drafted"
    assert page.locator(".row[data-eye]").count() == 1
    assert marked.locator(".drawn-u").is_visible()
    assert f"u {x.u:.2f}" in page.locator(".eye").inner_text()
    other = page.locator(".dist:not([data-mark])").first
    other.hover()
    assert other.get_attribute("data-eye") is not None
    assert page.locator(".row[data-eye]").count() == 0
    page.locator(".row").nth(cycle.n_accepted).hover()
    assert marked.get_attribute("data-mark") == "drafted"
    page.locator(".dist").first.focus()
    lab.press("ArrowDown")
    assert page.locator(".dist").nth(1).evaluate("(x) => x === x.getRootNode().activeElement")
    page.mouse.move(0, 0)
    # The residual is full where it was drawn from, and grows unless less motion is asked for.
    lab.press("ArrowLeft")
    page.wait_for_timeout(300)  # a key held down is not animated; this one was let go
    moving = page.locator(".dists").evaluate(MOVING)
    assert (moving > 0) == (motion == "no-preference")
    lab.press("ArrowRight")
    drawn = page.locator('.dist[data-mark="drawn"]')
    assert drawn.get_attribute("data-eye") is not None
    assert page.locator(".row.last[data-eye]").count() == 1


# Steps to the rejection again, and counts the bars that move.
MOVING = """(table) => {
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  return table.getAnimations({ subtree: true })
    .filter((x) => x.effect.target.classList.contains("bar")).length;
}"""
