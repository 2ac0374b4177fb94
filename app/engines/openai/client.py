"""Asking a server over HTTP, patiently: time-outs, retries, a rate limit, clear sentences.

What may pass by itself (no connection, a time-out, 429, 5xx, half an answer, an answer that is no
JSON) is tried again, after twice as long each time, up to a limit, with jitter so that parallel
requests spread out; a Retry-After of the server is obeyed. What will not (400, 401, 404, a redirect
elsewhere) is not. The key comes from the environment and goes into one header, nowhere else.

Source: exponential back-off with jitter, Brooker, "Exponential Backoff And Jitter", AWS (2015);
Retry-After, RFC 9110, section 10.2.3.
"""

import json
import os
import random
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2

from engines.base import EngineUnavailable

KEY_VARIABLE = "SPECULATE_AUDIT_KEY"
MOST_BYTES = 16_000_000  # of one answer
LONGEST_WAIT = 60.0  # seconds between two tries, whatever Retry-After says
PASSES_BY_ITSELF = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True)
class Patience:
    """How long to wait, and how often to try.

    timeout   seconds for one whole answer
    tries     how often a request is made at most
    backoff   seconds before the second try; doubled for each further one
    rate      requests a second at most, over all threads; 0: no limit
    parallel  requests in work at once at most
    """

    timeout: float = 120.0
    tries: int = 5
    backoff: float = 0.5
    rate: float = 0.0
    parallel: int = 4


class Refused(EngineUnavailable):
    """The server understood and said no (a 4xx that will not pass); `status` says which."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Passing(Exception):
    """What may be better at the next try; `after` is what the server asked to wait, in seconds."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


class Client:
    """One server's API, by its base address; may be used from several threads.

    Raises EngineUnavailable for an address that is none.
    """

    def __init__(self, base_url: str, patience: Patience | None = None) -> None:
        self.base = checked_address(base_url)
        self.patience = patience or Patience()
        self.stopped = threading.Event()
        key = os.environ.get(KEY_VARIABLE, "")
        self._key = key.strip()
        self._http = httpx2.Client(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=self.patience.timeout,
            follow_redirects=False,
        )
        self._lock = threading.Lock()
        self._next = 0.0

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send JSON -> the answer's object. Raises EngineUnavailable, Refused."""
        return self._patiently("POST", path, body)

    def get(self, path: str) -> dict[str, Any]:
        """Ask -> the answer's object. Raises EngineUnavailable, Refused."""
        return self._patiently("GET", path, None)

    def close(self) -> None:
        """End waiting requests, and let go of connections."""
        self.stopped.set()
        self._http.close()

    def _patiently(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        tries = self.patience.tries
        for attempt in range(1, tries + 1):
            self._wait_for_turn()
            try:
                return self._once(method, f"{self.base}{path}", body)
            except _Passing as problem:
                said = self._without_key(str(problem))
                if attempt == tries:
                    times = "" if tries == 1 else f" ({tries} tries)"
                    raise EngineUnavailable(f"{said}{times}") from None
                self._sleep(self._pause(attempt, problem.after), said)
        raise AssertionError("tries is at least 1")

    def _once(self, method: str, url: str, body: dict[str, Any] | None) -> dict[str, Any]:
        ends = time.monotonic() + self.patience.timeout
        try:
            with self._http.stream(method, url, json=body) as answer:
                raw = b""
                for part in answer.iter_bytes():
                    raw += part
                    if len(raw) > MOST_BYTES:
                        raise EngineUnavailable(
                            f"{url} sent more than {MOST_BYTES // 10**6} MB in one answer."
                        )
                    if time.monotonic() > ends:
                        raise _Passing(self._too_slow(url))
        except httpx2.ConnectError as error:
            raise _Passing(f"Nothing answers at {url}: is the server running? ({error})") from error
        except httpx2.TimeoutException as error:
            raise _Passing(self._too_slow(url)) from error
        except (httpx2.NetworkError, httpx2.RemoteProtocolError) as error:
            raise _Passing(f"{url} broke off in the middle of an answer ({error}).") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, RuntimeError) as error:
            raise EngineUnavailable(f"{url} cannot be asked: {error}") from error
        return self._read(url, answer, raw)

    def _read(self, url: str, answer: httpx2.Response, raw: bytes) -> dict[str, Any]:
        """The object in an answer; what its status means otherwise."""
        status, text = answer.status_code, raw.decode(errors="replace")
        if 300 <= status < 400:
            raise Refused(status, _redirected(url, answer.headers.get("location", "")))
        if status in PASSES_BY_ITSELF:
            after = seconds_of(answer.headers.get("retry-after"))
            raise _Passing(f"{url} answered {status}: {shortened(text)}", after)
        if status in (401, 403):
            key = "another key in" if self._key else "a key: set"
            raise Refused(status, f"{url} answered {status}: it wants {key} {KEY_VARIABLE}.")
        if status != 200:
            raise Refused(status, self._without_key(f"{url} answered {status}: {shortened(text)}"))
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _Passing(f"{url} answered with what is no JSON: {shortened(text)}") from error
        if not isinstance(found, dict):
            raise _Passing(f"{url} answered with no JSON object: {shortened(text)}")
        return found

    def _wait_for_turn(self) -> None:
        """Keep to the rate limit, over all threads."""
        if self.patience.rate <= 0.0:
            return
        with self._lock:
            now = time.monotonic()
            mine = max(now, self._next)
            self._next = mine + 1.0 / self.patience.rate
        self._sleep(mine - now, "waiting for its turn")

    def _pause(self, attempt: int, after: float | None) -> float:
        doublings = min(attempt - 1, 100)  # beyond a thousand there is no such number
        longest = min(LONGEST_WAIT, self.patience.backoff * 2.0**doublings)
        jittered = random.uniform(0.5, 1.0) * longest
        return jittered if after is None else min(LONGEST_WAIT, after) + jittered

    def _sleep(self, seconds: float, doing: str) -> None:
        if seconds > 0.0 and self.stopped.wait(seconds):
            raise EngineUnavailable(f"Stopped while trying again: {doing}")

    def _too_slow(self, url: str) -> str:
        return f"{url} gave no whole answer within {self.patience.timeout:g} s."

    def _without_key(self, text: str) -> str:
        """A server may repeat what it was sent; the key must not go on from there."""
        return text.replace(self._key, "[key]") if self._key else text


