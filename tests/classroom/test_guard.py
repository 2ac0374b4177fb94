"""Nobody gets in: what a student, a stranger and another site try, through the real routes."""

import gzip
import json
import threading
from typing import Any

import pytest
from sqlalchemy import text

from classroom.web.limits import Budget
from helpers.classes.server import PLAN, Browser, Class, Events, Threaded, begin
from helpers.recorded_places import first_fallen
from recordings.trace_files import recorded


def test_the_teacher_needs_the_token(light_class: Class) -> None:
    student = light_class.student()
    base = f"{light_class.path}/teacher"
    for headers in (
        {},
        {"Authorization": "Bearer "},
        {"Authorization": f"Bearer {'x' * 22}"},
        {"Authorization": f"Basic {light_class.token}"},
        {"Authorization": f"Bearer {light_class.token[:-1]}"},
        {"Cookie": f"speculate_teacher={student.cookies['speculate_member'][0]}"},
    ):
        for path in ("state", "questions", "run?item=0", "export.csv", "export.json", "events"):
            assert student.get(f"{base}/{path}", **headers).status == 403
        assert student.post(f"{base}/do", {"action": "end"}, **headers).status == 403
        assert student.post(base, **headers).status == 403
    with_token = {"Authorization": f"Bearer {light_class.token}"}
    assert student.get(f"{base}/state", **with_token).status == 200


def test_the_token_of_one_class_opens_no_other(light: Threaded) -> None:
    one, other = begin(light.port), begin(light.port)
    answer = Browser(light.port).get(
        f"{other.path}/teacher/state", Authorization=f"Bearer {one.token}"
    )
    assert answer.status == 403


def test_cookies_are_out_of_reach(light_class: Class) -> None:
    browser = Browser(light_class.teacher.port)
    joined = browser.post(f"{light_class.path}/join")
    entered = browser.post(
        f"{light_class.path}/teacher", Authorization=f"Bearer {light_class.token}"
    )
    for answer, path in ((joined, light_class.path), (entered, f"{light_class.path}/teacher")):
        cookie = set(answer.headers["set-cookie"].split("; "))
        assert {"HttpOnly", f"Path={path}", "SameSite=strict"} <= cookie
        assert answer.headers["cache-control"] == "no-store"
    secure = browser.post(f"{light_class.path}/join", **{"X-Forwarded-Proto": "https"})
    assert "Secure" in secure.headers["set-cookie"]


def test_secrets_are_stored_as_hashes(lesson: Class, served: Threaded) -> None:
    key = lesson.student().cookies["speculate_member"][0]
    with served.service.database.opened.engine.connect() as connection:
        rows = [
            tuple(row)
            for table in ("classes", "class_members")
            for row in connection.execute(text(f"SELECT * FROM {table}"))
        ]
    assert lesson.token not in str(rows)
    assert key not in str(rows)


def test_what_is_unrevealed_is_in_nothing_a_student_gets(light_class: Class) -> None:
    trace = recorded("code")
    assert trace is not None
    student = light_class.student()
    stream = Events(student, f"{light_class.path}/events")
    light_class.show(0, "verify")
    light_class.ask(kind="verdict", cycle=0, position=0)
    other = light_class.student()
    light_class.vote(other, 1, "rejected")
    stream.until("state", version=3)
    got = stream.raw
    for path in ("state", "run?item=0", "mine"):
        got += student.get(f"{light_class.path}/{path}").text
    got += light_class.vote(student, 1, "accepted").text
    for path in ("", "/present", "/qr.svg"):
        got += student.get(light_class.path + path).text
    stream.close()
    x = trace.cycles[0].drafted[0]
    later = trace.cycles[1].drafted[0]
    for secret in (json.dumps(x.u), json.dumps(later.q), f'"token":{later.token},'):
        assert secret not in got
    for secret in ("SECRET-NOTES", light_class.token, '"correct":"', '"why":"', '"rejected":1'):
        assert secret not in got
    assert "seed" not in student.get(f"{light_class.path}/run?item=0").data["settings"]


