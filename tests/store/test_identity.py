"""The cookie, and the two routes that change it. The ASGI calls are made by hand: no server."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from store.identity import COOKIE, LearnerCookie, identity_routes, learner_of
from store.learners import Store

ME = "m" * 32
PAGE = {"sec-fetch-dest": "document", "host": "site.example"}
POST = {
    "host": "site.example",
    "origin": "https://site.example",
    "content-type": "application/x-www-form-urlencoded",
}


@dataclass
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: str

    def get(self, name: str) -> str | None:
        found = [value for key, value in self.headers if key == name]
        assert len(found) <= 1
        return found[0] if found else None

    @property
    def learner(self) -> str | None:
        cookie = (self.get("set-cookie") or "").split(";")[0]
        return learner_of({"type": "http", "headers": [(b"cookie", cookie.encode())]})


@pytest.fixture
def store() -> Iterator[Store]:
    opened = Store("sqlite://")
    yield opened
    opened.close()


@pytest.fixture
def app(store: Store) -> Starlette:
    async def page(request: Request) -> PlainTextResponse:
        return PlainTextResponse("page", 404 if request.url.path == "/none" else 200)

    routes = [*identity_routes(lambda: store), Route("/{path:path}", page)]
    return Starlette(routes=routes, middleware=[Middleware(LearnerCookie)])


def ask(
    app: Any,
    method: str,
    path: str,
    headers: dict[str, str],
    body: str = "",
    scheme: str = "http",
) -> Answer:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body.encode(), "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "scheme": scheme,
        "headers": [(k.encode(), v.encode("latin-1")) for k, v in headers.items()],
    }
    # In a thread of its own: where a browser is open, this thread has a running loop.
    with start_blocking_portal() as portal:
        portal.call(app, scope, receive, send)
    start = sent[0]
    headers_out = [(k.decode(), v.decode()) for k, v in start["headers"]]
    text = b"".join(message.get("body", b"") for message in sent[1:]).decode()
    return Answer(start["status"], headers_out, text)


def test_a_first_page_brings_a_cookie_that_scripts_cannot_read(app: Starlette) -> None:
    answer = ask(app, "GET", "/", PAGE)
    assert answer.learner is not None
    cookie = answer.get("set-cookie") or ""
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert answer.get("cache-control") == "no-store"
    assert ask(app, "GET", "/", PAGE).learner != answer.learner


def test_behind_https_the_cookie_is_secure(app: Starlette) -> None:
    assert "Secure" in (ask(app, "GET", "/", PAGE, scheme="https").get("set-cookie") or "")
    forwarded = {**PAGE, "x-forwarded-proto": "https"}
    assert "Secure" in (ask(app, "GET", "/", forwarded).get("set-cookie") or "")


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/", {**PAGE, "cookie": f"other=1; {COOKIE}={ME}"}),
        # Malformed ones of other programs on the host: the standard library would drop them all.
        ("GET", "/", {**PAGE, "cookie": f'seen={{"a": 1}}; {COOKIE}={ME}'}),
        ("GET", "/", {**PAGE, "cookie": f"two words=x; {COOKIE}={ME}"}),
        ("GET", "/a.js", {"sec-fetch-dest": "script"}),
        ("GET", "/healthz", {"accept": "*/*"}),
        ("GET", "/none", PAGE),
        ("HEAD", "/", PAGE),
    ],
)
def test_no_cookie_is_set_where_none_is_due(
    app: Starlette, method: str, path: str, headers: dict[str, str]
) -> None:
    assert ask(app, method, path, headers).get("set-cookie") is None


@pytest.mark.parametrize("value", ["", "short", "x" * 33, "é" * 32, '"' * 32, "a b" * 11])
def test_a_cookie_that_was_not_made_here_is_replaced(app: Starlette, value: str) -> None:
    assert ask(app, "GET", "/", {**PAGE, "cookie": f"{COOKIE}={value}"}).learner is not None


def test_resume_sets_the_cookie_of_the_code(app: Starlette, store: Store) -> None:
    code = store.resume_code(ME).upper().replace("-", "%20")
    answer = ask(app, "POST", "/learner/resume", POST, f"code={code}&next=/lessons")
    assert (answer.status, answer.get("location"), answer.learner) == (303, "/lessons", ME)


def test_resume_as_json(app: Starlette, store: Store) -> None:
    headers = {**POST, "content-type": "application/json", "accept": "application/json"}
    body = json.dumps({"code": store.resume_code(ME)})
    answer = ask(app, "POST", "/learner/resume", headers, body)
    assert answer.learner == ME
    assert json.loads(answer.body) == {"ok": True, "next": "/"}
    wrong = ask(app, "POST", "/learner/resume", headers, '{"code": "bcdfghjkm"}')
    assert (wrong.status, wrong.learner) == (404, None)
    assert "Check the letters" in json.loads(wrong.body)["message"]


def test_start_again_is_a_new_learner_and_the_old_one_stays(app: Starlette, store: Store) -> None:
    store.record(ME, "q1", "lesson", "a", True)
    code = store.resume_code(ME)
    headers = {**POST, "cookie": f"{COOKIE}={ME}"}
    answer = ask(app, "POST", "/learner/start-again", headers, "")
    assert answer.status == 303
    assert answer.learner not in (None, ME)
    assert store.answers(str(answer.learner)) == {}
    assert store.find(code) == ME


@pytest.mark.parametrize("route", ["/learner/resume", "/learner/start-again"])
@pytest.mark.parametrize(
    "origin",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "https://site.example.evil.example"},
        {"origin": "https://evil.example/site.example"},
        {"origin": "", "sec-fetch-site": "cross-site"},
        {"origin": ""},
    ],
)
def test_another_site_cannot_change_who_one_is(
    app: Starlette, store: Store, route: str, origin: dict[str, str]
) -> None:
    body = f"code={store.resume_code(ME)}"
    answer = ask(app, "POST", route, {**POST, **origin}, body)
    assert (answer.status, answer.learner) == (403, None)
    got = ask(app, "GET", f"{route}?{body}", {**PAGE, "cookie": f"{COOKIE}={'y' * 32}"})
    assert got.learner is None


def test_a_proxy_may_say_the_outer_name(app: Starlette) -> None:
    headers = {**POST, "host": "inner:8501", "x-forwarded-host": "site.example"}
    assert ask(app, "POST", "/learner/start-again", headers).status == 303
    alone = {**POST, "origin": "", "sec-fetch-site": "same-origin"}
    assert ask(app, "POST", "/learner/start-again", alone).status == 303


@pytest.mark.parametrize(
    "target", ["//evil.example", "/\\evil.example", "https://evil.example", "x", "/a\r\nb: c"]
)
def test_the_redirect_stays_on_this_site(app: Starlette, target: str) -> None:
    headers = {**POST, "content-type": "application/json"}
    answer = ask(app, "POST", "/learner/start-again", headers, json.dumps({"next": target}))
    assert answer.get("location") == "/"


@pytest.mark.parametrize("body", ["[1]", "{", "x" * 5000])
def test_a_form_that_cannot_be_read_is_refused(app: Starlette, body: str) -> None:
    headers = {**POST, "content-type": "application/json"}
    assert ask(app, "POST", "/learner/resume", headers, body).status == 400


def test_codes_cannot_be_guessed_in_a_hurry(app: Starlette, store: Store) -> None:
    for _ in range(30):
        assert ask(app, "POST", "/learner/resume", POST, "code=bcdfghjkm").status == 404
    assert ask(app, "POST", "/learner/resume", POST, "code=bcdfghjkm").status == 429


def test_without_a_cookie_the_id_lasts_as_long_as_the_session() -> None:
    from streamlit.testing.v1 import AppTest

    def script() -> None:
        import streamlit as st

        from store.streamlit_identity import learner_id

        st.text(learner_id())

    app = AppTest.from_function(script).run()
    first = app.text[0].value
    assert len(first) == 32
    assert app.run().text[0].value == first
    assert AppTest.from_function(script).run().text[0].value != first
