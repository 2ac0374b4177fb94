"""The store: two tabs, a restart, a damaged file, deletion, and what can be taken along."""

import csv
import io
import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from store.codes import LETTERS, is_learner_id, new_learner_id, new_resume_code, read_resume_code
from store.database import database_url, file_of
from store.learners import Store

ME, YOU = "m" * 32, "y" * 32


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "learners.sqlite"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture
def store(kept_in: str) -> Iterator[Store]:
    opened = Store(kept_in)
    yield opened
    opened.close()


@pytest.fixture
def sqlite_store(url: str) -> Iterator[Store]:
    opened = Store(url)
    yield opened
    opened.close()


def test_the_first_try_is_kept_and_the_last_one_beside_it(store: Store) -> None:
    store.record(ME, "q1", "lesson", "a", False)
    store.record(ME, "q1", "lesson", "b", False)
    row = store.record(ME, "q1", "lesson", "c", True)
    assert (row.first_answer, row.first_correct) == ("a", False)
    assert (row.final_answer, row.final_correct, row.tries) == ("c", True, 3)
    assert row.first_at < row.final_at
    assert row.first_at.tzinfo is not None
    assert store.answers(ME) == {"q1": row}


def test_a_skipped_prediction_is_neither_right_nor_wrong(store: Store) -> None:
    assert store.record(ME, "gate", "lesson", "skipped", None).first_correct is None
    assert store.answers(ME)["gate"].final_correct is None


def test_two_learners_do_not_see_each_other(store: Store) -> None:
    store.record(ME, "q1", "lesson", "a", True)
    store.record(YOU, "q1", "lesson", "b", False)
    store.done(ME, "lesson")
    assert store.answers(ME)["q1"].final_answer == "a"
    assert store.answers(YOU)["q1"].final_answer == "b"
    assert "lesson" not in store.progress(YOU)


def test_progress_goes_forward_only(store: Store) -> None:
    for section in (0, 3, 1):
        store.reached(ME, "lesson", section)
    assert store.progress(ME)["lesson"].furthest == 3
    assert store.progress(ME)["lesson"].done_at is None
    store.done(ME, "lesson")
    done = store.progress(ME)["lesson"].done_at
    store.done(ME, "lesson")
    store.reached(ME, "lesson", 2)
    assert done is not None
    assert store.progress(ME)["lesson"].done_at == done
    assert store.progress(ME)["lesson"].furthest == 3


def test_nothing_is_lost_by_a_restart(store: Store, kept_in: str) -> None:
    before = store.record(ME, "q1", "lesson", "a", True)
    code = store.resume_code(ME)
    store.done(ME, "lesson")
    store.close()
    again = Store(kept_in)
    assert again.notice is None
    assert again.answers(ME) == {"q1": before}
    assert again.resume_code(ME) == code
    assert again.find(code) == ME
    assert again.progress(ME)["lesson"].done_at is not None
    again.close()


def test_a_server_that_dies_loses_nothing(sqlite_store: Store, path: Path, tmp_path: Path) -> None:
    """The files as they lie on the disk, without an orderly end, are opened by another server."""
    sqlite_store.record(ME, "q1", "lesson", "a", True)
    copy = tmp_path / "copy.sqlite"
    for suffix in ("", "-wal"):
        part = path.with_name(path.name + suffix)
        copy.with_name(copy.name + suffix).write_bytes(part.read_bytes())
    again = Store(f"sqlite:///{copy}")
    assert again.answers(ME)["q1"].final_answer == "a"
    again.close()


def test_the_file_has_a_write_ahead_log(sqlite_store: Store, path: Path) -> None:
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_two_tabs_at_once_lose_no_try(store: Store) -> None:
    def tab(name: int) -> None:
        for i in range(25):
            store.record(ME, f"q{i % 5}", "lesson", f"{name}-{i}", i % 2 == 0)
            store.reached(ME, "lesson", i)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(tab, range(4)))
    answers = store.answers(ME)
    assert sum(answer.tries for answer in answers.values()) == 100
    assert len(answers) == 5
    assert store.progress(ME)["lesson"].furthest == 24


def test_a_store_in_memory_is_as_safe() -> None:
    store = Store("sqlite://")

    def tab(name: int) -> None:
        for i in range(20):
            store.record(ME, "q", "lesson", f"{name}-{i}", True)
            assert store.answers(ME)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(tab, range(4)))
    assert store.answers(ME)["q"].tries == 80


def test_a_reader_does_not_wait_for_a_writer(sqlite_store: Store, path: Path) -> None:
    sqlite_store.record(ME, "q1", "lesson", "a", True)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    assert set(sqlite_store.answers(ME)) == {"q1"}
    assert sqlite_store.progress(ME) == {}
    writer.execute("ROLLBACK")
    writer.close()


def test_two_servers_lose_no_try(kept_in: str) -> None:
    stores = [Store(kept_in) for _ in range(2)]

    def server(opened: Store) -> None:
        for i in range(20):
            opened.record(ME, "q", "lesson", str(i), False)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(server, stores))
    assert stores[0].answers(ME)["q"].tries == 40
    assert stores[0].resume_code(ME) == stores[1].resume_code(ME)
    for opened in stores:
        opened.close()


