"""A server with the class's routes alone, in this process or in others, and browsers for it.

A browser here is a cookie jar and an Origin: everything goes over a real socket.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware

from classroom.plans.plan import Item, Plan
from classroom.plans.question import Question
from classroom.service import ClassService
from classroom.web.routes import ClassRoutes
from helpers.patience import patience, until
from helpers.ports import free_port
from store.identity import LearnerCookie

ROOT = Path(__file__).resolve().parents[3]
PLAN = Plan(
    title="A plan",
    items=(
        Item(
            title="Code",
            notes="SECRET-NOTES",
            recording="code",
            questions=(
                Question(kind="verdict", cycle=3, position=0),
                Question(kind="count", cycle=0),
            ),
        ),
        Item(title="A story", recording="story"),
    ),
)  # fmt: skip


def class_app(routes: ClassRoutes) -> Starlette:
    return Starlette(routes=routes.routes(), middleware=[Middleware(LearnerCookie)])


def wait_for(port: int, running: Callable[[], bool]) -> None:
    """Until something listens; what has ended never will."""

    def listens() -> bool:
        assert running(), "the server ended before it listened"
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), patience()).close()
            return True
        return False

    until(listens, "a server to listen", pause=0.02)


class Threaded:
    """A server in a thread of this process."""

    def __init__(self, service: ClassService) -> None:
        self.service, self.port = service, free_port()
        self.routes = ClassRoutes(lambda: service)
        config = uvicorn.Config(
            class_app(self.routes), port=self.port, log_level="warning", lifespan="off"
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        wait_for(self.port, self._thread.is_alive)

    def end(self) -> None:
        self.routes.close()
        self._server.should_exit = True
        self._thread.join(patience())


class Process:
    """A server in a process of its own."""

    def __init__(self, url: str, port: int | None = None, wait: bool = True) -> None:
        self.port = port or free_port()
        env = os.environ | {
            "SPECULATE_DATABASE_URL": url,
            "PYTHONPATH": f"{ROOT / 'app'}:{ROOT / 'tests'}",
        }
        app = "helpers.classes.process:app"
        command = [sys.executable, "-m", "uvicorn", app, "--port", str(self.port),
                   "--log-level", "warning"]  # fmt: skip
        self.process = subprocess.Popen(command, env=env)
        if wait:
            self.wait()

    def wait(self) -> None:
        """Until it answers; a server that does not is ended."""
        try:
            wait_for(self.port, lambda: self.process.poll() is None)
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(patience())

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(patience())


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def data(self) -> dict[str, Any]:
        found = json.loads(self.text)
        assert isinstance(found, dict)
        return found


@dataclass
class Browser:
    """Somebody's browser. `headers` are sent with everything."""

    port: int
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, tuple[str, str]] = field(default_factory=dict)

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Answer:
        connection, response = self.open(method, path, body, headers)
        text = response.read().decode()
        connection.close()
        kept = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, kept, text)

    def open(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[HTTPConnection, HTTPResponse]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=patience())
        sent = {"Origin": f"http://127.0.0.1:{self.port}"} if method == "POST" else {}
        where = path.split("?")[0]
        mine = [f"{k}={v}" for k, (v, at) in self.cookies.items() if where.startswith(at)]
        sent |= {"Cookie": "; ".join(mine)} if mine else {}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, data, sent | self.headers | (headers or {}))
        response = connection.getresponse()
        for header in response.headers.get_all("set-cookie") or ():
            for name, morsel in SimpleCookie(header).items():
                self.cookies[name] = (morsel.value, morsel["path"])
        return connection, response

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        return self.ask("POST", path, {} if body is None else body, headers)


class Events:
    """An event stream, read as it comes."""

    def __init__(self, browser: Browser, path: str, last: str | None = None) -> None:
        headers = {} if last is None else {"Last-Event-ID": last}
        self._connection, self.response = browser.open("GET", path, headers=headers)
        self.raw = ""

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        name = ""
        while line := self.response.readline().decode():
            self.raw += line
            if line.startswith("event: "):
                name = line[7:].strip()
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])

    def until(self, wanted: str, **fields: Any) -> dict[str, Any]:
        """The next event of this name whose data has these fields."""
        for name, data in self:
            if name == wanted and all(data.get(key) == value for key, value in fields.items()):
                assert isinstance(data, dict)
                return data
        raise AssertionError(f"the stream ended before {wanted} {fields}: {self.raw[-2000:]}")

    def close(self) -> None:
        self.response.close()
        self._connection.close()


@dataclass
class Class:
    """A class that was started, and its teacher's browser."""

    code: str
    token: str
    teacher: Browser
    number: int = 0

    @property
    def path(self) -> str:
        return f"/class/{self.code}"

    def do(self, action: str, **more: Any) -> Answer:
        self.number += 1
        body = {"action": action, "id": f"a{self.number}", **more}
        return self.teacher.post(f"{self.path}/teacher/do", body)

    def show(self, cycle: int, stage: str, position: int = 0, item: int = 0) -> dict[str, Any]:
        place = {"item": item, "cycle": cycle, "stage": stage, "position": position}
        answer = self.do("show", place=place)
        assert answer.status == 200, answer.text
        return answer.data

    def ask(self, **question: Any) -> dict[str, Any]:
        answer = self.do("ask", question=question)
        assert answer.status == 200, answer.text
        return answer.data

    def student(self, port: int | None = None, nickname: str | None = None) -> Browser:
        browser = Browser(port or self.teacher.port)
        answer = browser.post(f"{self.path}/join", {"nickname": nickname} if nickname else {})
        assert answer.status == 200, answer.text
        return browser

    def vote(self, student: Browser, number: int, answer: str) -> Answer:
        return student.post(f"{self.path}/vote", {"round": number, "answer": answer})


def begin(port: int, plan: Plan = PLAN) -> Class:
    """Start a class over the network, and enter it as its teacher."""
    teacher = Browser(port)
    answer = teacher.post("/class/api/start", {"plan": plan.model_dump(mode="json")})
    assert answer.status == 200, answer.text
    return enter(teacher, answer.data["code"], answer.data["token"])


def enter(teacher: Browser, code: str, token: str) -> Class:
    """Become the teacher of a class: the token goes in a header, and a cookie comes back."""
    entered = teacher.post(f"/class/{code}/teacher", Authorization=f"Bearer {token}")
    assert entered.status == 200, entered.text
    return Class(code, token, teacher)
