"""A class on a server in this process, on each kind of database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from classroom.service import ClassService
from helpers.classes.server import PLAN, Browser, Class, Threaded, begin, enter
from helpers.databases import kept_in, postgres  # noqa: F401
from store.transactions import Database


@pytest.fixture
def served(kept_in: str) -> Iterator[Threaded]:  # noqa: F811
    database = Database(kept_in)
    server = Threaded(ClassService(database))
    yield server
    server.end()
    database.close()


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Threaded]:
    """One for all tests of a file, on sqlite: for what has nothing to do with the database."""
    database = Database(f"sqlite:///{tmp_path_factory.mktemp('light')}/light.sqlite")
    server = Threaded(ClassService(database))
    yield server
    server.end()
    database.close()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Threaded]:
    """One for a test that makes the server wary of this address."""
    database = Database(f"sqlite:///{tmp_path}/fresh.sqlite")
    server = Threaded(ClassService(database))
    yield server
    server.end()
    database.close()


@pytest.fixture
def lesson(served: Threaded) -> Class:
    return begin(served.port)


@pytest.fixture
def light_class(light: Threaded) -> Class:
    begun = light.service.start(PLAN)
    return enter(Browser(light.port), begun.code, begun.token)
