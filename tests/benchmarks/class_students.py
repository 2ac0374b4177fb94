"""Students and their teacher on the class's routes: sockets, event streams, votes. No browser."""

import asyncio
import json
import random
import time
from dataclasses import dataclass, field
from typing import Any

HOST = "127.0.0.1"
LONGEST_LINE = 2**22


@dataclass
class Line:
    """Requests to one server, each on a connection of its own, as from phones."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def head(self, method: str, path: str, length: int) -> bytes:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}:{self.port}",
                 f"Origin: http://{HOST}:{self.port}", f"Content-Length: {length}"]  # fmt: skip
        if self.cookies:
            lines.append("Cookie: " + "; ".join(f"{k}={v}" for k, v in self.cookies.items()))
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """One request -> its status and its JSON."""
        data = b"" if body is None else json.dumps(body).encode()
        reader, writer = await asyncio.open_connection(HOST, self.port, limit=LONGEST_LINE)
        writer.write(self.head(method, path, len(data)) + data)
        status = int((await reader.readline()).split()[1])
        length = 0
        while (line := await reader.readline()).strip():
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
            elif name.lower() == "set-cookie":
                key, _, kept = value.split(";")[0].strip().partition("=")
                self.cookies[key] = kept
        answer = await reader.readexactly(length)
        writer.close()
        return status, json.loads(answer) if answer else None


@dataclass
class Student(Line):
    """One phone: it follows the class, and votes some seconds after a question opened."""

    path: str = ""
    dice: random.Random = field(default_factory=random.Random)
    think: tuple[float, float] = (0.5, 6.0)
    seen: dict[int, float] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    kept: dict[int, str] = field(default_factory=dict)
    refused: list[int] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    voting: set["asyncio.Task[None]"] = field(default_factory=set)

    async def join(self) -> None:
        status, data = await self.ask("POST", f"{self.path}/join", {})
        if status != 200:
            raise RuntimeError(f"join: {status} {data}")

    async def follow(self) -> None:
        """Read the event stream until cancelled."""
        reader, writer = await asyncio.open_connection(HOST, self.port, limit=LONGEST_LINE)
        writer.write(self.head("GET", f"{self.path}/events", 0))
        name = b""
        asked = 0
        while line := await reader.readline():
            if line.startswith(b"event: "):
                name = line[7:].strip()
            elif line.startswith(b"data: ") and name == b"state":
                now = time.perf_counter()
                state = json.loads(line[6:])
                self.seen[state["version"]] = now
                question = state["question"]
                if question and question["open"] and question["round"] > asked:
                    asked = question["round"]
                    task = asyncio.create_task(self._vote(question))
                    self.voting.add(task)
                    task.add_done_callback(self.voting.discard)
        self.errors.append("the stream ended")

    async def _vote(self, question: dict[str, Any]) -> None:
        await asyncio.sleep(self.dice.uniform(*self.think))
        answer = self.dice.choice(question["choices"])["key"]
        began = time.perf_counter()
        body = {"round": question["round"], "answer": answer}
        try:
            status, _ = await self.ask("POST", f"{self.path}/vote", body)
        except OSError as error:
            self.errors.append(str(error))
            return
        self.waits.append(time.perf_counter() - began)
        if status == 200:
            self.kept[question["round"]] = answer
        else:
            self.refused.append(status)


@dataclass
class Teacher(Line):
    """The presenter's page, as far as the server sees it."""

    path: str = ""
    number: int = 0

    async def start(self, plan: str) -> None:
        status, data = await self.ask("POST", "/class/api/start", {"plan": plan})
        if status != 200:
            raise RuntimeError(f"start: {status} {data}")
        self.path = f"/class/{data['code']}"
        self.headers["Authorization"] = f"Bearer {data['token']}"

    async def do(self, action: str, **more: Any) -> tuple[float, dict[str, Any]]:
        """-> when it was asked for, and the state afterwards."""
        self.number += 1
        began = time.perf_counter()
        body = {"action": action, "id": str(self.number), **more}
        status, data = await self.ask("POST", f"{self.path}/teacher/do", body)
        if status != 200:
            raise RuntimeError(f"{action}: {status} {data}")
        return began, data

    async def stops(self) -> list[dict[str, Any]]:
        """The stops of the first item's run."""
        _, run = await self.ask("GET", f"{self.path}/teacher/run?item=0")
        found: list[dict[str, Any]] = []
        for cycle in run["cycles"]:
            checked = sum(x["verdict"] != "unchecked" for x in cycle["drafted"])
            places = [("draft", 0), ("verify", 0), *(("decide", i) for i in range(checked))]
            for stage, position in (*places, ("replace", 0)):
                place = {"item": 0, "cycle": cycle["index"], "stage": stage, "position": position}
                found.append(place)
        return found