def checked_address(address: str) -> str:
    """A base address ready for a path to be added, "http://host:8000/v1".

    Raises EngineUnavailable for one that is none, or holds a password.

    >>> checked_address("http://localhost:8000"), checked_address("http://a/v1/completions")
    ('http://localhost:8000/v1', 'http://a/v1')
    """
    try:
        parts = urlsplit(address.strip())
        _ = parts.port
    except ValueError as error:
        raise EngineUnavailable(f"{address!r} is no address: {error}.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise EngineUnavailable(f"{address!r} is no address: it should read http://host:8000/v1.")
    if parts.username or parts.password or parts.query:
        raise EngineUnavailable(
            f"Put no password or query into the address; a key goes into {KEY_VARIABLE}."
        )
    path = parts.path.rstrip("/").removesuffix("/completions")
    return f"{parts.scheme}://{parts.netloc}{path or '/v1'}"


def seconds_of(header: str | None) -> float | None:
    """Retry-After in seconds: a number, or the time of day; None if it says nothing.

    >>> seconds_of("3"), seconds_of("soon"), seconds_of("Fri, 31 Dec 1999 23:59:59 GMT")
    (3.0, None, 0.0)
    """
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(header)
    except (ValueError, TypeError):
        return None
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def shortened(text: str, most: int = 200) -> str:
    """The beginning of an answer, on one line.

    >>> shortened("one\\n two"), shortened("")
    ('one two', '(nothing)')
    """
    line = " ".join(text.split())
    return (line[:most] + " …" if len(line) > most else line) or "(nothing)"


def _redirected(url: str, location: str) -> str:
    here, there = urlsplit(url).netloc, urlsplit(location).netloc
    if there and there != here:
        return (
            f"{url} redirects to another host, {there}. Nothing was sent there: give that address "
            "yourself if it is the right one."
        )
    return f"{url} redirects to {location or 'nowhere'}: give that address."
