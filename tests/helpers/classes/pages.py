"""A class on a server, and the people who open its pages."""

import json
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from helpers.browser import Server, Visitor
from helpers.look import violations
from helpers.patience import patience

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
        with urllib.request.urlopen(request, timeout=patience()) as answer:
            return dict(json.load(answer))


def post(url: str, body: object, headers: dict[str, str] | None = None) -> dict[str, Any]:
    """POST JSON as a page of this server would."""
    origin = "/".join(url.split("/")[:3])
    request = urllib.request.Request(
        url,
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Origin": origin, **(headers or {})},
    )
    with urllib.request.urlopen(request, timeout=patience()) as answer:
        return dict(json.load(answer))


def start_class(server: Server, plan: object = "1-draft-then-verify") -> School:
    """Begin a class on a shipped plan, or on one of the test's own."""
    home = f"http://127.0.0.1:{server.port}"
    begun = post(f"{home}/class/api/start", {"plan": plan})
    return School(home, begun["code"], begun["token"])


class Person(Visitor):
    """Somebody in a class; 401 is the answer "join first"."""

    def __init__(self, context: Any) -> None:
        super().__init__(context, expected=["401"])

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
