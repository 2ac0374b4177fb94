"""What a person waits for in the browser: a step, a jump, a slider on a finished run."""

from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlencode

from benchmarks.cases import Bench
from benchmarks.report import Part, Row
from benchmarks.server import browser, new_page, served
from benchmarks.timed import timed
from components.run_payload import payload_of
from components.stepper import Cursor, clamp
from recordings.presets import presets
from recordings.trace_files import recorded, recorded_names
from speculation.models.passes import PassStore
from speculation.run import Run
from speculation.settings import Settings
from speculation.trace import Trace

PAUSE_MS = 500  # between two moves: a person looks at what came


class Move(NamedTuple):
    """A slider moved: from which settings to which, and what was seen on the page."""

    before: Settings
    after: Settings
    seen: dict[str, Any]


def measure(bench: Bench) -> list[Part]:
    """Steps and jumps on the recorded run; the temperature slider on a live one."""
    steps = Part(
        "steps",
        "A step or a jump in the browser, in ms from the key press",
        "at most 30 with its distributions at p95; a run of 200 tokens at most 300,000 bytes",
        "p50 and p95, right to a frame of 17 ms; stepper: text, bars and table; picture: the "
        "distributions too, where the move leads to another position. Rows with a run: on the "
        "recorded default run; while a run of 200 tokens streams in another window; and what is "
        "sent for a run, once.",
    )
    slider = Part(
        "slider",
        "The temperature slider on a finished run, in ms from its release",
        "what lies before the departure at most 300",
        "answered: all that needs no pass is on the page (how much that is, the core says: a move "
        "can change a draft long before it changes the text); new: the first text beyond it; "
        "finished: the whole run, steppable.",
    )
    with served() as server, browser() as running:
        server.wait({"live", "recorded only"})
        page = new_page(running)
        page.goto(f"{server.url}/lab")
        page.wait_for_function("probe.usable()")
        _quiet(page, 3000)  # the server's own first run may still be going on
        count = bench.pick(8, 40, bench.rounds)
        steps.rows = _steps(page, count, "")
        if server.models() == "live":
            other = new_page(running)
            other.goto(f"{server.url}/lab?{urlencode(Settings(length=200, seed=11).to_link())}")
            other.wait_for_function("probe.now().streaming")
            steps.rows += _steps(page, min(count, 12), ", while a run streams")
            other.close()
        steps.rows += _sizes()
        page.close()
        if server.models() == "live":
            settings = Settings(length=bench.pick(40, 200, bench.length))
            moves = _slide(running, server.url, settings, bench.pick(2, 6, bench.rounds))
        else:
            moves = []
    slider.rows = _slider_rows(bench, moves) or [{"move": "not measured: no live models"}]
    return [steps, slider]


# ---- steps and jumps ---------------------------------------------------------------------------


def _steps(page: Any, count: int, when: str) -> list[Row]:
    trace = recorded(presets()[0].name)
    assert trace is not None, "the default run has no recording (make traces)"
    rows = []
    for what, key in (("step", "ArrowRight"), ("jump", "Shift+ArrowRight")):
        page.keyboard.press("Home")
        _quiet(page, 1000)
        shown, followed = [], []
        for _ in range(count):
            here = _place(page, trace)
            page.evaluate("probe.clear()")
            page.keyboard.press(key)
            page.wait_for_timeout(30)
            there = _place(page, trace)
            if there != here and _has_chart(trace, there):
                page.wait_for_function(f"probe.now().heading.includes({_words(trace, there)!r})")
            page.wait_for_timeout(PAUSE_MS)
            seen = page.evaluate("probe.take()")
            shown += [_last(seen, "stepper")]
            if there != here and _has_chart(trace, there):
                followed += [max(_last(seen, name) for name in ("stepper", "heading", "chart"))]
        for part, times in (("stepper", shown), ("picture", followed)):
            times = [x for x in times if x]
            rows.append(
                {
                    "move": f"{what}{when}: {part}",
                    "moves": len(times),
                    "p50": round(percentile(times, 50), 1),
                    "p95": round(percentile(times, 95), 1),
                }
            )
    return rows


def _sizes() -> list[Row]:
    """What the browser gets for a run: each recorded one, as long as 200 tokens would be."""
    rows = []
    for name in recorded_names():
        trace = recorded(name)
        assert trace is not None
        size = len(payload_of(trace).model_dump_json().encode())
        tokens = len(trace.tokens)
        rows.append(
            (
                size * 200 / tokens,
                {
                    "move": f"sent: {name}, {tokens} tokens",
                    "bytes": size,
                    "per 200 tokens": size * 200 // tokens,
                },
            )
        )
    return [max(rows, key=lambda row: row[0])[1], rows[0][1]]


