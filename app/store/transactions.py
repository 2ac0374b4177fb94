"""Work on the database, each piece in one transaction; a damaged file is replaced once for all."""

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session

from store.database import READING, Opened, database_url, file_of, is_damage, open_database

Result = TypeVar("Result")


class Database:
    """One database, shared by everything that is kept in it. Safe from any thread."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self.opened: Opened = open_database(url)

    def close(self) -> None:
        """Let go of the file, or of the server's connections."""
        self.opened.engine.dispose()

    def read(self, work: Callable[[Session], Result]) -> Result:
        """Like `write`, for work that writes nothing: readers do not wait for writers."""
        return self._run(work, reading=True)

    def write(self, work: Callable[[Session], Result]) -> Result:
        """Do `work` in one transaction; what it returns comes back once it is committed.

        Once more, on a fresh file, if this one is damaged. Raises SQLAlchemy's errors.
        """
        return self._run(work, reading=False)

    def _run(self, work: Callable[[Session], Result], reading: bool) -> Result:
        used = self.opened
        try:
            return _transaction(used.engine, work, reading)
        except DatabaseError as error:
            if not is_damage(error) or file_of(self._url) is None:
                raise
        self._replace(used.engine)
        return _transaction(self.opened.engine, work, reading)

    def _replace(self, damaged: Engine) -> None:
        """Open again after damage was met while running; one thread does it for all."""
        with self._lock:
            if self.opened.engine is damaged:
                damaged.dispose()
                self.opened = open_database(self._url)


def database() -> Database:
    """The server's database, opened once."""
    return _opened(database_url())


@lru_cache(maxsize=1)
def _opened(url: str) -> Database:
    return Database(url)


def _transaction(engine: Engine, work: Callable[[Session], Result], reading: bool) -> Result:
    """Do `work` between BEGIN and COMMIT."""
    with Session(engine, expire_on_commit=False) as session, session.begin():
        if reading:
            session.connection(execution_options={READING: True})
        return work(session)
