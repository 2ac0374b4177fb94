"""The Lab in a real browser: the first look, stepping, running, stopping, sliders, two visitors."""

import json
from typing import Any

import pytest

from helpers.browser import Lab, Opener, Server
from recordings.presets import presets
from recordings.trace_files import recorded
from speculation.text import join
from speculation.trace import Trace

DEFAULT = presets()[0]


def needs_models(server: Server) -> None:
    if not server.live:  # in CI the server refuses to start without them
        pytest.skip("needs the live models: make install")


def recording(name: str = DEFAULT.name) -> Trace:
    trace = recorded(name)
    assert trace is not None, f"assets/traces has no {name}: make traces"
    return trace


def stops(trace: Trace, cycle: int) -> list[tuple[int, str, int]]:
    """The places of one cycle as the address writes them: all counted from 1."""
    found = trace.cycles[cycle]
    decided = [(cycle + 1, "decide", i + 1) for i in range(len(found.checked))]
    return [(cycle + 1, "draft", 1), (cycle + 1, "verify", 1), *decided,
            (cycle + 1, "replace", found.n_accepted + 1)]  # fmt: skip


def title(trace: Trace, place: tuple[int, str, int]) -> str:
    """What the heading over the laws ends with at a place."""
    return f"token {trace.cycles[place[0] - 1].start + place[2]}, cycle {place[0]}"


def test_healthz(server: Server) -> None:
    answer = json.loads(server.get("healthz"))
    assert answer["status"] == "ok"
    assert answer["models"] in (("warming up", "live") if server.live else ("recorded only",))


def test_first_look_and_stepping(open_lab: Opener) -> None:
    """A recorded run is there at once; keys and buttons step, and the charts beside it follow."""
    lab, trace = open_lab(), recording()
    page = lab.page
    assert lab.badge().startswith("recorded")
    assert lab.said() == []
    assert len(lab.tokens()) == len(trace.tokens)
    assert page.locator(".bars [role=option]").count() == len(trace.cycles)
    there = stops(trace, 0) + stops(trace, 1)
    assert lab.cursor() == there[0]
    for place in there[1:]:
        lab.press("ArrowRight")
        assert lab.cursor() == place
    lab.wait(lambda: lab.laws_title().endswith(title(trace, there[-1])))
    back = page.get_by_role("button", name="back", exact=True)
    for place in reversed(there[:-1]):
        back.click()
        assert lab.cursor() == place
    lab.press("PageDown")
    lab.wait(lambda: lab.laws_title().endswith(title(trace, (2, "draft", 1))))
    lab.press("End")
    assert lab.cursor()[0] == len(trace.cycles)
    page.locator(".bars [role=option]").nth(2).click()
    assert lab.cursor()[0] == 3
    lab.press("Home")  # in a list, Home goes to its first item
    page.locator(".tokens [role=option]").nth(1).click()
    assert lab.cursor()[0] == 1
    page.locator(".where").click()
    lab.press("Home")
    lab.wait(lambda: lab.laws_title().endswith(title(trace, there[0])))
    assert lab.cursor() == there[0]
    page.get_by_label("speed").select_option("4")
    page.locator(".where").click()
    lab.press("Space").wait(lambda: lab.cursor()[1] == "decide")
    page.get_by_role("button", name="pause").click()
    assert page.get_by_role("button", name="play").count() == 1


def test_charts_follow_in_numbers(open_lab: Opener) -> None:
    """The sentence under the chart is made from the place the stepper stands on."""
    trace = recording()
    cycle = next(c for c in trace.cycles if not c.replacement or not c.replacement.bonus)
    place = {"cycle": cycle.index + 1, "stage": "decide", "position": cycle.n_accepted + 1}
    lab = open_lab(trace.settings.to_link() | place)
    overlap = cycle.drafted[cycle.n_accepted].overlap
    sentence = lab.page.get_by_text(f"The two distributions overlap by {overlap:.2f}")
    sentence.wait_for()
    assert "was rejected" in sentence.inner_text()
    verdict = lab.page.locator(".stepper").get_by_text("rejected").first
    assert verdict.is_visible()