def test_one_vote_in_a_round(lesson: Class) -> None:
    student = lesson.student()
    lesson.ask(kind="count", cycle=0)
    answers: list[Any] = []

    def tab(choice: str) -> None:
        answers.append(lesson.vote(student, 1, choice))

    tabs = [threading.Thread(target=tab, args=(str(1 + i % 5),)) for i in range(12)]
    for one in tabs:
        one.start()
    for one in tabs:
        one.join()
    kept = [answer for answer in answers if answer.status == 200]
    assert len(kept) == 1
    refused = [answer for answer in answers if answer.status != 200]
    assert {answer.status for answer in refused} == {409}
    assert {answer.data["answer"] for answer in refused} == {kept[0].data["answer"]}
    state = lesson.do("close").data
    assert sum(state["question"]["rounds"][0]["histogram"].values()) == 1


def test_a_vote_needs_a_member_of_this_class(light: Threaded) -> None:
    one, other = begin(light.port), begin(light.port)
    for room in (one, other):
        room.ask(kind="count", cycle=0)
    student = one.student()
    body = {"round": 1, "answer": "2"}
    key = student.cookies["speculate_member"][0]
    stranger = Browser(light.port)
    for cookie in ("", "x" * 32, "1", key[:-1]):
        headers = {"Cookie": f"speculate_member={cookie}"}
        assert stranger.post(f"{one.path}/vote", body, **headers).status == 401
        for path in ("state", "events", "run?item=0", "mine"):
            assert stranger.get(f"{one.path}/{path}", **headers).status == 401
    stolen = {"Cookie": f"speculate_member={key}"}
    assert stranger.post(f"{other.path}/vote", body, **stolen).status == 401
    assert one.vote(student, 1, "2").status == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"round": 1, "answer": "7"}, 400),
        ({"round": 1, "answer": "x" * 61}, 400),
        ({"round": 1, "answer": 2}, 400),
        ({"round": "1", "answer": "2"}, 400),
        ({"round": 9, "answer": "2"}, 404),
        ({"round": 10**30, "answer": "2"}, 404),
        ({"answer": "2"}, 400),
        ({"round": 1, "answer": "2", "member": 1}, 200),
        (b"[1]", 400),
        (b"{", 400),
        (b"[" * 3000, 400),
        (b"\xff\xfe", 400),
        (b"x" * 5000, 413),
    ],
)
def test_votes_are_checked(light_class: Class, body: Any, status: int) -> None:
    student = light_class.student()
    light_class.ask(kind="count", cycle=0)
    assert student.post(f"{light_class.path}/vote", body).status == status


def test_nobody_reads_another_ones_answer(light_class: Class) -> None:
    one, other = light_class.student(nickname="Ann"), light_class.student(nickname="Bob")
    stream = Events(other, f"{light_class.path}/events")
    light_class.ask(kind="count", cycle=0)
    light_class.vote(one, 1, "4")
    light_class.show(0, "verify")
    stream.until("state", version=3)
    seen = stream.raw + other.get(f"{light_class.path}/state").text
    seen += other.get(f"{light_class.path}/mine").text
    stream.close()
    assert '"my_answers":{"1"' not in seen
    assert "Ann" not in seen
    assert '"answers": [{' not in seen


@pytest.mark.parametrize(
    "origin",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://127.0.0.1:1"},
    ],
)
def test_another_site_cannot_post(light_class: Class, origin: dict[str, str]) -> None:
    light_class.ask(kind="count", cycle=0)
    student = light_class.student()
    for path, body in (
        ("/class/api/start", {"plan": "1-draft-then-verify"}),
        ("/class/api/find", {"code": light_class.code}),
        (f"{light_class.path}/join", {}),
        (f"{light_class.path}/vote", {"round": 1, "answer": "2"}),
    ):
        assert student.post(path, body, **origin).status == 403
    for path in ("/teacher", "/teacher/do"):
        answer = light_class.teacher.post(light_class.path + path, {"action": "end"}, **origin)
        assert answer.status == 403


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Ann  Lee ", "Ann Lee"),
        ("<b>x</b>", "<b>x</b>"),
        ("a\u202eb\x00c\u200b\n d", "abc d"),
        ("x" * 30, "x" * 24),
        ("\x07", None),
        (7, None),
        ("e\u0301", "\u00e9"),
    ],
)
def test_a_nickname_is_text(light_class: Class, typed: Any, kept: Any) -> None:
    browser = Browser(light_class.teacher.port)
    joined = browser.post(f"{light_class.path}/join", {"nickname": typed})
    assert joined.data["nickname"] == kept


