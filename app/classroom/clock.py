"""The time of day, which never jumps while the server runs.

A machine's clock is set right now and then: by minutes after a start, by hours if somebody had it
wrong. A class that ends in 24 hours must not end because of that, so the time of day is read once,
and what has passed since comes from a clock that only counts.
"""

import time
from datetime import UTC, datetime, timedelta


def _counted() -> float:
    """Seconds since some moment, time asleep included where the system tells."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


class Clock:
    """Call it for the present moment, in UTC."""

    def __init__(self) -> None:
        self._start = datetime.now(UTC)
        self._since = _counted()

    def __call__(self) -> datetime:
        return self._start + timedelta(seconds=_counted() - self._since)
