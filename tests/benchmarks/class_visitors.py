"""Thirty people in the Lab and the lessons, as a process of their own: class_visitors PORT PEOPLE.

They go on until their input is closed, and then print what they met as JSON. With a third
argument, `run`, they all press Run at once instead.
"""

import asyncio
import json
import random
import sys
import time
from contextlib import suppress
from typing import Any

from benchmarks.streamlit_visitor import Visitor

THINK_SECONDS = (6.0, 14.0)
LESSONS = ("draft-then-verify", "why-the-output-stays-exact", "theorem-and-shipped-code")
SAME = 3
LIVE = "live: computed here"


async def wander(visitor: Visitor, me: int, stop: asyncio.Event, found: dict[str, Any]) -> None:
    """Half of them move the Lab's temperature, the others leaf through the lessons."""
    dice = random.Random(me)
    in_lab = me % 2 == 0
    try:
        found["open"].append(await visitor.open())
        found["ready"] += 1
        while not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), dice.uniform(*THINK_SECONDS))
            if stop.is_set():
                break
            if in_lab:
                changes = {"Temperature": dice.randrange(1, 15) / 10}
                found["lab"].append(await visitor.run(**changes))
            else:
                found["lesson"].append(await visitor.go(dice.choice(LESSONS)))
    except Exception as error:
        found["errors"].append(f"{type(error).__name__}: {error}")
    if visitor.failed:
        found["errors"].append(visitor.failed)


async def together(port: int, people: int) -> dict[str, Any]:
    """Until the input is closed."""
    found: dict[str, Any] = {"open": [], "lab": [], "lesson": [], "errors": [], "ready": 0}
    stop = asyncio.Event()
    visitors = [Visitor(port, "lab" if i % 2 == 0 else LESSONS[i % 3]) for i in range(people)]
    tasks = []
    for i, visitor in enumerate(visitors):
        tasks.append(asyncio.create_task(wander(visitor, i, stop, found)))
        await asyncio.sleep(0.1)
    while found["ready"] + len(found["errors"]) < people:
        await asyncio.sleep(0.1)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    stop.set()
    await asyncio.gather(*tasks)
    for visitor in visitors:
        await visitor.close()
    return found


async def press_run(port: int, people: int) -> dict[str, Any]:
    """All press Run within seconds; three of each prompt, so a third of the work is enough.

    A press follows as soon as the server has taken the one before, so that their order is known.
    """
    visitors = [Visitor(port, "lab") for _ in range(people)]
    for visitor in visitors:
        await visitor.open()
    groups = max(people // SAME, 1)
    pressed, finished, places, errors = [0.0] * people, [0.0] * people, [0] * people, []

    async def one(i: int) -> None:
        visitor = visitors[i]
        prompt = f"Count from {i % groups + 1} upwards."
        await visitor.run(Prompt=prompt)
        await turns[i].wait()
        pressed[i] = time.perf_counter()
        try:
            await visitor.run(Run=True)
            turns[i + 1].set()
            finished[i] = await visitor.wait_for(LIVE, pressed[i])
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")
            turns[i + 1].set()
        for at, said in visitor.texts:
            if at >= pressed[i] and said.startswith("Waiting: "):
                places[i] = max(places[i], int(said.split()[1]))

    turns = [asyncio.Event() for _ in range(people + 1)]
    tasks = [asyncio.create_task(one(i)) for i in range(people)]
    await asyncio.sleep(0.2 * people + 2)
    turns[0].set()
    await asyncio.gather(*tasks)
    for visitor in visitors:
        await visitor.close()
    failed = [visitor.failed for visitor in visitors if visitor.failed]
    return {
        "groups": groups, "pressed": pressed, "finished": finished, "places": places,
        "errors": errors + failed,
    }  # fmt: skip


if __name__ == "__main__":
    what = press_run if sys.argv[3:] == ["run"] else together
    print(json.dumps(asyncio.run(what(int(sys.argv[1]), int(sys.argv[2])))))
