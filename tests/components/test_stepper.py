"""The stepper: its modules in a plain page in Chromium, and its Python side.

Nothing here needs Streamlit's server or a model: the traces are made from random laws by the
rule itself. Every wait is on the page's state.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from components.browser_code import join_modules
from components.run_payload import payload_of
from components.stepper import FOLDER, Cursor, Progress, clamp
from helpers.browser import page_alone
from helpers.look import violations
from helpers.made_traces import as_trace, make_trace, odd_trace, stops
from helpers.patience import patience
from speculation.trace import (
    Trace,
)

# ---- Python -------------------------------------------------------------------------------------


def test_clamp() -> None:
    trace = odd_trace()
    assert clamp(Cursor(cycle=99, stage="replace", position=7), trace) == Cursor(
        cycle=3, stage="replace", position=0
    )
    assert clamp(Cursor(cycle=1, stage="decide", position=3), trace) == Cursor(
        cycle=1, stage="verify", position=0
    )
    assert clamp(Cursor(cycle=2, stage="decide", position=1), trace) == Cursor(
        cycle=2, stage="decide", position=0
    )
    assert clamp(Cursor(), as_trace([], 4)) is None


def test_joined_module_is_one_text() -> None:
    joined = join_modules(FOLDER / "streamlit.js")
    assert "\nimport " not in joined
    exports = [line for line in joined.splitlines() if line.startswith("export ")]
    assert len(exports) == 1
    assert exports[0].startswith("export default function")
    assert joined.index("function segments") < joined.index("function mount(")


def stepper_app() -> None:
    """A page with a stepper, run by AppTest: its own imports, no closure."""
    import streamlit as st

    from components.stepper import stepper
    from helpers.made_traces import make_trace

    given = st.session_state.get("given", {})
    st.session_state.returned = stepper(make_trace(n_cycles=4), key="s", **given)
    assert stepper(None, key="empty") is None


def test_only_a_new_command_moves_it() -> None:
    testing = pytest.importorskip("streamlit.testing.v1")
    app = testing.AppTest.from_function(stepper_app, default_timeout=patience()).run()
    to, other = Cursor(cycle=2, stage="verify"), Cursor(cycle=1)
    steps: list[tuple[dict[str, Any], Cursor]] = [
        ({}, Cursor()),
        ({"cursor": to}, Cursor()),  # no command with it
        ({"cursor": to, "jump": 1}, to),
        ({"cursor": other, "jump": 1}, to),  # the same command again
        ({}, to),  # none, as while another run streams
        ({"cursor": Cursor(cycle=99), "jump": 2}, Cursor(cycle=3)),
    ]
    for given, expected in steps:
        app.session_state["given"] = given
        app.run()
        assert not app.exception
        assert app.session_state["returned"] == expected


# ---- the browser --------------------------------------------------------------------------------

PAGE = """<!doctype html><html lang="en" style="color-scheme: light dark"><title>stepper</title>
<link rel="stylesheet" href="/stepper.css"><link rel="stylesheet" href="/distributions.css">
<body style="background: light-dark(#fff, #0e1117)"><main><h1>A run</h1><input aria-label="typed">
<div id="here"></div></main>
<script type="module">
  import { mount } from "/stepper.js";
  import * as model from "/model.js";
  Object.assign(window, { mount, model, moves: [] });