def percentile(values: list[float], share: float) -> float:
    """The value that so many of a hundred are not above.

    >>> percentile([5.0, 1.0, 3.0], 50), percentile([5.0, 1.0, 3.0], 95)
    (3.0, 5.0)
    """
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(len(ranked) * share / 100))] if ranked else 0.0


def _place(page: Any, trace: Trace) -> Cursor:
    """Where the stepper stands, as it writes it into the address."""
    query = page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")
    cursor = Cursor(
        cycle=int(query.get("cycle", 1)) - 1,
        stage=query.get("stage", "draft"),
        position=int(query.get("position", 1)) - 1,
    )
    found = clamp(cursor, trace)
    assert found is not None
    return Cursor(cycle=found.cycle, position=found.position)


def _has_chart(trace: Trace, place: Cursor) -> bool:
    """An unchecked position has no law to draw."""
    cycle = trace.cycles[place.cycle]
    return place.position >= len(cycle.drafted) or cycle.drafted[place.position].table is not None


def _words(trace: Trace, place: Cursor) -> str:
    """How the heading over the chart ends when it shows this place."""
    cycle = trace.cycles[place.cycle]
    return f"token {cycle.start + place.position + 1}, cycle {cycle.index + 1}"


def _last(seen: dict[str, Any], name: str) -> float:
    """Milliseconds from the key to the last change of one view; 0 if it did not change."""
    times = [entry["at"] - seen["pressed"] for entry in seen["log"] if entry["name"] == name]
    return max(times, default=0.0)


# ---- the slider --------------------------------------------------------------------------------


def _slide(running: Any, url: str, settings: Settings, count: int) -> list[Move]:
    """Lower the temperature step by step, each time until the run is finished."""
    page = new_page(running)
    page.goto(f"{url}/lab?{urlencode(settings.to_link())}")
    page.wait_for_function("probe.usable()")
    moves = []
    for _ in range(count):
        _quiet(page, 2000)
        page.evaluate("probe.clear()")
        temperature = _drag(page, "Temperature", -1)
        page.wait_for_function("probe.take().log.some((x) => x.name === 'text')")
        page.wait_for_function("!probe.now().streaming && probe.quietFor() > 1500")
        moved = settings.model_copy(update={"temperature": temperature})
        moves.append(Move(settings, moved, page.evaluate("probe.take()")))
        settings = moved
    page.close()
    return moves


def _slider_rows(bench: Bench, moves: list[Move]) -> list[Row]:
    """When what needed no pass, and the first text beyond it, were on the page."""
    if not moves:
        return []
    pair, clock = timed(bench.pair(moves[0].before))
    store = PassStore()
    list(Run(pair, moves[0].before, store))
    rows = []
    for move in moves:
        clock.starts.clear()
        run, answered = Run(pair, move.after, store), 0
        for _ in run:  # the same runs again, here in the core: how far do they get without a pass?
            if not clock.starts:
                answered = len(run.decoder.generated)
        texts = [
            (round(entry["at"] - move.seen["pressed"]), int(entry["value"].split()[0]))
            for entry in move.seen["log"]
            if entry["name"] == "text"
        ]
        rows.append(
            {
                "temperature": f"{move.before.temperature} to {move.after.temperature}",
                "without a pass": f"{answered} of {len(run.decoder.generated)}",
                "first text": texts[0][0],
                "answered": next((at for at, count in texts if count >= answered), None),
                "new": next((at for at, count in texts if count > answered), None),
                "finished": texts[-1][0],
            }
        )
    waits = [row["answered"] for row in rows if row["answered"] is not None]
    return [*rows, {"temperature": "median", "answered": round(median(waits))}] if waits else rows


def _drag(page: Any, label: str, steps: int) -> float:
    """Drag a slider's thumb by some steps and let go -> its new value."""
    thumb = page.get_by_role("slider", name=label)
    low, high, step = (float(thumb.get_attribute(name)) for name in ("min", "max", "step"))
    now = float(thumb.input_value())
    track = page.get_by_role("group", name=label).locator("[data-orientation]").first
    box = track.bounding_box()

    def place(value: float) -> float:
        return float(box["x"] + box["width"] * (value - low) / (high - low))

    middle_line = box["y"] + box["height"] / 2
    page.mouse.move(place(now), middle_line)
    page.mouse.down()
    page.mouse.move(place(now + steps * step), middle_line, steps=3)
    page.mouse.up()
    for _ in range(40):
        value = float(thumb.input_value())
        if value != now:
            return value
        page.wait_for_timeout(50)
    raise RuntimeError(f"the slider {label!r} did not move")


def _quiet(page: Any, ms: int) -> None:
    """Wait until nothing has changed on the page for a while."""
    page.wait_for_function(f"probe.quietFor() > {ms}")
