"""A class over the network: following, asking, voting, and what comes back after a while."""

import csv
import gzip
import io
import json

import pytest

from classroom.hidden_run import cut_run
from classroom.web import event_streams
from helpers.classes.server import PLAN, Browser, Class, Events, Threaded, begin
from recordings.trace_files import recorded


def test_a_whole_round(lesson: Class) -> None:
    students = [lesson.student(nickname=f"S{i}") for i in range(3)]
    stream = Events(students[0], f"{lesson.path}/events")
    first = stream.until("state")
    assert (first["version"], first["question"], first["ended"]) == (1, None, False)
    assert first["place"] == {"item": 0, "cycle": 0, "stage": "draft", "position": 0}

    lesson.show(0, "verify")
    assert stream.until("state", version=2)["place"]["stage"] == "verify"
    lesson.ask(kind="verdict", cycle=0, position=0)
    question = stream.until("state", version=3)["question"]
    assert (question["round"], question["open"], question["kind"]) == (1, True, "verdict")
    assert question["correct"] is None
    assert question["why"] is None
    assert question["rounds"] == [{"round": 1, "histogram": None}]

    for student, answer in zip(students, ("accepted", "accepted", "rejected"), strict=True):
        kept = lesson.vote(student, 1, answer)
        assert kept.status == 200
        assert kept.data["my_answers"] == {"1": answer}
    assert stream.until("you", my_answers={"1": "accepted"})

    assert lesson.do("close").data["question"]["rounds"][0]["histogram"] == {
        "accepted": 2,
        "rejected": 1,
    }
    closed = stream.until("state", version=4)["question"]
    assert (closed["open"], closed["correct"]) == (False, None)
    assert closed["rounds"][0]["histogram"] == {"accepted": 2, "rejected": 1}

    lesson.do("again")
    again = stream.until("state", version=5)["question"]
    assert (again["round"], again["open"]) == (2, True)
    assert again["rounds"][0]["histogram"] == {"accepted": 2, "rejected": 1}
    assert again["rounds"][1]["histogram"] is None
    for student in students:
        assert lesson.vote(student, 2, "accepted").status == 200
    lesson.do("reveal")
    shown = stream.until("state", version=6)["question"]
    assert shown["correct"] == "accepted"
    assert shown["why"].startswith("Accepted:")
    assert [one["histogram"]["accepted"] for one in shown["rounds"]] == [2, 3]

    lesson.do("hide")
    assert stream.until("state", version=7)["question"] is None
    lesson.show(1, "draft", item=1)
    moved = stream.until("state", version=8)
    assert (moved["title"], moved["step"]["index"]) == ("A story", 1)
    lesson.do("end")
    assert stream.until("state", version=9)["ended"] is True
    stream.close()


def test_the_teacher_sees_votes_as_they_arrive(lesson: Class) -> None:
    student = lesson.student()
    stream = Events(lesson.teacher, f"{lesson.path}/teacher/events")
    whole = stream.until("state")
    assert whole["plan"]["items"][0]["notes"] == "SECRET-NOTES"
    follower = Events(student, f"{lesson.path}/events")
    lesson.do("ask", index=1)
    assert stream.until("state", version=2)["question"]["correct"] is not None
    lesson.vote(student, 1, "3")
    live = stream.until("live", answered=1, here=1)
    assert live["histogram"] == {"1": 0, "2": 0, "3": 1, "4": 0, "5": 0}
    follower.close()
    stream.until("live", here=0)
    stream.close()


def test_asking_moves_the_class_to_where_the_question_makes_sense(light_class: Class) -> None:
    state = light_class.do("ask", index=0).data
    assert state["place"] == {"item": 0, "cycle": 3, "stage": "verify", "position": 0}
    light_class.show(4, "draft")
    state = light_class.do("ask", index=0).data
    assert state["place"]["cycle"] == 4, "asking never goes back"
    assert state["question"]["already_shown"] is True


def test_a_step_past_the_answer_closes_the_question(light_class: Class) -> None:
    student = light_class.student()
    light_class.ask(kind="verdict", cycle=0, position=1)
    assert light_class.vote(student, 1, "accepted").status == 200
    other = light_class.student()
    light_class.show(0, "decide", 1)
    late = light_class.vote(other, 1, "accepted")
    assert (late.status, late.data["error"]) == (409, "This question is closed.")


def test_the_same_action_twice_is_done_once(light_class: Class) -> None:
    body = {"action": "ask", "id": "x", "question": {"kind": "count", "cycle": 0}}
    for _ in range(2):
        state = light_class.teacher.post(f"{light_class.path}/teacher/do", body).data
    assert state["rounds"] == 1
    assert state["version"] == 2


