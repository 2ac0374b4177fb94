"""How long a test waits before it gives up: longer where, and while, the machine is slow.

A test waits for a state, never for a time. The limit is there only so that what never comes is a
failure and not a hang, so it may be generous; but no fixed number is generous on a machine that
compiles something else beside the tests. So the machine is timed at a small piece of work on all
its cores, when the first wait needs it and again when a wait comes to its limit: a machine that
has become busy meanwhile gets more time before the test is called failed.
"""

import os
import threading
import zlib
from collections.abc import Callable
from time import monotonic, perf_counter, sleep  # by name: some tests put another clock in `time`

LEAST = 30.0  # seconds until a wait gives up on a quiet machine
SLOWEST = 10.0  # a machine may take so many times as long; beyond, something is broken
USUAL = 0.037  # seconds that the work takes on a quiet core of 2024
FRESH = 20.0  # seconds for which a measurement is believed

_WORK = " ".join(str(i * 7919 % 10_007) for i in range(50_000)).encode()
_lock = threading.Lock()
_measured = (float("-inf"), 1.0)  # when, and what it was


def measure() -> float:
    """How many times as long as usual this machine takes now, for work on every core at once."""

    def work() -> None:
        for _ in range(2):
            zlib.compress(_WORK, 6)  # without the interpreter's lock: so on all cores at once

    threads = [threading.Thread(target=work) for _ in range(os.cpu_count() or 1)]
    begun = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (perf_counter() - begun) / USUAL


def slowness(fresh: float = FRESH) -> float:
    """The same, not below 1; measured at most `fresh` seconds ago."""
    global _measured
    with _lock:
        when, found = _measured
        if monotonic() - when > fresh:
            found = min(SLOWEST, max(1.0, measure()))
            _measured = (monotonic(), found)
        return found


def patience(seconds: float = LEAST) -> float:
    """The limit of a wait that would have `seconds` on a quiet machine: never less than these."""
    return seconds * slowness()


class Wait:
    """One wait: whether it has been too long. Its limit is measured again before it says so."""

    def __init__(self, seconds: float = LEAST) -> None:
        self.seconds = seconds
        self.begun = self._since = monotonic()

    def over(self) -> bool:
        """Whether to give up, given how slow the machine is now."""
        gone = monotonic() - self._since
        if gone < self.seconds:
            return False
        return gone >= self.seconds * slowness(fresh=2.0) or self._too_long()

    def renew(self) -> None:
        """Something moved: what is waited for is on its way, so wait as long again."""
        self._since = monotonic()

    def _too_long(self) -> bool:
        """Whatever moves: a page that never comes to rest is a failure too."""
        return monotonic() - self.begun >= self.seconds * SLOWEST


def until(
    condition: Callable[[], object],
    what: str | Callable[[], str],
    pause: float = 0.01,
    seconds: float = LEAST,
) -> None:
    """Ask again and again until it is so; an AssertionError says what was waited for.

    pause  seconds between two questions: what is asked has no way to call back
    """
    wait = Wait(seconds)
    while not condition():
        assert not wait.over(), f"waited for {what if isinstance(what, str) else what()}"
        sleep(pause)