def test_deleting_takes_everything_of_one_learner(sqlite_store: Store, path: Path) -> None:
    sqlite_store.record(ME, "q1", "lesson", "a", True)
    sqlite_store.record(YOU, "q1", "lesson", "a", True)
    sqlite_store.done(ME, "lesson")
    code = sqlite_store.resume_code(ME)
    sqlite_store.forget(ME)
    assert (sqlite_store.answers(ME), sqlite_store.progress(ME), sqlite_store.find(code)) == (
        {},
        {},
        None,
    )
    assert sqlite_store.answers(YOU)
    with sqlite3.connect(path) as connection:
        names = {"answers": "learner_id", "progress": "learner_id", "learners": "id"}
        for table, column in names.items():
            query = f"SELECT count(*) FROM {table} WHERE {column} = ?"
            assert connection.execute(query, (ME,)).fetchone() == (0,)
    connection.close()
    sqlite_store.forget(ME)
    assert sqlite_store.record(ME, "q1", "lesson", "b", False).tries == 1
    assert sqlite_store.resume_code(ME) != code


@pytest.mark.parametrize("damage", ["rubbish", "header", "middle"])
def test_a_damaged_file_is_kept_and_a_fresh_one_begins(path: Path, url: str, damage: str) -> None:
    store = Store(url)
    for i in range(90):
        store.record(ME, f"question-{i}", "lesson", "a" * 150, True)
    store.close()
    data = bytearray(path.read_bytes())
    if damage == "rubbish":
        data = bytearray(b"this is not a database at all\n" * 100)
    elif damage == "header":
        data[:100] = bytes(100)
    else:
        data[4096 : len(data)] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)

    again = Store(url)
    kept = [p for p in path.parent.iterdir() if ".damaged-" in p.name and p.suffix != ".sqlite"]
    assert len([p for p in kept if not p.name.endswith(("-wal", "-shm"))]) == 1
    assert bytes(data) in [p.read_bytes() for p in kept]
    assert again.notice is not None
    assert path.name in again.notice
    assert kept[0].name.split("-wal")[0] in again.notice
    assert again.answers(ME) == {}
    again.record(ME, "q1", "lesson", "a", True)
    again.close()
    third = Store(url)
    assert third.notice is None
    assert set(third.answers(ME)) == {"q1"}
    third.close()


def test_damage_while_running_is_met_in_the_same_way(path: Path, url: str) -> None:
    store = Store(url)
    store.record(ME, "q1", "lesson", "a", True)
    store._database.opened.engine.dispose()
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.write_bytes(b"no database" * 1000)
    assert store.record(ME, "q2", "lesson", "b", False).tries == 1
    assert store.notice is not None
    assert set(store.answers(ME)) == {"q2"}
    store.close()


def test_a_file_of_a_newer_version_is_kept_too(path: Path, url: str) -> None:
    Store(url).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    store = Store(url)
    assert store.notice is not None
    assert "another version" in store.notice
    store.close()


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store(f"sqlite:///{tmp_path}/file/learners.sqlite")
    assert store.notice is not None
    assert "SPECULATE_DATABASE_URL" in store.notice
    store.record(ME, "q1", "lesson", "a", True)
    assert set(store.answers(ME)) == {"q1"}


def test_the_environment_names_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPECULATE_DATABASE_URL", "postgresql://db/speculate")
    assert database_url() == "postgresql://db/speculate"
    assert file_of("sqlite:///:memory:") is None
    monkeypatch.delenv("SPECULATE_DATABASE_URL")
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    assert file_of(database_url()) == Path("/somewhere/speculate/learners.sqlite")


def test_codes_are_easy_and_forgiving(store: Store) -> None:
    code = store.resume_code(ME)
    assert set(code) <= set(LETTERS) | {"-"}
    assert len(code) == 11
    for typed in (code, code.upper(), code.replace("-", ""), f"  {code.replace('-', ' ')} "):
        assert store.find(typed) == ME
    for wrong in ("", "bcd", "bcd-fgh-jkm", "' OR 1=1 --", "x" * 10_000):
        assert store.find(wrong) is None
    assert read_resume_code("") == "--"
    assert len({new_resume_code() for _ in range(200)}) == 200
    assert is_learner_id(new_learner_id())
    assert not is_learner_id("short")
    assert not is_learner_id("x" * 31 + ";")


def test_results_can_be_taken_along(store: Store) -> None:
    store.record(ME, "q1", "lesson", "=cmd()", False)
    store.record(ME, "q2", "lesson", "-0.5", True)
    store.record(ME, "q3", "lesson", 'a,"b"\n', None)
    store.done(ME, "lesson")
    rows = list(csv.DictReader(io.StringIO(store.export_csv(ME, {"q1": "Which, then?"}))))
    assert [row["quiz_id"] for row in rows] == ["q1", "q2", "q3"]
    assert rows[0]["first_answer"] == "'=cmd()"
    assert rows[0]["question"] == "Which, then?"
    assert rows[1]["final_answer"] == "-0.5"
    assert (rows[2]["final_answer"], rows[2]["final_correct"]) == ('a,"b"\n', "")
    data = json.loads(store.export_json(ME))
    assert [row["final_answer"] for row in data["answers"]] == ["=cmd()", "-0.5", 'a,"b"\n']
    assert data["progress"][0]["lesson"] == "lesson"
    assert ME not in store.export_csv(ME) + store.export_json(ME)
    assert json.loads(store.export_json(YOU)) == {"answers": [], "progress": []}


def test_a_long_answer_is_cut(store: Store) -> None:
    assert len(store.record(ME, "q1", "lesson", "x" * 5000, False).final_answer) == 200