def test_run_streams_stop_keeps(server: Server, open_lab: Opener) -> None:
    """Run makes it live, text streams in; Stop keeps what is done; Run again finishes it."""
    needs_models(server)
    lab = open_lab({"length": 200, "seed": 5, "prompt": "Count from one to fifty."}, wait=False)
    lab.streaming()
    before = len(lab.tokens())
    lab.wait(lambda: len(lab.tokens()) > before or not lab.button("Stop").is_enabled())
    lab.button("Stop").click()
    lab.ready()
    kept = lab.tokens()
    assert before <= len(kept) < 200
    assert lab.badge().startswith("live")
    assert not lab.button("Stop").is_enabled()
    lab.press("Home", "ArrowRight", "ArrowRight")
    assert lab.cursor() == (1, "decide", 1)
    lab.page.get_by_role("slider", name="Temperature").wait_for()
    lab.open({"length": 12, "seed": 5, "prompt": "Count from one to fifty."})
    both = min(len(kept), len(lab.tokens()))
    assert lab.tokens()[:both] == kept[:both]  # the same dice, as far as it was done


def test_run_makes_the_default_live(server: Server, open_lab: Opener) -> None:
    needs_models(server)
    lab = open_lab()
    first = lab.tokens()[0]
    lab.button("Run").click()
    lab.wait(lambda: lab.badge().startswith("live")).ready()
    assert lab.tokens()[0] == first  # a later token may differ from the recording's machine
    # A preset, and back: Run makes it live again, though nothing need be computed.
    lab.preset("List")
    lab.wait(lambda: lab.badge().startswith("recorded"))
    lab.preset("Code")
    lab.wait(lambda: lab.query()["prompt"] == DEFAULT.settings.prompt).ready()
    assert lab.badge().startswith("recorded")
    lab.button("Run").click()
    lab.streaming().button("Stop").click()  # the whole of it was seen above
    lab.wait(lambda: lab.badge().startswith("live")).ready()
    assert lab.tokens()[0] == first


def test_presets_switch_at_once(open_lab: Opener) -> None:
    lab = open_lab()
    for preset in presets()[1:3]:
        lab.preset(preset.title)
        prompt = preset.settings.prompt
        lab.wait(lambda p=prompt: lab.query().get("prompt") == p).ready()  # type: ignore[misc]
        assert lab.badge().startswith("recorded")
        pieces = recording(preset.name).pieces
        written = join([pieces[token] for token in recording(preset.name).tokens])
        shown = lab.text().replace("·", " ").replace("↵", "\n")
        assert shown.split()[:6] == written.split()[:6]
        assert len(lab.tokens()) == len(recording(preset.name).tokens)
        box = lab.page.get_by_label("Prompt", exact=True)
        assert box.input_value() == prompt


def test_preset_during_a_run(server: Server, open_lab: Opener) -> None:
    """The recording stays: what was left of the run does not come back over it."""
    needs_models(server)
    lab = open_lab({"length": 200, "seed": 6, "prompt": "Count from one to sixty."}, wait=False)
    lab.streaming()
    lab.preset("List")
    lab.wait(lambda: lab.query().get("prompt") == recording("list").settings.prompt).ready()
    lab.press("ArrowRight")
    lab.slide("k, draft length", "ArrowRight")  # another run, behind what is left of the first
    lab.streaming().button("Stop").click()  # how it goes on makes no difference
    lab.wait(lambda: lab.query()["k"] == "5").ready()
    assert lab.query()["prompt"] == recording("list").settings.prompt
    assert len(lab.tokens()) > 0


