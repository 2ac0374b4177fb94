"""A class of 300 beside 30 visitors in the Lab and the lessons: does everybody see every step?

Students are event streams and posts; visitors speak Streamlit's websocket protocol; both are
programs on the same machine as the server, so they take from the cores that they measure.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from benchmarks.cases import Bench
from benchmarks.class_students import Student, Teacher
from benchmarks.report import ROOT, Part, Row
from benchmarks.server import Server, served
from jobs.worker import ABANDONED_AFTER

PLAN = "1-draft-then-verify"
SAVED = "classroom.json"
EVERY_SECONDS = 2.0
SETTLE_SECONDS = 12.0
AT_WORK_SECONDS = 20.0
GOALS = "every step within 1 s and every answer within 500 ms at p95, no answer lost"


def measure(bench: Bench) -> list[Part]:
    """A class beside visitors, then all visitors pressing Run at once."""
    students, visitors = bench.pick(40, 300), bench.pick(6, 30)
    steps, rounds = bench.pick(8, 60, bench.rounds), bench.pick(2, 6)
    lesson = Part(
        "classroom",
        f"A class of {students} beside {visitors} visitors in the Lab and the lessons",
        GOALS,
        "step: from the teacher's key to the student's browser; answer: from the tap until it is "
        "acknowledged; at once: a round in which all vote in the same moment.",
        saved_in=SAVED,
    )
    at_once = Part(
        "run-at-once",
        f"{visitors} visitors press Run at once, three on each prompt",
        "all finish, in the order they came, each sees its place; the same is computed once",
        "A press follows as soon as the server has taken the one before. place: how many runs one "
        "saw before theirs; below the number of prompts, none was made twice.",
        saved_in=SAVED,
    )
    with _own_database(), served() as server:
        server.wait({"live", "recorded only"})
        port = int(server.url.rsplit(":", 1)[1])
        with _people(port, 2) as first:  # what is loaded once belongs to no visitor
            first()
        time.sleep(SETTLE_SECONDS)
        memory = _Memory(server)
        with _people(port, visitors) as people:
            time.sleep(AT_WORK_SECONDS)  # a page that was only opened holds less than one in use
            memory.note("visitor", visitors)
            lesson.rows = asyncio.run(_class(port, students, steps, rounds, memory))
            met = people()
        lesson.rows += _visits(met) + memory.rows
        if server.models() == "live":
            time.sleep(ABANDONED_AFTER + 5.0)  # runs that visitors left behind are over then
            at_once.rows = _all_at_once(port, visitors)
        else:
            at_once.rows = [{"what": "not measured: no live models"}]
    return [lesson, at_once]


# ---- the class ---------------------------------------------------------------------------------


async def _class(port: int, students: int, steps: int, rounds: int, memory: "_Memory") -> list[Row]:
    teacher = Teacher(port)
    await teacher.start(PLAN)
    crowd = [Student(port, path=teacher.path, dice=random.Random(i)) for i in range(students)]
    for i in range(0, students, 20):
        await asyncio.gather(*(one.join() for one in crowd[i : i + 20]))
    memory.begin()
    streams = [asyncio.create_task(one.follow()) for one in crowd]
    while not all(one.seen for one in crowd):
        await asyncio.sleep(0.05)
    memory.note("student", students)

    shown: dict[int, float] = {}
    stops, each = await teacher.stops(), max(steps // rounds, 1)
    burst: list[float] = []
    for i in range(steps):
        began, state = await teacher.do("show", place=stops[i + 1])
        shown[state["version"]] = began
        await asyncio.sleep(EVERY_SECONDS)
        if i % each == each - 1:
            last = i // each == rounds - 1
            for one in crowd:
                one.think = (0.0, 0.0) if last else (0.5, 6.0)
            before = [len(one.waits) for one in crowd]
            cycle = stops[i + 1]["cycle"] + 1
            began, state = await teacher.do("ask", question={"kind": "count", "cycle": cycle})
            shown[state["version"]] = began
            await _all_voted(crowd, state["question"]["round"])
            if last:
                burst = [w for one, n in zip(crowd, before, strict=True) for w in one.waits[n:]]
            for action in ("close", "reveal", "hide"):
                began, state = await teacher.do(action)
                shown[state["version"]] = began
                await asyncio.sleep(0.3)
    await asyncio.sleep(2.0)
    lost = await _lost(teacher, crowd)
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)

    delays = [one.seen[version] - at for one in crowd for version, at in shown.items()
              if version in one.seen]  # fmt: skip
    missed = sum(version not in one.seen for one in crowd for version in shown)
    each_wait = 1 if burst else 0  # the last round is the one at once
    waits = [wait for one in crowd for wait in one.waits[: len(one.waits) - each_wait]]
    return [
        _row("a step", delays) | {"overtaken or missed": missed},
        _row("an answer", waits) | {"lost": lost, "refused": sum(len(x.refused) for x in crowd)},
        _row("an answer, all at once", burst),
        {"what": "errors of students", "count": sum(len(one.errors) for one in crowd)},
    ]


async def _all_voted(crowd: Sequence[Student], number: int) -> None:
    for _ in range(600):
        await asyncio.sleep(0.1)
        if all(number in one.kept or one.refused or one.errors for one in crowd):
            return


async def _lost(teacher: Teacher, crowd: Sequence[Student]) -> int:
    """Acknowledged answers that are not in the export, or not among the student's own."""
    _, exported = await teacher.ask("GET", f"{teacher.path}/teacher/export.json")
    stored = Counter((row["round"], row["answer"]) for row in exported["answers"])
    kept = Counter(item for one in crowd for item in one.kept.items())
    lost = sum((kept - stored).values())
    for one in crowd:
        _, state = await one.ask("GET", f"{one.path}/state")
        mine = {int(number): answer for number, answer in state["my_answers"].items()}
        lost += sum(mine.get(number) != answer for number, answer in one.kept.items())
    return lost


