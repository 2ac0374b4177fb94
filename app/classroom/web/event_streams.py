"""One browser's event stream: what its room publishes, until it goes away.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import asyncio
import time

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from classroom.hub import Hub
from classroom.room import Listener, Room

RETRY_MS = 2_000
PING_SECONDS = 10.0
PING = b"event: ping\ndata: 1\n\n"
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would keep events back until a buffer is full
]


class EventStream(Response):
    """`seen` is the version that the browser has already."""

    def __init__(self, hub: Hub, room: Room, listener: Listener, seen: str) -> None:
        self._hub, self._room, self._listener = hub, room, listener
        self._gone = False
        if seen == str(room.record.version):
            room.knows(listener, listener.channels[0])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        room, listener = self._room, self._listener
        leaving = asyncio.create_task(self._wait_until_gone(receive))
        room.listeners.add(listener)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            data = f"retry: {RETRY_MS}\n\n".encode() + (room.pending(listener) or PING)
            pinged = time.monotonic()
            while not self._gone:
                if data:
                    await send({"type": "http.response.body", "body": data, "more_body": True})
                if self._hub.closing or room.gone:
                    break
                data = await self._next(pinged + PING_SECONDS - time.monotonic())
                if not data or time.monotonic() - pinged > PING_SECONDS:
                    data, pinged = data + PING, time.monotonic()
            if not self._gone:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            leaving.cancel()
            room.listeners.discard(listener)
            room.touch()

    async def _next(self, seconds: float) -> bytes:
        """What is new; nothing if that takes longer than `seconds`."""
        news = self._listener.news
        try:
            async with asyncio.timeout(max(seconds, 0.01)):
                await news.wait()
        except TimeoutError:
            return b""
        news.clear()
        return b"" if self._gone else self._room.pending(self._listener)

    async def _wait_until_gone(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self._listener.news.set()
