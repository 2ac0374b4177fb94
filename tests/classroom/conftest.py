"""A class in this process, on each kind of database; and one of the whole app, with its people."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from classroom.service import ClassService
from helpers.browser import Server
from helpers.classes.pages import Person, School, Somebody, start_class
from helpers.classes.server import PLAN, Browser, Class, Threaded, begin, enter
from store.transactions import Database

# Without a page: the routes alone


@pytest.fixture
def served(kept_in: str) -> Iterator[Threaded]:
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


# In a browser: the whole app, on recordings


@pytest.fixture
def class_server(recorded_server: Server) -> Server:
    return recorded_server


@pytest.fixture
def school(class_server: Server) -> School:
    return start_class(class_server)


@pytest.fixture
def somebody(class_server: Server, playwright_browser: Any) -> Iterator[Somebody]:
    """Opens a browser of their own for as many people as a test needs. Ends without errors."""
    people: list[Person] = []

    def come(**options: Any) -> Person:
        options.setdefault("reduced_motion", "reduce")
        people.append(Person(playwright_browser.new_context(**options)))
        return people[-1]

    yield come
    errors = [error for one in people for error in one.errors]
    for one in people:
        one.context.close()
    assert errors == []
    assert class_server.tracebacks() == []
