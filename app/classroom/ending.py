"""When the server is told to end, event streams end first: it waits for every open answer."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def on_signal(close: Callable[[], None]) -> Iterator[None]:
    """While inside, a signal that ends the server calls `close` on the event loop first.

    The server's own handlers are in place when its lifespan begins; they still do the rest.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # a server in a thread, as in tests, gets no signals
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(close)
        then = before[signal.Signals(number)]
        if callable(then):
            then(number, frame)

    for number in SIGNALS:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in SIGNALS:
            signal.signal(number, before[number])