# ---- visitors ----------------------------------------------------------------------------------


@contextmanager
def _people(port: int, number: int) -> Iterator[Any]:
    """The visitors, as a process; calling what is given ends them and tells what they met."""
    process = _visitors_process(port, number)
    assert process.stdout is not None
    line = process.stdout.readline()
    if line.strip() != "ready":
        raise SystemExit(f"the visitors did not come in: {line}")

    def end() -> dict[str, Any]:
        out, _ = process.communicate("", timeout=180)
        found = json.loads(out.strip().splitlines()[-1])
        assert isinstance(found, dict)
        return found

    try:
        yield end
    finally:
        if process.poll() is None:
            process.kill()


def _visitors_process(port: int, number: int, *more: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "benchmarks.class_visitors", str(port), str(number), *more]
    env = os.environ | {"PYTHONPATH": f"{ROOT / 'tests'}"}
    return subprocess.Popen(
        command, cwd=ROOT, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def _visits(met: dict[str, Any]) -> list[Row]:
    rows = [
        _row("a visitor's first page", met["open"]),
        _row("a slider in the Lab", met["lab"]),
        _row("a page of a lesson", met["lesson"]),
    ]
    errors: list[Row] = [{"what": "errors of visitors", "count": len(met["errors"])}]
    if met["errors"]:
        print(f"\n  first error of a visitor: {met['errors'][0]}")
    return rows + errors


def _all_at_once(port: int, people: int) -> list[Row]:
    process = _visitors_process(port, people, "run")
    out, _ = process.communicate(timeout=900)
    found = json.loads(out.strip().splitlines()[-1])
    groups, finished = found["groups"], found["finished"]
    first = [min(finished[g::groups]) for g in range(groups)]
    spread = max((max(finished[g::groups]) - min(finished[g::groups])) for g in range(groups))
    waits = [end - begin for begin, end in zip(found["pressed"], finished, strict=True) if end]
    if found["errors"]:
        print(f"\n  first error: {found['errors'][0]}")
    return [
        {
            "what": f"{people} press Run, {groups} different prompts",
            "finished": sum(end > 0 for end in finished),
            "in order": first == sorted(first),
            "saw a place": sum(place > 0 for place in found["places"]),
            "largest place": max(found["places"]),
            "same prompt apart (s)": round(spread, 2),
            "wait p50 (s)": round(median(waits), 1) if waits else None,
            "wait max (s)": round(max(waits), 1) if waits else None,
            "pressed within (s)": round(max(found["pressed"]) - min(found["pressed"]), 1),
            "errors": len(found["errors"]),
        }
    ]


# ---- the server --------------------------------------------------------------------------------


class _Memory:
    """How much the server's memory grew by those who came."""

    def __init__(self, server: Server) -> None:
        parent = psutil.Process(server.pid)
        family = [parent, *parent.children(recursive=True)]
        self._process = max(family, key=lambda one: one.memory_info().rss)
        self.rows: list[Row] = []
        self.begin()

    def begin(self) -> None:
        self._before = self._process.memory_info().rss

    def note(self, who: str, number: int) -> None:
        now = self._process.memory_info().rss
        each = (now - self._before) / number / 1e6
        self.rows.append({"what": f"memory per {who} (MB)", "mean": round(each, 3)})
        self._before = now


@contextmanager
def _own_database() -> Iterator[None]:
    """The server under test keeps its answers in a folder that goes away."""
    name, before = "SPECULATE_DATABASE_URL", os.environ.get("SPECULATE_DATABASE_URL")
    with tempfile.TemporaryDirectory() as folder:
        os.environ[name] = f"sqlite:///{Path(folder) / 'class.sqlite'}"
        try:
            yield
        finally:
            del os.environ[name]
            if before is not None:
                os.environ[name] = before


def _row(what: str, seconds: Sequence[float]) -> Row:
    """p50, p95 and the worst, in milliseconds."""
    if not seconds:
        return {"what": what, "count": 0}
    ordered = sorted(1000 * x for x in seconds)
    at = {name: ordered[min(len(ordered) - 1, int(share * len(ordered)))]
          for name, share in (("p50", 0.5), ("p95", 0.95))}  # fmt: skip
    return {
        "what": what, "count": len(ordered), "p50 (ms)": round(at["p50"]),
        "p95 (ms)": round(at["p95"]), "max (ms)": round(ordered[-1]),
    }  # fmt: skip