def test_codes_cannot_be_found_by_trying(fresh: Threaded) -> None:
    stranger, room = Browser(fresh.port), begin(fresh.port)
    student = room.student()
    tried = [stranger.get(f"/class/zzzz{a}{b}/state").status for a in "bcdfgh" for b in "bcdfg"]
    assert set(tried) == {404}
    for _ in range(6):
        last = stranger.get("/class/zzzzzz/state")
    assert last.status == 429
    assert int(last.headers["retry-after"]) >= 2
    assert stranger.post("/class/api/find", {"code": "zzzzzz"}).status == 429
    wrong = stranger.get("/class/zzzzzz/teacher/state", Authorization="Bearer x")
    assert wrong.status == 429
    # The room that the class sits in has one address: those who have the code go on.
    assert student.get(f"{room.path}/state").status == 200
    assert room.student().get(f"{room.path}/state").status == 200
    assert room.show(0, "verify")


def test_waiting_grows_with_each_try_and_ends() -> None:
    now = [0.0]
    budget = Budget(3, 10.0, "Too many.", lambda: now[0])
    waits = []
    for _ in range(12):
        budget.use("a")
        account = budget._accounts["a"]
        waits.append(max(0.0, account.until - now[0]))
        now[0] = max(now[0], account.until)
        budget.check("a")
    assert waits[:3] == [0.0, 0.0, 0.0]
    assert waits[3:] == sorted(waits[3:])
    assert 30.0 < waits[-1] <= 60.0
    now[0] += 10_000
    budget.use("a")
    budget.check("a")
    budget.check("b")


def bomb(size: int) -> bytes:
    return gzip.compress(b"0" * size, mtime=0)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (bomb(300_000_000), 400),
        (gzip.compress(b'{"plan": "x"}', mtime=0)[:-9], 400),
        (b"\x1f\x8bxxxx", 400),
        (b" " * 4_000_001, 413),
        (json.dumps({"plan": {"title": "x"}}).encode(), 400),
        (json.dumps({"plan": None}).encode(), 400),
    ],
)
def test_plans_are_checked(light: Threaded, body: bytes, status: int) -> None:
    answer = Browser(light.port).post("/class/api/start", body)
    assert (answer.status, next(iter(answer.data))) == (status, "error")


def test_a_compressed_plan_is_read(light: Threaded) -> None:
    body = gzip.compress(json.dumps({"plan": PLAN.model_dump(mode="json")}).encode())
    assert Browser(light.port).post("/class/api/start", body).status == 200


@pytest.mark.parametrize(
    "action",
    [
        {"action": "show"},
        {"action": "show", "place": {"item": 99}},
        {"action": "show", "place": {"item": -1}},
        {"action": "show", "place": {"stage": "later"}},
        {"action": "ask"},
        {"action": "ask", "index": 99},
        {"action": "ask", "question": {"kind": "verdict", "cycle": first_fallen(), "position": 3}},
        {"action": "ask", "question": {"kind": "verdict", "cycle": 999, "position": 0}},
        {"action": "ask", "question": {"kind": "quiz", "quiz": "no-such"}},
        {"action": "ask", "question": {"kind": "quiz", "quiz": "l1-cycle-order"}},
        {"action": "ask", "question": {"kind": "count"}},
        {"action": "sing"},
        {"action": "end", "id": "x" * 65},
        {"action": "end", "more": 1},
        {},
    ],
)
def test_actions_are_checked(light_class: Class, action: dict[str, Any]) -> None:
    answer = light_class.teacher.post(f"{light_class.path}/teacher/do", action)
    assert answer.status == 400, answer.text
    assert answer.data["error"]
    state = light_class.teacher.get(f"{light_class.path}/teacher/state").data
    assert (state["version"], state["ended"]) == (1, False)


@pytest.mark.parametrize("action", ["close", "again", "reveal", "hide"])
def test_without_a_question_there_is_nothing_to_close(light_class: Class, action: str) -> None:
    assert light_class.do(action).status == 409
