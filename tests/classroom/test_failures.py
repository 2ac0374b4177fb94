"""A full disk, a locked or read-only database, a clock that jumps: said, and nothing made up."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

import store.database
from classroom import clock as clock_module
from classroom.clock import Clock
from classroom.errors import Refused
from classroom.service import ClassService, hashed
from helpers.classes.server import Browser, Class, Events, Threaded, begin
from store.transactions import Database

CROWD = 120


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "class.sqlite"


@pytest.fixture
def server(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Threaded]:
    monkeypatch.setattr(store.database, "WAIT_SECONDS", 0.2)
    database = Database(f"sqlite:///{path}")
    threaded = Threaded(ClassService(database))
    yield threaded
    threaded.end()
    database.close()


@pytest.fixture
def room(server: Threaded) -> Class:
    return begin(server.port)


def crowd(server: Threaded, room: Class) -> list[Browser]:
    """Many members, put into the table at once."""
    students = []
    for i in range(CROWD):
        key = f"{i:032d}"
        now = server.service.clock()
        server.service.table.join(room.code, hashed(key), None, None, now, CROWD)
        cookies = {"speculate_member": (key, room.path)}
        students.append(Browser(server.port, cookies=cookies))
    return students


def stored(path: Path) -> int:
    """How many votes lie in the file."""
    with sqlite3.connect(path) as connection:
        count = connection.execute("SELECT count(*) FROM class_votes").fetchone()[0]
    connection.close()
    return int(count)


def on_every_connection(server: Threaded, pragma: str) -> Any:
    """Change what all connections may do -> call it to take that back."""
    engine = server.service.database.opened.engine

    def change(connection: Any, _: object) -> None:
        connection.execute(pragma)

    event.listen(engine, "connect", change)
    engine.dispose()

    def undo() -> None:
        event.remove(engine, "connect", change)
        engine.dispose()

    return undo


def test_a_full_disk_acknowledges_nothing(server: Threaded, room: Class, path: Path) -> None:
    students = crowd(server, room)
    room.ask(kind="count", cycle=0)
    undo = on_every_connection(server, "PRAGMA max_page_count = 1")  # which means: no page more
    answers = [room.vote(student, 1, "2") for student in students]
    kept = [answer.status for answer in answers].count(200)
    refused = [answer for answer in answers if answer.status != 200]
    assert refused, "the limit was not reached"
    assert {answer.status for answer in refused} == {503}
    assert "disk is full" in refused[0].data["error"]
    assert "Nothing was kept" in refused[0].data["error"]
    assert stored(path) == kept
    undo()
    last = [room.vote(student, 1, "2").status for student in students]
    assert last.count(200) == len(refused)
    assert stored(path) == CROWD


def test_a_read_only_database(server: Threaded, room: Class, path: Path) -> None:
    student = room.student()
    room.ask(kind="count", cycle=0)
    undo = on_every_connection(server, "PRAGMA query_only = ON")
    answer = room.vote(student, 1, "2")
    assert (answer.status, stored(path)) == (503, 0)
    assert "cannot be written" in answer.data["error"]
    assert "cannot be written" in room.do("close").data["error"]
    assert student.get(f"{room.path}/state").status == 200, "reading goes on"
    assert Browser(server.port).post("/class/api/start", {"plan": "x"}).status in (404, 503)
    undo()
    assert room.vote(student, 1, "2").status == 200


def test_a_locked_database(server: Threaded, room: Class, path: Path) -> None:
    student = room.student()
    room.ask(kind="count", cycle=0)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    answer = room.vote(student, 1, "2")
    assert (answer.status, stored(path)) == (503, 0)
    assert "busy" in answer.data["error"]
    assert answer.data["retry_after"] > 0
    other.execute("ROLLBACK")
    other.close()
    assert room.vote(student, 1, "2").status == 200


def test_a_database_that_cannot_be_read_is_said_to_all(
    server: Threaded, room: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    student = room.student()
    stream = Events(student, f"{room.path}/events")
    stream.until("state")
    table, working = server.service.table, server.service.table.glance

    def broken(*_: Any) -> None:
        raise OperationalError("SELECT", None, Exception("disk I/O error"))

    monkeypatch.setattr(table, "glance", broken)
    assert "file cannot be used" in stream.until("trouble")["message"]
    monkeypatch.setattr(table, "glance", working)
    assert stream.until("trouble")["message"] is None
    room.show(0, "verify")
    stream.until("state", version=2)
    stream.close()


def test_no_class_begins_where_nothing_lasts(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    database = Database(f"sqlite:///{tmp_path}/file/class.sqlite")
    with pytest.raises(Refused, match="SPECULATE_DATABASE_URL"):
        ClassService(database).start("1-draft-then-verify")
    database.close()


class Jumping(datetime):
    """A time of day that somebody sets."""

    off = timedelta()

    @classmethod
    def now(cls, tz: Any = None) -> "Jumping":  # type: ignore[override]
        return cls.fromtimestamp(1_700_000_000, tz) + cls.off  # type: ignore[return-value]


def test_a_clock_that_is_set_ends_no_class(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = [0.0]
    monkeypatch.setattr(clock_module, "datetime", Jumping)
    monkeypatch.setattr(clock_module, "_counted", lambda: counted[0])
    database = Database(f"sqlite:///{path}")
    service = ClassService(database, Clock())
    begun = service.start("1-draft-then-verify")
    for days in (3, -3):
        monkeypatch.setattr(Jumping, "off", timedelta(days=days))
        assert not service.over(service.load(begun.code))
    counted[0] = 23.9 * 3600
    assert not service.over(service.load(begun.code))
    counted[0] = 24.1 * 3600
    assert service.over(service.load(begun.code))
    database.close()


def test_time_passing_ends_a_class_for_everybody(path: Path) -> None:
    late = [timedelta()]
    begin_at = datetime.now(UTC)
    database = Database(f"sqlite:///{path}")
    server = Threaded(ClassService(database, lambda: begin_at + late[0]))
    room = begin(server.port)
    student = room.student()
    stream = Events(student, f"{room.path}/events")
    room.ask(kind="count", cycle=0)
    stream.until("state", version=2)
    late[0] = timedelta(hours=24, seconds=1)
    ended = stream.until("state", version=3)
    assert ended["ended"] is True
    assert ended["question"]["open"] is False
    assert room.vote(student, 1, "2").status == 409
    assert room.do("extend").data["ended"] is False
    stream.close()
    server.end()
    database.close()
