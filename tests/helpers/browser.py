"""A real server and a real Chromium, for the tests of pages.

One server runs for all tests, on a port and in a home of its own. A test file takes the fixtures
by importing them:

    from browser import Lab, open_lab, playwright_browser, server  # noqa: F401

Every wait is on the state of the page. A test ends by asserting that the browser's console had no
error and that the server printed no traceback.
"""

import os
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAB = "lab" if (ROOT / "app/screens/home.py").exists() else ""
CHROMIUM = Path("/usr/bin/chromium")
PATIENCE = 30.0  # seconds until a wait gives up: a busy machine is slow, not broken
OPTIONS = ["--no-sandbox", "--disable-gpu"]


@dataclass
class Server:
    """A running app. `live`: whether it can run models."""

    port: int
    live: bool
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """Where the Lab is."""
        return f"http://127.0.0.1:{self.port}/{LAB}"

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=10) as answer:
            return str(answer.read().decode())

    def tracebacks(self) -> list[str]:
        """What the server printed about exceptions."""
        return [x[:3000] for x in self.log.read_text().split("Traceback")[1:]]

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)


def start_server(folder: Path, **changes: str) -> Server:
    """Start the app; it answers when this returns."""
    from environment import environment
    from speculation.pairs import weights

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    try:
        weights.converted(environment().cache_dir)
        live = True
    except weights.WeightsMissing as missing:
        if os.environ.get("CI") == "true":
            pytest.fail(f"in CI the pages are tested with live models: {missing}", pytrace=False)
        live = False
    env = os.environ | {
        "HOME": str(folder),  # no settings of whoever runs the tests
        "SPECULATE_CACHE_DIR": str(environment().cache_dir),
        "SPECULATE_THREADS": "2",
        "SPECULATE_LIVE": str(live).lower(),
        "PYTHONPATH": str(ROOT / "app"),
    }
    log = folder / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(Path(os.sys.executable).with_name("streamlit")), "run", "app/server.py",
             "--server.port", str(port), "--server.fileWatcherType", "none"],
            cwd=ROOT, env=env | changes, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    server = Server(port, live and changes.get("SPECULATE_LIVE") != "false", log, process)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            server.get("healthz")
            return server
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                server.end()
                pytest.fail(f"the app did not start:\n{log.read_text()[-3000:]}", pytrace=False)
            time.sleep(0.1)  # between two questions; there is no page yet to wait on


def settle(page: Any) -> None:
    """Wait for what moves on a page and ends, two seconds at most.

    What never ends, such as a spinner, would be waited for without any limit of Playwright's.
    """
    page.evaluate(
        """() => Promise.race([
            new Promise((done) => setTimeout(done, 2000)),
            Promise.allSettled(document.getAnimations()
                .filter((x) => x.effect?.getComputedTiming().endTime !== Infinity)
                .map((x) => x.finished)),
        ]).then(() => null)"""
    )


_SERVER = pytest.StashKey[Server]()


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Server:
    """The one server of this session: a fixture imported twice would be made twice."""
    stash = request.config.stash
    if _SERVER not in stash:
        folder = tempfile.TemporaryDirectory(prefix="speculate-")
        stash[_SERVER] = start_server(Path(folder.name))
        request.config.add_cleanup(folder.cleanup)
        request.config.add_cleanup(stash[_SERVER].end)
    return stash[_SERVER]


@pytest.fixture(scope="module")
def playwright_browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        _unavailable(f"the pages are tested in Chromium, and there is none at {CHROMIUM}")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _unavailable("the pages are tested in Chromium, and playwright is not installed")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=OPTIONS)
        yield chromium
        chromium.close()


