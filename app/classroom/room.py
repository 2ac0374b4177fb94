"""One class in one process: who listens, what they were told last, and what they are told next.

Everything here runs on the server's event loop. A change is made into bytes once, and the same
bytes go to every stream; a stream that is slow misses what was overtaken, and gets the last.
"""

import asyncio
import json
import time
from collections.abc import Iterable
from typing import Any, Literal

from classroom.kept_bytes import Kept
from classroom.views import Counts
from store.class_records import ClassRecord, MemberRecord

Json = dict[str, Any]
Channel = Literal["state", "teacher", "here", "live", "trouble"]
STUDENT: tuple[Channel, ...] = ("state", "here", "trouble")
TEACHER: tuple[Channel, ...] = ("teacher", "live", "trouble")
POLLED_SECONDS = 15.0
IDLE_SECONDS = 60.0


def packed(data: Json) -> bytes:
    """JSON as short as it gets."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def event(name: str, data: bytes, id: int | None = None) -> bytes:
    """A server-sent event. JSON has no line breaks, so it is one line of data."""
    head = b"" if id is None else f"id: {id}\n".encode()
    return head + b"event: " + name.encode() + b"\ndata: " + data + b"\n\n"


class Listener:
    """One event stream, as the room sees it. `member` is None for the teacher's."""

    def __init__(self, channels: tuple[Channel, ...], member: int | None) -> None:
        self.channels, self.member = channels, member
        self.seen: dict[Channel, int] = {}
        self.personal: bytes | None = None
        self.news = asyncio.Event()


class Room:
    """A class, as it was read from the database last, and those who follow it here."""

    def __init__(self, code: str, record: ClassRecord) -> None:
        self.code, self.record = code, record
        self.student: Json = {}
        self.teacher: Json = {}
        self.student_bytes = b"{}"
        self.counts: Counts = {}
        self.elsewhere = 0
        self.gone = False
        self.trouble: str | None = None
        self.listeners: set[Listener] = set()
        self.members: dict[str, MemberRecord] = {}
        self.answers: dict[int, dict[int, str]] = {}
        self.runs: dict[object, Kept] = {}
        self.reading = asyncio.Lock()
        self._channels: dict[Channel, tuple[int, bytes]] = {}
        self._polled: dict[int, float] = {}
        self._touched = time.monotonic()

    # -- who is there ----------------------------------------------------------------------------

    @property
    def here(self) -> int:
        """How many members follow the class, in all processes."""
        return self.here_now() + self.elsewhere

    def here_now(self) -> int:
        """How many members follow the class in this process, by a stream or by asking."""
        old = time.monotonic() - POLLED_SECONDS
        self._polled = {who: at for who, at in self._polled.items() if at > old}
        streaming = {x.member for x in self.listeners if x.member is not None}
        return len(streaming | self._polled.keys())

    def polled(self, member: int) -> None:
        """A member asked for the state."""
        self._polled[member] = self._touched = time.monotonic()

    def touch(self) -> None:
        """Somebody wants something of this class."""
        self._touched = time.monotonic()

    @property
    def idle(self) -> bool:
        """Whether nobody has wanted anything for a while."""
        return not self.listeners and time.monotonic() - self._touched > IDLE_SECONDS

    @property
    def teacher_listens(self) -> bool:
        """Whether somebody wants to see the votes as they arrive."""
        return any("live" in x.channels for x in self.listeners)

    # -- telling ---------------------------------------------------------------------------------

    def show(self, record: ClassRecord, student: Json, teacher: Json, counts: Counts) -> None:
        """A new version: tell everybody."""
        self.record, self.student, self.teacher, self.counts = record, student, teacher, counts
        self.student_bytes = packed(student)
        self.runs = {}
        self.publish("state", event("state", self.student_bytes, record.version))
        self.publish("teacher", event("state", self.teacher_bytes(), record.version))

    def teacher_bytes(self, join_url: str | None = None) -> bytes:
        """The teacher's view, with what is known of the votes by now."""
        link = {} if join_url is None else {"join_url": join_url}
        return packed(self.teacher | self.live() | link)

    def live(self) -> Json:
        """The part of the teacher's view that votes change."""
        question = self.teacher.get("question")
        found: Json = {"here": self.here, "answered": 0, "tag": ""}
        if question is not None:
            given = self.counts.get(question["round"], {})
            shown = {choice["key"]: given.get(choice["key"], 0) for choice in question["choices"]}
            rounds = [
                {**one, "histogram": shown} if one["round"] == question["round"] else one
                for one in question["rounds"]
            ]
            found["answered"] = sum(given.values())
            found["question"] = {**question, "rounds": rounds}
        found["tag"] = f"{self.record.version}.{found['answered']}.{found['here']}"
        return found

    def live_event(self) -> bytes:
        """The same, for the stream: counts only."""
        live = self.live()
        question = live.pop("question", None)
        if question is not None:
            live["round"] = question["round"]
            live["histogram"] = question["rounds"][-1]["histogram"]
        return event("live", packed(live))

    def publish(self, channel: Channel, data: bytes) -> None:
        """Hand the same bytes to every stream that listens to the channel."""
        number, before = self._channels.get(channel, (0, b""))
        if data == before:
            return
        self._channels[channel] = (number + 1, data)
        for listener in self.listeners:
            if channel in listener.channels:
                listener.news.set()

    def say_trouble(self, message: str | None) -> None:
        """Tell everybody that the database cannot be read, or that it can again."""
        if message != self.trouble:
            self.trouble = message
            self.publish("trouble", event("trouble", packed({"message": message})))

    def tell(self, member: int, personal: bytes) -> None:
        """Something for one member alone, in all of their tabs."""
        for listener in self.listeners:
            if listener.member == member:
                listener.personal = personal
                listener.news.set()

    def wake(self, listeners: Iterable[Listener] | None = None) -> None:
        """Let streams look whether they are to end."""
        for listener in listeners or self.listeners:
            listener.news.set()

    def pending(self, listener: Listener) -> bytes:
        """What a stream has not sent yet, and from now on has."""
        found = []
        for channel in listener.channels:
            number, data = self._channels.get(channel, (0, b""))
            if number > listener.seen.get(channel, 0):
                listener.seen[channel] = number
                found.append(data)
        if listener.personal is not None:
            found.append(listener.personal)
            listener.personal = None
        return b"".join(found)

    def knows(self, listener: Listener, channel: Channel) -> None:
        """The browser has this already: it said so when it came back."""
        listener.seen[channel] = self._channels.get(channel, (0, b""))[0]