def test_sliders_answer(server: Server, open_lab: Opener) -> None:
    """Temperature and k derive the run again under the same dice; a strip says where it parts."""
    needs_models(server)
    start = {"length": 16, "temperature": 0.8, "prompt": "Name three colors.", "k": 4}
    lab = open_lab(start)
    before, page = lab.tokens(), lab.page
    lab.slide("Temperature", "ArrowRight", "ArrowRight", "ArrowRight")
    lab.wait(lambda: lab.query().get("temperature") == "0.95").ready()
    strip = page.get_by_text("under the same dice")
    strip.wait_for()
    words, after = strip.inner_text(), lab.tokens()
    assert "temperature" in words
    same = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    if same is None:
        assert "the text is the same" in words or "ends" in words
    elif same == 0:
        assert "the first token already differs" in words
    else:
        assert f"the first {same} tokens stay" in words
    lab.slide("k, draft length", "ArrowRight", "ArrowRight")
    lab.wait(lambda: lab.query().get("k") == "6").ready()
    page.get_by_text("k+1 = 7").wait_for()
    assert page.get_by_text("k 4 to").count() + page.get_by_text("k 5 to 6").count() > 0
    # Back to a run that was made before: the same tokens.
    lab.open(start)
    assert lab.tokens() == before


def test_two_visitors_at_once(server: Server, open_lab: Opener) -> None:
    """Both finish, each with its own text; the one who comes second sees that it waits."""
    needs_models(server)
    one = open_lab({"length": 200, "seed": 7, "prompt": "List all the months."}, wait=False)
    one.streaming()
    two = open_lab({"length": 8, "seed": 7, "prompt": "Say hello in French."}, wait=False)
    waiting = two.page.get_by_text("Waiting: 1 before you, about")
    waiting.wait_for()
    one.button("Stop").click()
    one.ready()
    two.ready()
    assert one.query()["prompt"] == "List all the months."
    assert two.query()["prompt"] == "Say hello in French."
    assert one.text()
    assert two.text()
    assert one.text() != two.text()
    assert not one.text().startswith(two.text())


def test_target_as_its_own_draft(server: Server, open_lab: Opener) -> None:
    """q = p rejects nothing, at the limits of other settings too."""
    needs_models(server)
    lab = open_lab({"pair": "smollm2-135m/target", "length": 10, "seed": 2**53 - 1, "k": 3,
                    "temperature": 2, "top_k": 5})  # fmt: skip
    assert lab.said() == []
    assert set(kinds(lab)) <= {"accepted", "bonus"}


def kinds(lab: Lab) -> list[str]:
    """What each token is, by its class."""
    classes: list[Any] = lab.page.locator(".tokens [role=option]").evaluate_all(
        "(all) => all.map((x) => [...x.classList].find((c) => c !== 'chip'))"
    )
    return classes


def test_odd_settings(server: Server, open_lab: Opener) -> None:
    """The corners of the settings run, and say nothing odd."""
    needs_models(server)
    lab = open_lab({"length": 1, "k": 12, "top_k": 1, "temperature": 0})
    for query in (
        {"length": 4, "temperature": 2, "k": 12, "min_p": 1},
        {"length": 4, "top_p": 0.005, "temperature": 0.33},
        {"length": 4, "prompt": "", "mode": "continue"},
        {"length": 4, "prompt": "", "mode": "chat"},
        {"length": 4, "precision": "bfloat16"},
    ):
        assert lab.said() == []
        assert 1 <= len(lab.tokens()) <= 4
        lab.open(query)
    assert lab.said() == []


def test_measured_against_plain(server: Server, open_lab: Opener) -> None:
    """On request: both speeds, their ratio, and a verdict that may be "slower here"."""
    needs_models(server)
    lab = open_lab({"length": 6})
    lab.page.get_by_text("Is it faster here?").click()
    lab.button("Measure").click()
    lab.page.get_by_text("tokens/s", exact=False).first.wait_for()
    verdict = lab.page.get_by_text("lower here, in").or_(lab.page.get_by_text("aster here, in"))
    verdict.or_(lab.page.get_by_text("No difference worth the name")).first.wait_for()
    assert len(lab.tokens()) <= 6  # the run on the page stayed
