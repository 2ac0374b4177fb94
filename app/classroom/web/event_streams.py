"""One browser's event stream: what its room publishes, until it goes away.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from collections.abc import AsyncIterator

from sse_starlette import EventSourceResponse, ServerSentEvent

from classroom.hub import Hub
from classroom.room import Listener, Room

RETRY_MS = 2_000
PING_SECONDS = 10.0
PING = ServerSentEvent("1", event="ping", sep="\n")


def event_stream(hub: Hub, room: Room, listener: Listener, seen: str) -> EventSourceResponse:
    """`seen` is the version that the browser has already."""
    if seen == str(room.record.version):
        room.knows(listener, listener.channels[0])
    return EventSourceResponse(
        _news(hub, room, listener),
        ping=PING_SECONDS,
        ping_message_factory=lambda: PING,
    )


async def _news(hub: Hub, room: Room, listener: Listener) -> AsyncIterator[bytes]:
    """Bytes as the room makes them; the listener is counted as there until its browser leaves."""
    room.listeners.add(listener)
    try:
        yield f"retry: {RETRY_MS}\n\n".encode() + (room.pending(listener) or PING.encode())
        while not (hub.closing or room.gone):
            await listener.news.wait()
            listener.news.clear()
            if data := room.pending(listener):
                yield data
    finally:
        room.listeners.discard(listener)
        room.touch()
