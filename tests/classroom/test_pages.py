"""The class's pages without a server: their modules in Chromium, and a plan while it is made."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from classroom.hidden_run import cut_run
from classroom.place import Spot
from classroom.plans.plan import PLANS, Item, check_plan, parse_plan, shipped
from classroom.plans.question import Question
from components.stepper import FOLDER as STEPPER
from content.blocks import WidgetBlock
from content.library import library
from helpers.browser import page_alone
from helpers.made_traces import make_trace, odd_trace, stops
from helpers.patience import patience
from speculation.trace import Trace
from widgets.classes.plan_draft import Draft

PAGES = STEPPER.parents[1] / "classroom" / "pages"
EMPTY = """<!doctype html><html lang="en"><title>pages</title>
<link rel="stylesheet" href="/stepper/stepper.css">
<link rel="stylesheet" href="/stepper/distributions.css"><link rel="stylesheet" href="/class.css">
<link rel="stylesheet" href="/present.css">
<body class="present" data-asking><main><div id="here"></div><div id="question"></div></main>
<script type="module">
  import * as places from "/places.js";
  import { questionView } from "/question.js";
  import { follow } from "/net.js";
  import { mount } from "/stepper/stepper.js";
  Object.assign(window, { places, questionView, follow, mount });
</script>"""


def serve(route: Any) -> None:
    name = route.request.url.split("?")[0].removeprefix("http://pages.test/")
    file = STEPPER / Path(name).name if name.startswith("stepper/") else PAGES / name
    if name == "page":
        route.fulfill(body=EMPTY, content_type="text/html")
    else:
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        route.fulfill(body=file.read_text(encoding="utf-8"), content_type=kind)


@pytest.fixture
def page(playwright_browser: Any) -> Iterator[Any]:
    options = {"viewport": {"width": 1280, "height": 720}}
    for page in page_alone(playwright_browser, "http://pages.test/**", serve, options):
        page.goto("http://pages.test/page")
        page.wait_for_function("Boolean(window.mount)")
        yield page


def whole(trace: Trace) -> dict[str, Any]:
    return json.loads(json.dumps(cut_run(trace, None)))  # type: ignore[no-any-return]


@pytest.mark.parametrize("trace", [make_trace(n_cycles=4), odd_trace()], ids=["usual", "odd"])
def test_the_projector_cuts_a_run_as_the_server_does(page: Any, trace: Trace) -> None:
    places = [{"cycle": c, "stage": s, "position": p} for c, s, p in stops(trace)]
    drawn = page.evaluate(
        "([run, list]) => list.map((place) => places.cutRun(run, place))", [whole(trace), places]
    )
    for place, cut in zip(places, drawn, strict=True):
        sent = json.loads(json.dumps(cut_run(trace, Spot.model_validate(place))))
        assert cut["cycles"] == sent["cycles"], place


@pytest.mark.parametrize("trace", [make_trace(n_cycles=2), odd_trace()], ids=["usual", "odd"])
def test_a_run_in_part_can_be_stepped_so_far_and_no_further(page: Any, trace: Trace) -> None:
    page.evaluate("window.handle = mount(document.getElementById('here'), null)")
    there = stops(trace)
    for n, (cycle, stage, position) in enumerate(there):
        upto = Spot(cycle=cycle, stage=stage, position=position)  # type: ignore[arg-type]
        run = json.loads(json.dumps(cut_run(trace, upto)))
        page.evaluate("(trace) => handle.update({ trace })", run)
        seen = []
        page.keyboard.press("Home")
        for _ in range(n + 2):  # twice more than there is
            seen.append(page.evaluate("Object.values(handle.cursor()).join(' ')"))
            page.keyboard.press("ArrowRight")
        expected = [f"{c} {s} {p}" for c, s, p in there[: n + 1]]
        assert seen == [*expected, expected[-1]]
        for key in ("PageDown", "Shift+ArrowRight", "End"):
            page.keyboard.press(key)
            assert page.evaluate("Object.values(handle.cursor()).join(' ')") in expected
        assert page.evaluate("Object.values(handle.cursor()).join(' ')") == expected[-1]
        assert "null" not in page.inner_text(".stepper")
        assert "undefined" not in page.inner_text(".stepper")


def test_what_can_be_asked_where(page: Any) -> None:
    """The next verdict, the count, the replacement: never what is on the screen already."""
    trace = make_trace(n_cycles=3)
    for cycle, stage, position in stops(trace):
        here = {"cycle": cycle, "stage": stage, "position": position}
        found = page.evaluate("([run, place]) => places.askable(run, place)", [whole(trace), here])
        kinds = {one["kind"]: one for one in found}
        record = trace.cycles[cycle]
        decided = {"draft": 0, "verify": 0, "decide": position + 1, "replace": 99}[stage]
        open_ = decided < len(record.checked)
        assert ("verdict" in kinds) == open_
        assert not open_ or kinds["verdict"]["position"] == decided
        if stage == "replace":
            assert [one["cycle"] for one in found] == [cycle + 1] * (cycle + 1 < len(trace.cycles))
        else:
            assert ("count" in kinds) == open_
            rejected = record.n_accepted < len(record.drafted)
            assert ("replacement" in kinds) == (not open_ and rejected)


QUESTION = {
    "round": 1, "kind": "quiz", "text": "Which?", "open": True, "correct": None, "why": None,
    "choices": [{"key": k, "text": t} for k, t in (("a", "<b>one</b>"), ("b", "two"), ("c", "3"))],
    "rounds": [{"round": 1, "histogram": None}],
}  # fmt: skip


def test_counts_move_nothing_and_texts_are_text(page: Any) -> None:
    page.evaluate(
        """(question) => {
          window.card = questionView();
          document.getElementById("question").append(card.node);
          window.question = question;
          card.show(question);
        }""",
        QUESTION,
    )
    boxes = """() => [...document.querySelectorAll(".question li, .track, .ask, .choice")]
      .map((x) => { const b = x.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })"""
    before = page.evaluate(boxes)
    assert page.locator(".question b").count() == 0
    assert page.locator(".words").first.inner_text() == "<b>one</b>"
    for counts in ({"a": 1}, {"a": 150, "b": 149, "c": 1}):
        page.evaluate(
            "(histogram) => card.show({ ...question, rounds: [{ round: 1, histogram }] })", counts
        )
        assert page.evaluate(boxes) == before
    assert page.locator(".count").all_inner_texts() == ["150 (50%)", "149 (50%)", "1 (0%)"]


def test_a_silent_stream_is_opened_again(page: Any) -> None:
    """A stream that is silent for longer than the heartbeat is dead, whatever the browser says."""
    page.clock.install()
    page.evaluate(
        """() => {
          window.opened = []; window.statuses = [];
          window.fetch = async () => new Response(null, { status: 204 });
          window.EventSource = class extends EventTarget {
            constructor(url) { super(); opened.push(this); }
            close() { this.closed = true; }
          };
          window.line = follow({ base: "/class/x", since: () => 1, onState() {}, onGone() {},
            onStatus: (name) => statuses.push(name) });
          const say = (name) => opened.at(-1).dispatchEvent(new Event(name));
          say("open"); say("ping"); window.say = say;
        }"""
    )
    for _ in range(4):
        page.clock.run_for(8000)
        page.evaluate("say('ping')")
    assert page.evaluate("opened.length") == 1
    page.clock.run_for(30_000)
    assert page.evaluate("[opened.length, opened[0].closed]") == [2, True]
    page.evaluate("line.close()")


# ---- plans --------------------------------------------------------------------------------------


def test_three_plans_ship_one_a_lesson() -> None:
    assert [name[2:] for name in shipped()] == [lesson.slug for lesson in library().lessons]
    for lesson, plan in zip(library().lessons, shipped().values(), strict=True):
        assert plan.title.lower() == f"lesson {lesson.number}: {lesson.front.title.lower()}"
        kinds = {q.kind for item in plan.items for q in item.questions}
        assert "quiz" in kinds
        assert "count" in kinds or "verdict" in kinds
        asked = {q.quiz for item in plan.items for q in item.questions if q.quiz}
        assert asked <= {block.id for block in lesson.quizzes}
        assert all(item.notes for item in plan.items)
        check_plan(plan)
    assert sum(file.stat().st_size for file in PLANS.glob("*.json")) < 50_000


def test_a_plan_is_edited_and_read_again() -> None:
    draft = Draft()
    for name in ("code", "story", "poem"):
        draft = draft.with_item(Item(title=name, recording=name))
    first = draft
    draft = draft.moved(2, -1).with_texts(0, "Code", "Say hello.")
    draft = draft.with_question(0, Question(kind="count", cycle=0))
    draft = draft.with_question(0, Question(kind="verdict", cycle=1, position=3))
    draft = draft.without_question(0, 0).named("Mine", "Ten minutes.")
    assert [item.title for item in draft.items] == ["Code", "poem", "story"]
    assert [item.title for item in draft.moved(0, -1).items] == ["Code", "poem", "story"]
    assert [item.title for item in draft.without_item(1).items] == ["Code", "story"]
    assert [item.title for item in first.items] == ["code", "story", "poem"]  # nothing changed it
    assert draft.items[0].questions == (Question(kind="verdict", cycle=1, position=3),)
    again = parse_plan(draft.plan().model_dump_json().encode())
    assert Draft.of(again) == draft


# ---- recordings first ---------------------------------------------------------------------------


def waiting_app() -> None:
    """A page that waits for its turn, run by AppTest."""
    import streamlit as st

    from jobs.job import State, View
    from speculation.settings import Settings
    from widgets import state
    from widgets.lab.waiting import offer_recording

    settings = Settings(prompt=st.session_state.get("asked", Settings().prompt), k=7)
    offer_recording(View("run", settings, State.WAITING, 3))
    shown = state.shown()
    st.session_state.seen = shown and (shown.source, shown.trace.settings.prompt)


@pytest.mark.parametrize("prompt", ["Why is the sky blue?", "Something else"])
def test_who_waits_is_offered_a_recording(prompt: str) -> None:
    testing = pytest.importorskip("streamlit.testing.v1")
    app = testing.AppTest.from_function(waiting_app)
    app.session_state["asked"] = prompt
    app.run()
    assert not app.exception
    same = prompt.startswith("Why")
    button = app.button(key="show-recording")
    assert button.label == ("Show the recording" if same else "Show a recorded run")
    button.click().run()
    assert not app.exception
    source, shown = app.session_state["seen"]
    assert source == "recorded"
    assert (shown == prompt) == same


def lesson_app(slug: str) -> None:
    """One lesson, run by AppTest."""
    from content.library import library
    from screens.lesson import lesson_screen

    lesson = library().lesson(slug)
    assert lesson is not None
    lesson_screen(lesson)


@pytest.mark.parametrize("slug", [lesson.slug for lesson in library().lessons])
def test_figures_with_a_run_say_that_it_is_recorded(slug: str, no_models: None) -> None:
    """Without a model every such figure opens at once, with its badge and the run's prompt."""
    testing = pytest.importorskip("streamlit.testing.v1")
    app = testing.AppTest.from_function(
        lesson_app, args=(slug,), default_timeout=patience(60)
    ).run()
    assert not app.exception
    badges = [x.value for x in app.markdown if ":gray-badge[recorded 2" in x.value]
    lesson = library().lesson(slug)
    assert lesson is not None
    figures = [block.name for block in lesson.blocks if isinstance(block, WidgetBlock)]
    with_run = {"cycle-stepper", "p-q-residual", "greedy-and-same"} & set(figures)
    assert len(badges) >= len(with_run)
    assert not any("live: computed here" in x.value for x in app.markdown)
