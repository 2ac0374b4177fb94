"""The tables: made by migrations, the same as the code's, also in a file from before them."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

import store.class_tables  # noqa: F401 - the tables of classes are among those compared
from store.database import Damaged, open_database
from store.learners import Store
from store.migrate import FOLDER, HEAD
from store.tables import Base
from store.transactions import Database

ME = "m" * 32


def test_the_newest_migration_is_the_head() -> None:
    assert ScriptDirectory(str(FOLDER)).get_heads() == [HEAD]
    for file in FOLDER.glob("versions/*.py"):
        assert f'revision = "{file.name[1:5]}"' in file.read_text()


def test_migrations_make_the_tables_of_the_code(kept_in: str) -> None:
    database = Database(kept_in)
    with database.opened.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
        assert context.get_current_revision() == HEAD
    database.close()


def test_a_database_from_before_migrations_is_taken_over(kept_in: str) -> None:
    first = Store(kept_in)
    first.record(ME, "q1", "lesson", "a", True)
    code = first.resume_code(ME)
    engine = first._database.opened.engine
    with engine.begin() as connection:  # as it was: the learners' tables, and no version
        for table in ("class_presence", "class_votes", "class_rounds", "class_members", "classes",
                      "alembic_version"):  # fmt: skip
            connection.exec_driver_sql(f"DROP TABLE {table}")
    first.close()
    again = Store(kept_in)
    assert again.notice is None
    assert again.find(code) == ME
    assert again.answers(ME)["q1"].first_answer == "a"
    with again._database.opened.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM classes").scalar() == 0
    again.close()


def test_a_database_of_a_newer_version_is_not_touched(kept_in: str) -> None:
    database = Database(kept_in)
    with database.opened.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    database.close()
    if kept_in.startswith("sqlite"):
        opened = open_database(kept_in)
        assert "another version" in str(opened.notice)
        opened.engine.dispose()
    else:
        with pytest.raises(Damaged, match="another version"):
            open_database(kept_in)


def test_servers_that_start_together_take_turns(kept_in: str) -> None:
    opened: list[Database] = []

    def start() -> None:
        opened.append(Database(kept_in))

    threads = [threading.Thread(target=start) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert [database.opened.notice for database in opened] == [None] * 4
    for database in opened:
        database.close()


def test_a_file_that_is_locked_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "busy.sqlite"
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    holder.execute("CREATE TABLE mine (x)")
    holder.execute("BEGIN EXCLUSIVE")
    threading.Timer(0.3, lambda: holder.execute("COMMIT")).start()
    opened = open_database(f"sqlite:///{path}")
    assert opened.notice is None
    opened.engine.dispose()
    holder.close()


def test_databases_in_memory_can_be_opened_side_by_side() -> None:
    """Nothing locks them against each other, and Alembic keeps its context in a module."""
    with ThreadPoolExecutor(4) as pool:
        for opened in pool.map(open_database, ["sqlite://"] * 8):
            assert opened.notice is None
            with opened.engine.connect() as connection:
                assert MigrationContext.configure(connection).get_current_revision() == HEAD
            opened.engine.dispose()


def test_there_is_a_way_back(tmp_path: Path) -> None:
    from alembic import command
    from alembic.config import Config

    path = tmp_path / "x.sqlite"
    Database(f"sqlite:///{path}").close()
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    engine.dispose()
    with sqlite3.connect(path) as raw:
        tables = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    raw.close()
    assert {name for (name,) in tables} <= {"alembic_version", "sqlite_sequence"}