def test_a_reload_and_a_second_tab_are_the_same_member(light_class: Class) -> None:
    student = light_class.student(nickname="Ann")
    again = student.post(f"{light_class.path}/join", {"nickname": ""})
    assert again.data["nickname"] == "Ann"
    tab = Events(student, f"{light_class.path}/events")
    tab.until("you")
    light_class.ask(kind="count", cycle=0)
    light_class.vote(student, 1, "2")
    assert tab.until("you")["my_answers"] == {"1": "2"}
    state = student.get(f"{light_class.path}/state").data
    assert (state["nickname"], state["my_answers"]) == ("Ann", {"1": "2"})
    assert state["here"] == 1
    tab.close()


@pytest.mark.parametrize("other", ['seen={"a": 1}', "two words=x", "word", "a,b=1", "=x"])
def test_another_programs_cookie_on_this_host_locks_nobody_out(
    light_class: Class,
    other: str,
) -> None:
    student = light_class.student()
    mine = f"speculate_member={student.cookies['speculate_member'][0]}"
    stranger = Browser(student.port, headers={"Cookie": f"{other}; {mine}"})
    assert stranger.get(f"{light_class.path}/state").status == 200


def test_a_stream_that_comes_back_is_not_told_what_it_knows(light_class: Class) -> None:
    student = light_class.student()
    back = Events(student, f"{light_class.path}/events", last="1")
    assert next(iter(back))[0] == "you"
    light_class.show(0, "verify")
    assert back.until("state")["version"] == 2
    back.close()
    missed = Events(student, f"{light_class.path}/events", last="1")
    assert next(iter(missed))[1]["version"] == 2
    missed.close()


def test_a_stream_is_kept_open_unbuffered_and_by_pings(
    light_class: Class,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(event_streams, "PING_SECONDS", 0.05)
    stream = Events(light_class.student(), f"{light_class.path}/events")
    headers = stream.response.headers
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert (headers["cache-control"], headers["x-accel-buffering"]) == ("no-store", "no")
    names = [next(iter(stream))[0] for _ in range(6)]
    assert names.index("state") < names.index("ping")
    assert "retry: 2000\n" in stream.raw
    stream.close()


def test_asking_for_a_streams_headers_alone_opens_none(light_class: Class) -> None:
    student = light_class.student()
    connection, response = student.open("HEAD", f"{light_class.path}/events")
    assert response.read() == b""
    key = student.cookies["speculate_member"][0]
    connection.request(
        "GET", f"{light_class.path}/state", None, {"Cookie": f"speculate_member={key}"}
    )
    assert connection.getresponse().status == 200, "the connection is free for the next request"
    connection.close()


def test_polling_says_the_same(light_class: Class) -> None:
    student = light_class.student()
    state = student.get(f"{light_class.path}/state").data
    assert student.get(f"{light_class.path}/state?since={state['version']}").status == 204
    light_class.show(0, "verify")
    later = student.get(f"{light_class.path}/state?since={state['version']}").data
    stream = Events(student, f"{light_class.path}/events")
    streamed = stream.until("state")
    stream.close()
    assert {k: v for k, v in later.items() if k in streamed} | {"here": 0} == streamed | {"here": 0}
    tag = light_class.teacher.get(f"{light_class.path}/teacher/state").data["tag"]
    assert light_class.teacher.get(f"{light_class.path}/teacher/state?since={tag}").status == 204


def test_the_run_as_far_as_it_was_shown(light_class: Class) -> None:
    student = light_class.student()
    light_class.show(2, "decide", 0)
    answer = student.get(f"{light_class.path}/run?item=0")
    assert [cycle["index"] for cycle in answer.data["cycles"]] == [0, 1, 2]
    assert answer.data["cycles"][2]["until"] == {"stage": "decide", "position": 0}
    kept = {"If-None-Match": answer.headers["etag"]}
    assert student.get(f"{light_class.path}/run?item=0", **kept).status == 304
    connection, packed = student.open(
        "GET", f"{light_class.path}/run?item=0", headers={"Accept-Encoding": "gzip"}
    )
    assert json.loads(gzip.decompress(packed.read())) == answer.data
    connection.close()
    assert student.get(f"{light_class.path}/run?item=1").status == 404
    assert student.get(f"{light_class.path}/run?item=x").status == 400
    light_class.show(0, "draft")  # going back hides nothing that was seen
    assert student.get(f"{light_class.path}/run?item=0", **kept).status == 304
    place = {"item": 0, "cycle": 1, "stage": "verify", "position": 0}
    light_class.do("reveal_to", place=place)
    assert len(student.get(f"{light_class.path}/run?item=0").data["cycles"]) == 2
    trace = recorded("code")
    assert trace is not None
    whole = light_class.teacher.get(f"{light_class.path}/teacher/run?item=0").data
    assert whole == {"item": 0, **json.loads(json.dumps(cut_run(trace, None)))}


def test_the_answers_as_files(lesson: Class) -> None:
    students = [lesson.student(nickname="=cmd()") for _ in range(2)]
    lesson.ask(kind="count", cycle=0)
    for student, answer in zip(students, ("5", "2"), strict=True):
        lesson.vote(student, 1, answer)
    text = lesson.teacher.get(f"{lesson.path}/teacher/export.csv").text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["student"], row["answer"], row["correct"]) for row in rows] == [
        ("1", "5", "True"),
        ("2", "2", "False"),
    ]
    assert "cmd" not in text
    data = lesson.teacher.get(f"{lesson.path}/teacher/export.json").data
    assert [row["answer"] for row in data["answers"]] == ["5", "2"]
    assert lesson.teacher.get(f"{lesson.path}/teacher/export.xls").status == 404