</script>"""


def serve(route: Any) -> None:
    name = route.request.url.split("?")[0].rsplit("/", 1)[1]
    if name in ("", "page"):
        route.fulfill(body=PAGE, content_type="text/html")
    elif name == "joined.js":
        route.fulfill(body=join_modules(FOLDER / "streamlit.js"), content_type="text/javascript")
    else:
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        route.fulfill(body=(FOLDER / name).read_text(encoding="utf-8"), content_type=kind)


@pytest.fixture
def page(playwright_browser: Any) -> Iterator[Any]:
    options = {"viewport": {"width": 1200, "height": 1000}}
    yield from page_alone(playwright_browser, "http://stepper.test/**", serve, options)


def open_page(page: Any, trace: Trace | None, query: str = "", **options: Any) -> None:
    page.goto(f"http://stepper.test/page{query}")
    page.wait_for_function("Boolean(window.mount)")
    page.evaluate(
        """([trace, options]) => {
          window.handle = mount(document.getElementById("here"), trace,
            (cursor) => moves.push(cursor), options);
        }""",
        [json.loads(trace.model_dump_json()) if trace else None, options],
    )


def cursor(page: Any) -> tuple[int, str, int]:
    at = page.evaluate("handle.cursor()")
    return at["cycle"], at["stage"], at["position"]


@pytest.mark.parametrize("trace", [make_trace(n_cycles=3), odd_trace()], ids=["usual", "odd"])
def test_forward_and_back_through_everything(page: Any, trace: Trace) -> None:
    open_page(page, trace)
    there = stops(trace)
    seen = [cursor(page)]
    for _ in there[1:]:
        page.keyboard.press("ArrowRight")
        seen.append(cursor(page))
    assert seen == there
    page.keyboard.press("ArrowRight")
    assert cursor(page) == there[-1]
    for place in reversed(there[:-1]):
        page.get_by_role("button", name="back", exact=True).click()
        assert cursor(page) == place
    assert len(page.evaluate("moves")) == 1 + 2 * (len(there) - 1)  # where it starts, and each move


def test_keys_and_buttons_jump(page: Any) -> None:
    trace = make_trace(n_cycles=6)
    open_page(page, trace)
    for key, place in {
        "End": stops(trace)[-1], "Home": (0, "draft", 0), "PageDown": (1, "draft", 0),
        "Shift+ArrowRight": (2, "draft", 0), "PageUp": (1, "draft", 0),
    }.items():  # fmt: skip
        page.keyboard.press(key)
        assert cursor(page) == place
    page.get_by_role("button", name="replace", exact=True).click()
    assert cursor(page) == (1, "replace", trace.cycles[1].n_accepted)
    page.get_by_role("button", name="decide position 1").click()
    assert cursor(page) == (1, "decide", 0)
    assert page.locator(".stages [aria-current=step]").inner_text() == "1"
    page.get_by_role("button", name="last", exact=True).click()
    assert cursor(page) == stops(trace)[-1]
    assert page.locator(".where").inner_text() == "cycle 6 of 6"


def test_bar_and_token_jump_and_use_their_own_arrows(page: Any) -> None:
    trace = make_trace(n_cycles=8)
    open_page(page, trace)
    bars = page.locator(".bars [role=option]")
    assert bars.count() == 8
    bars.nth(4).click()
    assert cursor(page) == (4, "draft", 0)
    page.keyboard.press("ArrowRight")
    assert cursor(page) == (5, "draft", 0)  # the bars' own arrow: a cycle, not a step
    page.keyboard.press("Shift+ArrowRight")
    assert cursor(page) == (6, "draft", 0)

    kept = next(c for c in trace.cycles if c.n_accepted >= 1)
    tokens = page.locator(".tokens [role=option]")
    assert tokens.count() == len(trace.tokens)
    tokens.nth(kept.start).click()
    assert cursor(page) == (kept.index, "decide", 0)
    assert tokens.nth(kept.start).get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowRight")
    second = ("decide", 1) if kept.n_accepted > 1 else ("replace", 1)
    assert cursor(page) == (kept.index, *second)
    page.keyboard.press("End")
    assert cursor(page) == stops(trace)[-1]
    assert (
        page.locator(".stepper [tabindex='0']").count() == 3
    )  # one tab stop each, and the chart's


def test_numbers_appear_with_their_stage(page: Any) -> None:
    trace = make_trace()
    index = next(c.index for c in trace.cycles if 0 < c.n_accepted < 3)
    cycle = trace.cycles[index]
    open_page(page, trace, cursor={"cycle": index, "stage": "draft", "position": 0})
    row = page.locator(".row:not(.last)")

    def texts(name: str) -> list[str]:
        return [t for t in page.locator(f".row:not(.last):visible .{name}").all_inner_texts() if t]

    def filled() -> list[int]:
        return [len(texts(name)) for name in ("q", "p", "a", "verdict")]

    meters = row.locator(".meter:visible")
    assert (filled(), meters.count()) == ([4, 0, 0, 0], 0)
    page.keyboard.press("ArrowRight")
    assert (filled(), meters.count()) == ([4, 4, 0, 0], 0)
    page.keyboard.press("ArrowRight")
    assert (filled(), meters.count()) == ([4, 4, 1, 1], 1)
    while cursor(page)[1] == "decide" and cursor(page)[2] < cycle.n_accepted:
        page.keyboard.press("ArrowRight")
    words = texts("verdict")
    assert len(words) == 4
    assert "rejected" in words[cycle.n_accepted]
    for unread in words[cycle.n_accepted + 1 :]:
        assert unread == "unchecked: drafted after a rejection, thrown away unread"
    assert page.locator(".last .chip:visible").count() == 0
    page.keyboard.press("ArrowRight")
    assert "residual" in page.locator(".last .verdict").inner_text()
    assert f"commits {cycle.n_accepted + 1} tokens" in page.locator(".sentence").inner_text()


def test_numbers_fit_their_column_and_are_told_apart(page: Any) -> None:
    expected = {
        0.25: ["0.25", "= 0.25"],
        0.999: ["0.999", "= 0.999"],
        0.9999996: [">0.9999", "> 0.9999"],  # a column has room for seven characters
        1: ["1", "= 1"],
        0.031: ["0.031", "= 0.031"],
        0.00042: ["4.2e-4", "= 4.2e-4"],
        1.004: ["1.00", "= 1.00"],
    }
    open_page(page, make_trace())
    said, apart = page.evaluate(
        """async (values) => { const { apart, equals, number } = await import("/run_words.js");
        return [values.map((x) => [number(x), equals(number(x))]),
          [apart(0.62, 0.6204), apart(0.999998, 0.9999996)]]; }""",
        list(expected),
    )
    assert said == list(expected.values())
    assert apart == [["0.6200", "0.6204"], ["0.999998", ">0.999999"]]


def test_odd_cycles_in_words(page: Any) -> None:
    open_page(page, odd_trace(), cursor={"cycle": 2, "stage": "replace", "position": 0})
    assert "p/q = 0: rejected" in page.locator(".row .verdict").first.inner_text()
    page.evaluate("handle.goto({cycle: 0, stage: 'decide', position: 0})")
    first = page.locator(".row .verdict").first
    assert first.inner_text() == "p ≥ q: accepted whatever u is"
    page.evaluate("handle.goto({cycle: 1, stage: 'replace', position: 0})")
    assert page.locator(".row:visible").count() == 1
    assert "nothing drafted" in page.locator(".last .verdict").inner_text()
    page.evaluate("handle.goto({cycle: 3, stage: 'replace', position: 0})")
    words = page.locator(".row:visible .verdict").all_inner_texts()
    assert words[1] == "unchecked: drafted after the end of the text, thrown away unread"
    assert words[2] == "no replacement: the accepted token ends the text"


def test_tokens_are_text(page: Any) -> None:
    open_page(page, odd_trace())
    chips = page.locator(".tokens [role=option]")
    assert [t.strip() for t in chips.all_inner_texts()] == [
        "E2 82", "AC", "<img·src=x·onerror=window.hacked=1>", "↵", "def",
        "<|im_end|>",
    ]  # fmt: skip
    assert "“€”" in chips.first.get_attribute("title")
    assert page.locator(".stepper img").count() == 0
    assert page.evaluate("window.hacked") is None
    assert "\ufffd" not in page.locator(".stepper").inner_text()
    shown = page.evaluate(
        """async () => { const { segments } = await import("/run_words.js");
          return ["\\u202e", "a\\ufffdb", "\\t", "e\\u0301", "\\u0301", ""].map((x) =>
            segments(x).map(([, text]) => text).join("|")); }"""
    )
    assert shown == ["U+202E", "a|U+FFFD|b", "⇥", "e\u0301", "◌\u0301", "empty"]


def test_address(page: Any) -> None:
    open_page(page, make_trace(), "?k=4&cycle=3&stage=verify&position=2#part", address=True)
    assert cursor(page) == (2, "verify", 1)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.search") == "?k=4&cycle=3&stage=decide&position=1"
    assert page.evaluate("location.hash") == "#part"
    page.evaluate("history.pushState({}, '', '?k=5')")  # as the page around it does
    page.wait_for_function("location.search === '?k=5&cycle=3&stage=decide&position=1'")
    open_page(page, make_trace(), "?cycle=999&stage=nonsense&position=-4", address=True)
    assert cursor(page) == (11, "draft", 0)
    open_page(page, make_trace(), "?cycle=3")
    assert cursor(page) == (0, "draft", 0)  # off unless asked for
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.search") == "?cycle=3"


def test_two_that_write_the_address_come_to_rest(page: Any) -> None:
    """As while one component makes way for another: each hears what the other writes."""
    open_page(page, make_trace(), "?cycle=9&stage=verify&position=1", address=True)
    page.evaluate(
        """(trace) => {
          const other = document.body.appendChild(document.createElement("div"));
          window.second = mount(other, trace, () => {}, { address: true });
        }""",
        json.loads(make_trace(n_cycles=3).model_dump_json()),
    )
    assert page.evaluate("second.cursor().cycle") == 2
    page.evaluate("history.pushState({}, '', '?k=5')")
    page.wait_for_function("location.search.startsWith('?k=5&cycle=')")
    page.evaluate("second.goto({ cycle: 1, stage: 'draft', position: 0 })")
    assert page.evaluate("location.search") == "?k=5&cycle=2&stage=draft&position=1"


def test_keys_are_not_stolen(page: Any) -> None:
    open_page(page, make_trace())
    page.get_by_label("typed").fill("abc")
    for key in ["ArrowLeft", "Space", "Home", "p", "End"]:
        page.keyboard.press(key)
    assert page.get_by_label("typed").input_value() == "pab c"
    assert cursor(page) == (0, "draft", 0)
    page.get_by_label("speed").focus()
    page.keyboard.press("ArrowRight")
    assert cursor(page) == (0, "draft", 0)
    page.get_by_role("button", name="forward", exact=True).focus()
    page.keyboard.press("Space")
    assert cursor(page) == (0, "verify", 0)  # the button's own key: a step, and no play
    assert page.get_by_role("button", name="play").count() == 1


def test_play_runs_to_the_end(page: Any) -> None:
    page.clock.install()
    open_page(page, make_trace(n_cycles=2))
    page.get_by_label("speed").select_option("4")
    page.get_by_role("button", name="play").click()
    page.clock.run_for(251)
    assert cursor(page) == (0, "verify", 0)
    page.get_by_role("button", name="pause").click()
    page.clock.run_for(2000)
    assert cursor(page) == (0, "verify", 0)
    page.locator("h1").click()
    page.keyboard.press("Space")
    page.clock.run_for(5000)
    assert cursor(page) == stops(make_trace(n_cycles=2))[-1]
    assert page.get_by_role("button", name="play").count() == 1


def test_stream_then_trace(page: Any) -> None:
    trace = make_trace(n_cycles=6)

    def progress(n: int) -> Any:
        done = Progress.of(trace.cycles[:n], trace.pieces, trace.settings.k, 80)
        return done.model_dump(mode="json")

    open_page(page, None, "?cycle=2&stage=verify&position=1", address=True)
    assert page.locator(".empty").is_visible()
    page.evaluate("(progress) => handle.update({ progress })", progress(2))
    chips = page.locator(".tokens [role=option]")
    assert chips.count() == trace.cycles[2].start
    height = page.locator(".stepper").bounding_box()["height"]
    page.evaluate("window.first = document.querySelector('.tokens [role=option]')")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("handle.cursor()") is None
    page.evaluate("(progress) => handle.update({ progress })", progress(6))
    assert page.locator(".bars [role=option]").count() == 6
    page.evaluate(
        "(trace) => handle.update({ trace, progress: null })", json.loads(trace.model_dump_json())
    )
    assert cursor(page) == (1, "verify", 0)  # the address waited for the trace
    assert page.locator(".nav").is_visible()
    assert page.locator(".stepper").bounding_box()["height"] == height
    assert page.evaluate("first === document.querySelector('.tokens [role=option]')")


def test_equal_data_is_not_drawn_again(page: Any) -> None:
    trace = make_trace()
    open_page(page, trace)
    page.keyboard.press("End")
    changes = page.evaluate(
        """async (trace) => {
          let seen = 0;
          const watcher = new MutationObserver((list) => { seen += list.length; });
          watcher.observe(document.getElementById("here"),
            { subtree: true, childList: true, attributes: true, characterData: true });
          handle.update({ trace });
          await new Promise(requestAnimationFrame);
          return seen;
        }""",
        json.loads(trace.model_dump_json()),
    )
    assert changes == 0
    assert cursor(page) == stops(trace)[-1]


def test_browser_and_python_clamp_alike(page: Any) -> None:
    for trace in (make_trace(n_cycles=3), odd_trace()):
        open_page(page, trace)
        wild = [
            Cursor(cycle=c, stage=s, position=i)
            for c in range(5)
            for s in ("draft", "verify", "decide", "replace")
            for i in range(6)
        ]
        found = page.evaluate(
            "([list, trace]) => list.map((cursor) => model.clamp(cursor, trace))",
            [[x.model_dump() for x in wild], trace.model_dump(mode="json")],
        )
        assert [Cursor(**x) for x in found] == [clamp(x, trace) for x in wild]


def test_present_key(page: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    for k in (4, 12):
        open_page(page, make_trace(k=k), present=True)
        assert page.locator(".stepper").bounding_box()["height"] < 700  # with room for a margin
    page.keyboard.press("Escape")
    assert page.locator("[data-present]").count() == 0
    page.keyboard.press("p")
    assert page.locator("[data-present]").count() == 1


@pytest.mark.parametrize("width", [1200, 390])
def test_nothing_scrolls_sideways_or_jumps(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    open_page(page, make_trace(k=12, n_cycles=60))
    heights = set()
    for _ in range(16):
        page.keyboard.press("ArrowRight")
        heights.add(round(page.locator(".stepper").bounding_box()["height"]))
    assert len(heights) == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    bar = page.locator(".bars [role=option]").last.bounding_box()
    assert bar["x"] + bar["width"] <= width


def test_joined_module_mounts_once_and_reports(page: Any) -> None:
    """The default export as Streamlit calls it: again and again, with no clean-up between."""
    page.goto("http://stepper.test/page")
    page.evaluate(
        """async (trace) => {
          const { default: run } = await import("/joined.js");
          const parentElement = document.getElementById("here");
          window.told = [];
          window.data = { trace, progress: null, cursor: null, jump: 0, present: false,
            address: true };
          window.run = (change) => run({ data: Object.assign(window.data, change), parentElement,
            setStateValue: (name, value) => told.push([name, value]) });
          window.run({}); window.run({});
        }""",
        payload_of(make_trace()).model_dump(mode="json"),
    )
    assert page.locator(".stepper").count() == 1
    page.wait_for_function("told.length === 1")  # where it started
    page.keyboard.press("ArrowRight")
    page.wait_for_function("told.length === 2")
    at = {"cycle": 0, "stage": "verify", "position": 0, "jump": 0}
    assert page.evaluate("told[1]") == ["cursor", at]
    page.evaluate("void run({ cursor: { cycle: 3, stage: 'draft', position: 0 } })")  # an echo
    assert page.locator(".where").inner_text() == "cycle 1 of 12"
    page.evaluate("void run({ jump: 1 })")
    assert page.locator(".where").inner_text() == "cycle 4 of 12"
    page.wait_for_function("told.length === 3")
    assert page.evaluate("told[2][1]") == {"cycle": 3, "stage": "draft", "position": 0, "jump": 1}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe(page: Any, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 1200, "height": 1100})
    open_page(page, make_trace())
    for keys in (["ArrowRight"] * 3, ["End"]):
        for key in keys:
            page.keyboard.press(key)
        # Colors fade from one stage to the next; they are judged where they come to rest.
        assert violations(page) == []
