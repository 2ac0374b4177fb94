"""When the models are loaded: after the first page, not beside it.

Loading torch and the weights takes seconds of the one interpreter, and a page that is asked for
meanwhile takes as long as both. So the server begins when a page has been drawn and its browser
has had a moment; or, where nobody comes, a little after the start.

    warm_up().start(begin)     # the server is up
    warm_up().page_drawn()     # a page's script has ended
"""

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

AFTER_PAGE = 0.5  # seconds: the browser draws what it got, and asks for nothing more
NOBODY = 5.0  # seconds after the start without a page


class Clock(Protocol):
    """What a threading.Timer can do."""

    def start(self) -> None: ...

    def cancel(self) -> None: ...


def timer(seconds: float, then: Callable[[], None]) -> Clock:
    """A timer that does not keep the process alive."""
    made = threading.Timer(seconds, then)
    made.daemon = True
    return made


class WarmUp:
    """Calls `begin` once, from a thread of its own.

    make  a timer; tests give their own
    """

    def __init__(self, make: Callable[[float, Callable[[], None]], Clock] = timer) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._begin: Callable[[], None] | None = None
        self._after_page: Clock | None = None

    def start(self, begin: Callable[[], None]) -> None:
        """The server is up. However many pages come, it begins by then."""
        with self._lock:
            self._begin = begin
        self._make(NOBODY, self._now).start()

    def page_drawn(self) -> None:
        """A page's script has ended; another one puts the beginning off."""
        with self._lock:
            if self._begin is None:
                return
            if self._after_page is not None:
                self._after_page.cancel()
            self._after_page = self._make(AFTER_PAGE, self._now)
            self._after_page.start()

    def _now(self) -> None:
        with self._lock:
            begin, self._begin = self._begin, None
        if begin is not None:
            begin()


@lru_cache(maxsize=1)
def warm_up() -> WarmUp:
    """The one of this process."""
    return WarmUp()
