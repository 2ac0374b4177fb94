"""The connection: sqlite in a file by default, with a write-ahead log; any other by its URL.

Two tabs may write at once: a writer takes the lock when it begins (BEGIN IMMEDIATE), and a second
one waits. A file that is damaged is kept under another name, and a fresh one begins beside it.
"""

import os
import sqlite3
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event, make_url, text
from sqlalchemy.exc import DatabaseError, OperationalError

from store.migrate import NewerVersion, migrate
from store.tables import SCHEMA_VERSION

VARIABLE = "SPECULATE_DATABASE_URL"
WAIT_SECONDS = 10
READING = "speculate_reading"
"""The execution option of a transaction that writes nothing, and so need not wait for writers."""

_DAMAGED = ("malformed", "not a database", "disk image", "corrupt", "unsupported file format")


class Damaged(Exception):
    """The database file cannot be trusted."""


@dataclass(frozen=True)
class Opened:
    """A working database.

    notice  what a person must be told about it, if anything
    kept    whether what is written outlives the server: not where the file could not be used
    """

    engine: Engine
    notice: str | None
    kept: bool = True


def database_url() -> str:
    """The URL in SPECULATE_DATABASE_URL, or a file in the user's data folder."""
    given = os.environ.get(VARIABLE)
    if given:
        return given
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return f"sqlite:///{Path(data) / 'speculate' / 'learners.sqlite'}"


def open_database(url: str) -> Opened:
    """Open, create or replace the database; a working one comes back in every case but one.

    A server's database (not sqlite) that cannot be reached raises SQLAlchemy's OperationalError.
    """
    path = file_of(url)
    notice = None
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return Opened(_connect(url), None)
        except Damaged as damage:
            if path is None:
                raise
            kept = set_aside(path)
            notice = (
                f"The file with the learners' answers, {path.name}, cannot be used ({damage}). It "
                f"is kept as {kept.name}, and a fresh one has been started beside it. Earlier "
                "answers are not shown."
            )
            return Opened(_connect(url), notice)
    except (OSError, OperationalError) as error:
        if path is None:
            raise
        reason = error.strerror if isinstance(error, OSError) else str(error.orig)
        notice = (
            f"Answers cannot be kept in {path} ({reason}). They last until the server is "
            f"restarted. Set {VARIABLE} to a place that can be written."
        )
        return Opened(_connect("sqlite://"), notice, kept=False)


def file_of(url: str) -> Path | None:
    """The file of a sqlite URL; None for a database in memory or on a server."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    return Path(str(parsed.database))


def is_damage(error: DatabaseError) -> bool:
    """Whether an error says that the file is damaged, and not merely busy or full."""
    original = error.orig
    return isinstance(original, sqlite3.DatabaseError) and any(
        word in str(original).lower() for word in _DAMAGED
    )


def set_aside(path: Path) -> Path:
    """Rename a damaged file and its log, so that nothing is lost -> the file's new name."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    kept = path.with_name(f"{path.name}.damaged-{stamp}")
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(kept.with_name(kept.name + suffix))
    return kept


def _connect(url: str) -> Engine:
    """An engine whose tables exist. Raises Damaged, with the connections closed."""
    engine = _engine(url)
    try:
        with engine.begin() as connection:
            if engine.dialect.name == "sqlite":
                _look_over(connection)
            migrate(connection)
    except DatabaseError as error:
        engine.dispose()
        if is_damage(error):
            raise Damaged(str(error.orig)) from error
        raise
    except NewerVersion as newer:
        engine.dispose()
        raise Damaged(str(newer)) from newer
    except Damaged:
        engine.dispose()
        raise
    return engine


def _look_over(connection: Connection) -> None:
    """Ask sqlite whether the file is whole, and whether this version of the app wrote it."""
    answer = connection.execute(text("PRAGMA quick_check(1)")).scalar()
    if answer != "ok":
        raise Damaged(str(answer))
    version = connection.execute(text("PRAGMA user_version")).scalar()
    if version not in (0, SCHEMA_VERSION):
        raise Damaged(f"written by another version of the app (schema {version})")
    connection.execute(text(f"PRAGMA user_version = {SCHEMA_VERSION}"))


def _engine(url: str) -> Engine:
    if make_url(url).get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    arguments = {"timeout": WAIT_SECONDS, "check_same_thread": False}
    if file_of(url) is None:  # one connection for all: each would see a database of its own
        engine = create_engine(
            url, connect_args=arguments, poolclass=QueuePool, pool_size=1, max_overflow=0
        )
    else:
        engine = create_engine(url, connect_args=arguments)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _: object) -> None:
    """Settings of a new sqlite connection; SQLAlchemy, not the driver, says when to begin."""
    connection.isolation_level = None
    cursor = connection.cursor()
    _keep_a_log(cursor)
    cursor.execute("PRAGMA synchronous = FULL")  # what is acknowledged survives a power cut
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _keep_a_log(cursor: sqlite3.Cursor) -> None:
    """Switch to a write-ahead log. Raises sqlite3.OperationalError when locked for too long.

    The switch needs the file for itself, and sqlite does not wait for that as it waits for a
    write: of two servers that start together one is told at once that the file is locked.
    """
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # of whatever kind
            if not busy or time.monotonic() > until:
                raise
        time.sleep(0.02)


def _begin(connection: Connection) -> None:
    reading = connection.get_execution_options().get(READING, False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
