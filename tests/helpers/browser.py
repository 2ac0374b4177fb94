"""A real server and a real Chromium, for the tests of pages.

One browser and at most two servers, each on a port and in a home of its own, run for all tests of
a process: `server` runs models if it can, `recorded_server` only shows recordings and is up in a
third of the time. Their fixtures are known everywhere: see `pytest_plugins` in conftest.py.

Every wait is on the state of the page, with a limit from helpers.patience. A test ends by asserting
that the browser's console had no error and that the server printed no traceback.
"""

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from helpers.patience import Wait, patience
from helpers.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
LAB = "lab" if (ROOT / "app/screens/home.py").exists() else ""
CHROMIUM = Path("/usr/bin/chromium")
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
        with urllib.request.urlopen(
            f"http://127.0.0.1:{self.port}/{path}", timeout=patience()
        ) as answer:
            return str(answer.read().decode())

    def tracebacks(self) -> list[str]:
        """What the server printed about exceptions."""
        return [x[:3000] for x in self.log.read_text().split("Traceback")[1:]]

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(patience(10))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(patience(10))


def start_server(folder: Path, port: int | None = None, **changes: str) -> Server:
    """Start the app, on a free port unless one is given; it answers when this returns."""
    from environment import environment
    from speculation.pairs import weights

    port = port or free_port()
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
        "SPECULATE_THREADS": "1",  # the other core runs other tests
        "SPECULATE_LIVE": str(live).lower(),
        "PYTHONPATH": str(ROOT / "app"),
    }
    log = folder / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(Path(sys.executable).with_name("streamlit")), "run", "app/server.py",
             "--server.port", str(port), "--server.fileWatcherType", "none"],
            cwd=ROOT, env=env | changes, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    server = Server(port, live and changes.get("SPECULATE_LIVE") != "false", log, process)
    wait = Wait()
    while True:
        try:
            server.get("healthz")
            return server
        except OSError:
            if process.poll() is not None or wait.over():
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


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The app with models, if they are installed."""
    with tempfile.TemporaryDirectory(prefix="speculate-") as folder:
        running = start_server(Path(folder))
        yield running
        running.end()


@pytest.fixture(scope="session")
def recorded_server() -> Iterator[Server]:
    """The app on recordings, as it runs without models; with a database of its own."""
    with tempfile.TemporaryDirectory(prefix="speculate-recorded-") as folder:
        database = f"sqlite:///{folder}/learners.sqlite"
        running = start_server(
            Path(folder), SPECULATE_LIVE="false", SPECULATE_DATABASE_URL=database
        )
        yield running
        running.end()


@pytest.fixture(scope="session")
def playwright_browser() -> Iterator[Any]:
    """Chromium; each visitor has a context of their own in it, without a past."""
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


AT_REST = """() => {
  const app = document.querySelector("[data-testid=stApp]");
  return app && app.dataset.testScriptState === "notRunning"
    && !document.querySelector("[data-stale=true], [data-testid=stSkeleton]");
}"""

WHOLE_RUN = """() => {
  if (document.querySelector("[data-testid=stException]")) return true;
  const app = document.querySelector("[data-testid=stApp]");
  if (!app || app.dataset.testScriptState !== "notRunning") return false;
  if (document.querySelector("[data-testid=stProgress], [data-stale=true]")) return false;
  const roots = [...document.querySelectorAll("*")].map((x) => x.shadowRoot).filter(Boolean);
  const stepper = roots.map((x) => x.querySelector(".stepper")).find(Boolean);
  return Boolean(stepper) && !stepper.hasAttribute("data-streaming")
    && Boolean(stepper.querySelector(".where").textContent);
}"""

# What a page says, in open shadow roots too: when it changes, something is on its way.
SAYS = """() => {
  const said = (root) => [root.textContent, ...[...root.querySelectorAll("*")]
    .filter((x) => x.shadowRoot).map((x) => said(x.shadowRoot))].join(" ");
  return said(document.documentElement);
}"""
LOOK_AGAIN = 3.0  # seconds between two looks at whether a page that is waited for still moves


class Visitor:
    """Somebody with a browser of their own; what goes wrong in it is noted.

    expected  parts of what the console may say: Chromium writes down every request that fails
    """

    def __init__(self, context: Any, expected: Sequence[str] = ()) -> None:
        self.context = context
        self.expected = list(expected)
        self.errors: list[str] = []
        context.set_default_timeout(patience() * 1000)
        self.page = self.tab()

    def tab(self) -> Any:
        """One more tab."""
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.errors.append((error.stack or str(error))[:1500]))
        page.on("console", lambda m: self.errors.append(m.text) if self._counts(m) else None)
        return page

    def _counts(self, message: Any) -> bool:
        return message.type == "error" and not any(x in message.text for x in self.expected)

    def wait_for(self, script: str, what: str) -> None:
        """Wait for something on the page, and as long as the page moves; say what is there instead.

        A live run on a busy machine may take any time, but its tokens go on coming.
        """
        from playwright.sync_api import TimeoutError

        wait, seen = Wait(), ""
        while True:
            with suppress(TimeoutError):
                self.page.wait_for_function(script, timeout=LOOK_AGAIN * 1000)
                return
            there = self._says()
            if there != seen:
                wait.renew()
            assert not wait.over(), f"waited for {what} on {self.there()!r}"
            seen = there

    def _says(self) -> str:
        from playwright.sync_api import Error

        try:
            return str(self.page.evaluate(SAYS))
        except Error as on_its_way:  # to another address, for instance
            return str(on_its_way)

    def wait(self, condition: Callable[[], object]) -> Self:
        """Wait for a condition that is asked for from here."""
        wait = Wait()
        while not condition():
            assert not wait.over(), f"waited for {condition} on {self.there()!r}"
            self.page.wait_for_timeout(30)  # the page's messages are read meanwhile
        return self

    def there(self) -> str:
        """What can be read on the page."""
        return str(self.page.inner_text("body")[:2000])

    def press(self, *keys: str) -> Self:
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def no_sideways_scroll(self) -> bool:
        """Whether nothing is wider than the window."""
        return bool(
            self.page.evaluate(
                """() => [document.documentElement, document.querySelector("[data-testid=stMain]")]
                  .every((x) => !x || x.scrollWidth <= x.clientWidth)"""
            )
        )


def page_alone(
    browser: Any, addresses: str, serve: Callable[[Any], None], options: dict[str, Any]
) -> Iterator[Any]:
    """A page that no server stands behind: `serve` answers. Ends without errors."""
    visitor = Visitor(browser.new_context(**options))
    visitor.page.route(addresses, serve)
    yield visitor.page
    visitor.context.close()
    assert visitor.errors == []


class Lab(Visitor):
    """The Lab in one browser context, as one visitor sees it."""

    def __init__(self, server: Server, context: Any) -> None:
        self.server = server
        super().__init__(context)

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
        self.wait_for(WHOLE_RUN, "a whole run")
        assert self.page.get_by_test_id("stException").count() == 0, self.said()
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
