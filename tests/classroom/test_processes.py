"""Several server processes on one database, and a server that is killed in the middle of a vote."""

import threading
import time
from http.client import HTTPException
from pathlib import Path

from classroom.hub import LOOK_SECONDS
from helpers.classes.server import Browser, Class, Events, Process, begin
from helpers.patience import patience


def test_two_processes_show_one_class(kept_in: str) -> None:
    one, other = both = [Process(kept_in, wait=False) for _ in range(2)]
    try:
        for server in both:
            server.wait()
        assert LOOK_SECONDS < 0.5, "both see a change within a second"
        room = begin(one.port)
        here, there = room.student(), room.student(other.port)
        streams = [Events(here, f"{room.path}/events"), Events(there, f"{room.path}/events")]
        watched = Events(room.teacher, f"{room.path}/teacher/events")
        room.ask(kind="count", cycle=0)
        for stream in streams:
            assert stream.until("state", version=2)["question"]["open"] is True
        assert room.vote(here, 1, "2").status == 200
        assert room.vote(there, 1, "5").status == 200
        live = watched.until("live", answered=2, here=2)
        assert (live["histogram"]["2"], live["histogram"]["5"]) == (1, 1)
        elsewhere = Browser(other.port, cookies=dict(room.teacher.cookies))
        second = Class(room.code, room.token, elsewhere, number=50)
        second.do("close")
        for stream in streams:
            closed = stream.until("state", version=3)["question"]
            assert sum(closed["rounds"][0]["histogram"].values()) == 2
        late = room.student()
        assert room.vote(late, 1, "2").status == 409
        again = {"action": "close", "id": "a51"}
        assert room.teacher.post(f"{room.path}/teacher/do", again).data["version"] == 3
        for number in (2, 3):  # also in the moment before the other has heard of it
            room.ask(kind="count", cycle=0)
            assert room.vote(there, number, "2").status == 200
            room.do("close")
            assert room.vote(room.student(other.port), number, "2").status == 409
        second.do("delete")
        for stream in streams:
            assert stream.until("state", deleted=True)
    finally:
        for server in both:
            server.end()


def test_a_server_killed_in_the_middle_of_a_vote(kept_in: str) -> None:
    server = Process(kept_in)
    port = server.port
    room = begin(port)
    students = [room.student() for _ in range(30)]
    room.ask(kind="count", cycle=0)
    acknowledged: dict[int, str] = {}
    some = threading.Event()

    def vote(i: int) -> None:
        choice = str(1 + i % 5)
        try:
            if room.vote(students[i], 1, choice).status == 200:
                acknowledged[i] = choice
                if len(acknowledged) >= 8:
                    some.set()
        except (OSError, HTTPException):
            pass  # the server has gone: nothing was acknowledged

    voters = [threading.Thread(target=vote, args=(i,)) for i in range(30)]
    for i, voter in enumerate(voters):
        voter.start()
        if i > 10:
            time.sleep(0.002)  # so that some come late
    assert some.wait(patience())
    server.kill()
    for voter in voters:
        voter.join()

    server = Process(kept_in, port)
    try:
        stream = Events(students[0], f"{room.path}/events", last="1")
        state = stream.until("state")
        stream.close()
        assert (state["version"], state["question"]["open"]) == (2, True)
        found = {}
        for i, student in enumerate(students):
            mine = student.get(f"{room.path}/state").data["my_answers"]
            if mine:
                found[i] = mine["1"]
        assert acknowledged.items() <= found.items()
        left = [i for i in range(30) if i not in found]
        for i in left:
            assert room.vote(students[i], 1, "1").status == 200
        counts = room.do("close").data["question"]["rounds"][0]["histogram"]
        assert sum(counts.values()) == 30
    finally:
        server.end()


def test_a_server_that_is_asked_to_end_does_not_wait_for_streams(tmp_path: Path) -> None:
    server = Process(f"sqlite:///{tmp_path}/class.sqlite")
    room = begin(server.port)
    stream = Events(room.student(), f"{room.path}/events")
    stream.until("state")
    server.end()  # fails after half a minute
    assert list(stream) is not None
    stream.close()
