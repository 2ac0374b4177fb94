"""What the tests of the class's pages share: a class on a server, and people who open pages."""

import json
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from helpers.browser import PATIENCE, Server, playwright_browser, settle, start_server  # noqa: F401
from helpers.look import violations

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PROJECTOR = {"viewport": {"width": 1280, "height": 720}}


@dataclass
class School:
    """A running class: where it is, and the teacher's token."""

    home: str
    code: str
    token: str

    @property
    def join(self) -> str:
        return f"{self.home}/class/{self.code}"

    @property
    def present(self) -> str:
        return f"{self.join}/present#t={self.token}"

    def do(self, action: str, **more: Any) -> dict[str, Any]:
        """Act as the teacher, without a page."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return post(f"{self.join}/teacher/do", {"action": action, **more}, headers)

    def state(self) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.join}/teacher/state", headers={"Authorization": f"Bearer {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return dict(json.load(answer))


def post(url: str, body: object, headers: dict[str, str] | None = None) -> dict[str, Any]:
    """POST JSON as a page of this server would."""
    origin = "/".join(url.split("/")[:3])
    request = urllib.request.Request(
        url,
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Origin": origin, **(headers or {})},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return dict(json.load(answer))


def start_class(server: Server, plan: object = "1-draft-then-verify") -> School:
    """Begin a class on a shipped plan, or on one of the test's own."""
    home = f"http://127.0.0.1:{server.port}"
    begun = post(f"{home}/class/api/start", {"plan": plan})
    return School(home, begun["code"], begun["token"])


@dataclass
class Person:
    """Somebody with a browser of their own."""

    context: Any
    page: Any = None
    errors: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=lambda: ["401"])

    def __post_init__(self) -> None:
        self.context.set_default_timeout(PATIENCE * 1000)
        self.page = self.tab()

    def tab(self) -> Any:
        """One more tab; what goes wrong in it is noted."""
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda m: self.errors.append(m.text) if self._counts(m) else None)
        return page

    def _counts(self, message: Any) -> bool:
        """Chromium writes down every request that fails. 401 is the answer "join first"; others a
        test expects by name, such as "ERR_FAILED" where it aborts requests itself.
        """
        return message.type == "error" and not any(x in message.text for x in self.expected)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until something asked for from here is so."""
        for _ in range(int(PATIENCE * 20)):
            if condition():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"waited for {condition}: {self.page.inner_text('body')[:1500]}")

    def says(self, selector: str, text: str) -> None:
        """Wait until an element has this text in it; say what is there instead."""
        from playwright.sync_api import TimeoutError

        try:
            self.page.locator(selector).filter(has_text=text).first.wait_for()
        except TimeoutError:
            there = self.page.inner_text("body")[:1500]
            raise AssertionError(f"waited for {text!r} in {selector} on {there!r}") from None

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).first.inner_text())

    def box(self, selector: str) -> tuple[float, float, float, float]:
        at = self.page.locator(selector).first.bounding_box()
        return at["x"], at["y"], at["width"], at["height"]

    def violations(self) -> list[tuple[str, str]]:
        """What axe calls serious or critical."""
        return violations(self.page)


Somebody = Callable[..., Person]


_SERVER = pytest.StashKey[Server]()


@pytest.fixture
def class_server(request: pytest.FixtureRequest) -> Server:
    """One server for all tests of classes, on recordings and with a database of its own."""
    stash = request.config.stash
    if _SERVER not in stash:
        folder = tempfile.TemporaryDirectory(prefix="speculate-class-")
        database = f"sqlite:///{folder.name}/class.sqlite"
        stash[_SERVER] = start_server(
            Path(folder.name), SPECULATE_LIVE="false", SPECULATE_DATABASE_URL=database
        )
        request.config.add_cleanup(folder.cleanup)
        request.config.add_cleanup(stash[_SERVER].end)
    return stash[_SERVER]


@pytest.fixture
def school(class_server: Server) -> School:
    return start_class(class_server)


@pytest.fixture
def somebody(class_server: Server, playwright_browser: Any) -> Iterator[Somebody]:  # noqa: F811
    """Opens a browser of their own for as many people as a test needs. Ends without errors."""
    people: list[Person] = []

    def enter(**options: Any) -> Person:
        options.setdefault("reduced_motion", "reduce")
        people.append(Person(playwright_browser.new_context(**options)))
        return people[-1]

    yield enter
    errors = [error for one in people for error in one.errors]
    for one in people:
        one.context.close()
    assert errors == []
    assert class_server.tracebacks() == []


def teacher_of(school: School, somebody: Somebody) -> Person:
    teacher = somebody(**PROJECTOR)
    teacher.page.goto(school.present)
    teacher.page.locator(".stepper .row .chip").first.wait_for()
    return teacher


def student_of(school: School, somebody: Somebody, name: str = "", **options: Any) -> Person:
    """Joins by keyboard, on the page of the link."""
    student = somebody(**options)
    student.page.goto(school.join)
    student.page.locator("#nickname").wait_for()
    student.page.keyboard.type(name)
    student.press("Enter")
    student.page.locator(".stepper .row .chip").first.wait_for()
    return student


def choose(student: Person, words: str) -> None:
    """By keyboard: Tab to the choice, and Enter."""
    for _ in range(40):
        student.press("Tab")
        focused = student.page.evaluate("document.activeElement.innerText || ''")
        if "choice" in student.page.evaluate("document.activeElement.className || ''") and (
            words in focused
        ):
            student.press("Enter")
            return
    raise AssertionError(f"no choice says {words}: {student.text('body')[:800]}")