def test_a_student_keeps_the_answers(served: Threaded) -> None:
    room = begin(served.port)
    student = Browser(served.port)
    student.get(room.path, Accept="text/html")  # which gives the learner's cookie
    student.post(f"{room.path}/join")
    room.ask(kind="count", cycle=0)
    room.vote(student, 1, "5")
    mine = student.get(f"{room.path}/mine").data
    learner = student.cookies["speculate_learner"][0]
    assert [(one["answer"], one["correct"]) for one in mine["answers"]] == [("5", None)]
    assert served.service.learners.answers(learner) == {}, "a mark would tell what is right"
    room.do("reveal")
    assert student.get(f"{room.path}/mine").data["answers"][0]["correct"] is True
    kept = served.service.learners.answers(learner)[f"class-{room.code}-1"]
    assert (kept.first_answer, kept.first_correct) == ("5", True)
    assert served.service.learners.find(mine["resume_code"]) == learner
    room.do("end")
    assert student.get(f"{room.path}/state").data["resume_code"] == mine["resume_code"]
    room.do("delete")
    assert f"class-{room.code}-1" in served.service.learners.answers(learner), "it is theirs"


def test_deleting_leaves_nothing(lesson: Class, served: Threaded) -> None:
    student = lesson.student()
    lesson.ask(kind="count", cycle=0)
    lesson.vote(student, 1, "5")
    stream = Events(student, f"{lesson.path}/events")
    stream.until("state")
    assert lesson.do("delete").data == {"deleted": True}
    assert stream.until("state", deleted=True)["ended"] is True
    stream.close()
    assert student.get(f"{lesson.path}/state").status == 404
    assert lesson.teacher.get(f"{lesson.path}/teacher/state").status == 404
    from sqlalchemy import text

    with served.service.database.opened.engine.connect() as connection:
        for table in ("classes", "class_members", "class_rounds", "class_votes"):
            assert connection.execute(text(f"SELECT count(*) FROM {table}")).scalar() == 0


def test_an_ended_class_can_be_extended(light_class: Class) -> None:
    light_class.do("end")
    assert light_class.do("show", place={"item": 0}).status == 409
    assert Browser(light_class.teacher.port).post(f"{light_class.path}/join").status == 409
    assert light_class.do("extend").data["ended"] is False
    assert light_class.do("show", place={"item": 1}).status == 200


def test_pages_and_their_files(light_class: Class) -> None:
    visitor = Browser(light_class.teacher.port)
    for path in ("/class", light_class.path, f"{light_class.path}/present"):
        page = visitor.get(path, Accept="text/html")
        assert page.status == 200
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert light_class.token not in page.text
    assert visitor.get(f"/class/{light_class.code.upper()}/present").headers["location"] == (
        f"{light_class.path}/present"
    )
    assert (
        visitor.get("/class/bcdfgh" if light_class.code != "bcdfgh" else "/class/bcdfgj").status
        == 404
    )
    found = visitor.post(
        "/class/api/find", {"code": f" {light_class.code[:3].upper()}-{light_class.code[3:]}"}
    )
    assert found.data == {"code": light_class.code, "url": light_class.path}
    script = visitor.get("/class/static/stepper/stepper.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert (
        visitor.get(
            "/class/static/stepper/stepper.js", **{"If-None-Match": script.headers["etag"]}
        ).status
        == 304
    )
    for wrong in (
        "stepper/../plan.py",
        "..%2fplan.py",
        "stepper/../../stepper.py",
        "join.html",
        "x.js",
        "stepper/",
    ):
        assert visitor.get(f"/class/static/{wrong}").status == 404
    picture = visitor.get(f"{light_class.path}/qr.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert light_class.path in picture.text


@pytest.mark.parametrize("name", ["not-there", "../code", ""])
def test_a_plan_that_is_not_there(light: Threaded, name: str) -> None:
    assert Browser(light.port).post("/class/api/start", {"plan": name}).status == 404


def test_a_shipped_plan_by_its_name(light: Threaded) -> None:
    from classroom.plans.plan import shipped

    for name in shipped():
        assert Browser(light.port).post("/class/api/start", {"plan": name}).status == 200
    assert PLAN.items