def _unavailable(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(f"in CI no test may be skipped: {reason}", pytrace=False)
    pytest.skip(reason)


READY = """() => {
  if (document.querySelector("[data-testid=stException]")) return true;
  const app = document.querySelector("[data-testid=stApp]");
  if (!app || app.dataset.testScriptState !== "notRunning") return false;
  if (document.querySelector("[data-testid=stProgress], [data-stale=true]")) return false;
  const roots = [...document.querySelectorAll("*")].map((x) => x.shadowRoot).filter(Boolean);
  const stepper = roots.map((x) => x.querySelector(".stepper")).find(Boolean);
  return Boolean(stepper) && !stepper.hasAttribute("data-streaming")
    && Boolean(stepper.querySelector(".where").textContent);
}"""


class Lab:
    """The Lab in one browser context, as one visitor sees it."""

    def __init__(self, server: Server, context: Any) -> None:
        self.server = server
        self.context = context
        context.set_default_timeout(PATIENCE * 1000)
        self.page = context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)

    # Going somewhere and waiting until it is there ---------------------------------------------

    def open(self, query: dict[str, Any] | str = "", wait: bool = True) -> "Lab":
        """Open the Lab with a query, or a whole address."""
        text = query if isinstance(query, str) else "?" + urlencode(query)
        self.page.goto(text if text.startswith("http") else self.server.url + text)
        if wait:
            self.ready()
        return self

    def ready(self) -> "Lab":
        """Wait until a whole run is on the page, and the page is at rest."""
        self._wait_for(READY, "a whole run")
        return self

    def _wait_for(self, script: str, what: str) -> None:
        """Wait for something on the page; say what is there instead."""
        from playwright.sync_api import TimeoutError

        try:
            self.page.wait_for_function(script)
        except TimeoutError:
            there = self.page.get_by_test_id("stApp").inner_text()[:2000]
            log = self.server.log.read_text()[-1500:]
            raise AssertionError(f"waited for {what} on {there!r}\n{log}") from None
        assert self.page.get_by_test_id("stException").count() == 0, self.said()

    def wait(self, condition: Callable[[], bool]) -> "Lab":
        """Wait for a condition that is asked for from here."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"waited for {condition}: {self.said()}"
            self.page.wait_for_timeout(30)
        return self

    def streaming(self) -> "Lab":
        """Wait until some of a live run is on the page."""
        self.page.locator(".stepper[data-streaming] .tokens [role=option]").first.wait_for()
        return self

    # What is on the page -----------------------------------------------------------------------

    def badge(self) -> str:
        return str(self.page.get_by_test_id("stMarkdownContainer").locator(
            "[class*=stMarkdownBadge], .stMarkdownBadge").first.inner_text())  # fmt: skip

    def tokens(self) -> list[str]:
        return list(self.page.locator(".tokens [role=option]").all_text_contents())

    def text(self) -> str:
        return "".join(self.tokens())

    def cursor(self) -> tuple[int, str, int]:
        """Where the stepper stands, from the address: cycle and position count from 1 there."""
        query = self.query()
        return int(query["cycle"]), query["stage"], int(query["position"])

    def query(self) -> dict[str, str]:
        found = parse_qs(urlsplit(self.page.url).query, keep_blank_values=True)
        return {name: values[-1] for name, values in found.items()}

    def said(self) -> list[str]:
        """Every message on the page: complaints, warnings, exceptions."""
        return list(
            self.page.locator("[data-testid=stAlert], [data-testid=stException]").all_inner_texts()
        )

    def laws_title(self) -> str:
        return str(self.page.get_by_role("heading", name="token").first.inner_text())

    # Doing something ---------------------------------------------------------------------------

    def press(self, *keys: str) -> "Lab":
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)

    def preset(self, title: str) -> "Lab":
        self.page.get_by_role("radio", name=title, exact=True).click()
        return self

    def type_prompt(self, text: str) -> "Lab":
        """Fill the prompt and leave it, so that the server hears of it."""
        box = self.page.get_by_label("Prompt", exact=True)
        box.fill(text)
        box.press("Control+Enter")
        return self

    def slide(self, label: str, *keys: str) -> "Lab":
        """Move a slider by keys."""
        thumb = self.page.get_by_role("slider", name=label)
        thumb.focus()
        for key in keys:
            thumb.press(key)
        return self

    def no_sideways_scroll(self) -> bool:
        """Whether nothing is wider than the window."""
        return bool(
            self.page.evaluate(
                """() => [document.documentElement, document.querySelector("[data-testid=stMain]")]
                  .every((x) => x.scrollWidth <= x.clientWidth)"""
            )
        )


Opener = Callable[..., Lab]


@pytest.fixture
def open_lab(server: Server, playwright_browser: Any) -> Iterator[Opener]:
    """Opens the Lab in a context of its own; options are Playwright's. Ends without errors."""
    labs: list[Lab] = []

    def opener(query: dict[str, Any] | str = "", wait: bool = True, **options: Any) -> Lab:
        options.setdefault("viewport", {"width": 1280, "height": 900})
        lab = Lab(server, playwright_browser.new_context(**options))
        labs.append(lab)
        return lab.open(query, wait)

    yield opener
    errors = [error for lab in labs for error in lab.errors]
    for lab in labs:
        lab.context.close()
    assert errors == []
    assert server.tracebacks() == []
