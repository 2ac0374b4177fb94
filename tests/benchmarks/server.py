"""The app as a person starts it, on a free port, and a browser to look at it."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.report import ROOT

CHROMIUM = "/usr/bin/chromium"
PROBE = Path(__file__).with_name("probe.js")


@contextmanager
def served() -> Iterator["Server"]:
    """`make run` on a free port, ended afterwards with everything it started."""
    server = Server()
    try:
        yield server
    finally:
        server.stop()


class Server:
    """`make run`; `began` is when it was typed."""

    def __init__(self) -> None:
        if not (ROOT / ".venv" / "bin" / "streamlit").exists():
            raise SystemExit("Run `make install` first: a start with set-up is not measured.")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            # -o: what is installed stays as it is, also where a list of packages is newer.
            ["make", "-o", ".venv/.ready", "run", "HOST=127.0.0.1", f"PORT={port}"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a group of its own, so that all of it can be ended
        )

    @property
    def pid(self) -> int:
        """The process that was started; the server is one of its children."""
        return self._process.pid

    def models(self) -> str | None:
        """What /healthz says of the models; None while nobody answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2) as answer:
                return str(json.load(answer)["models"])
        except OSError:
            return None

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.began

    def wait(self, states: set[str], seconds: float = 180.0) -> float:
        """Wait until the models are in one of these states -> seconds since the start."""
        while self.elapsed() < seconds:
            if self._process.poll() is not None:
                raise SystemExit("`make run` ended by itself; try it by hand.")
            if self.models() in states:
                return self.elapsed()
            time.sleep(0.05)
        raise SystemExit(f"after {seconds:.0f} s the models were not {' or '.join(states)}")

    def stop(self) -> None:
        """End the group that was started here."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait(timeout=30)


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium, already started."""
    from playwright.sync_api import sync_playwright

    if not Path(CHROMIUM).exists():
        raise SystemExit(f"{CHROMIUM} is needed for this part (see README).")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield running
        finally:
            running.close()


def new_page(running: Any) -> Any:
    """A page with the probe in it."""
    page = running.new_page(viewport={"width": 1440, "height": 1000})
    page.set_default_timeout(60_000)
    page.add_init_script(path=str(PROBE))
    return page
