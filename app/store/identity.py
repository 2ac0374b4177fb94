"""Who is who: a random id in a cookie that no script can read and no link carries.

The middleware gives the cookie with the first page, so it is there when the page's websocket
opens. "Resume" and "start again" change it, which only a response can: they are POST routes, and
refuse a request that another site made a browser send.
"""

import json
import time
from collections import deque
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from store.codes import is_learner_id, new_learner_id
from store.learners import Store

COOKIE = "speculate_learner"
YEAR_SECONDS = 365 * 24 * 3600
LONGEST_FORM = 2_000
TRIES_PER_MINUTE = 30


class LearnerCookie:
    """ASGI middleware: a browser that asks for a page and has no id gets one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _wants_page(scope) or learner_of(scope) is not None:
            await self.app(scope, receive, send)
            return
        cookie = cookie_header(new_learner_id(), secure=is_secure(scope))

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                headers = MutableHeaders(scope=message)
                headers.append("set-cookie", cookie)
                headers["cache-control"] = "no-store"  # a kept copy would give its id to others
            await send(message)

        await self.app(scope, receive, send_with_cookie)


def learner_of(scope: Scope) -> str | None:
    """The id that a request or websocket carries, if it has a valid one.

    Read as browsers write cookies: one of another program on this host may be malformed.
    """
    value = HTTPConnection(scope).cookies.get(COOKIE, "")
    return value if is_learner_id(value) else None


def cookie_header(learner_id: str, secure: bool) -> str:
    """The Set-Cookie header: for this site's requests only, and out of reach of scripts."""
    parts = [
        f"{COOKIE}={learner_id}",
        f"Max-Age={YEAR_SECONDS}",
        "Path=/",
        "HttpOnly",
        "SameSite=Lax",
    ]
    return "; ".join([*parts, "Secure"] if secure else parts)


def identity_routes(get_store: Callable[[], Store]) -> list[Route]:
    """POST /learner/resume (field `code`) and POST /learner/start-again, field `next` in both.

    A browser's form is answered by a redirect to `next`; a request that accepts JSON gets JSON.
    """
    recent: deque[float] = deque(maxlen=TRIES_PER_MINUTE)

    async def resume(request: Request) -> Response:
        if not same_origin(request.headers):
            return _refused(request, "This request came from another site.", 403)
        now = time.monotonic()
        if len(recent) == TRIES_PER_MINUTE and now - recent[0] < 60.0:
            return _refused(request, "Too many codes were tried. Wait a minute.", 429)
        form = await _form(request)
        if form is None:
            return _refused(request, "The form could not be read.", 400)
        found = get_store().find(form.get("code", ""))
        if found is None:
            recent.append(now)
            return _refused(request, "No work is kept under this code. Check the letters.", 404)
        return _moved(request, form, found)

    async def start_again(request: Request) -> Response:
        if not same_origin(request.headers):
            return _refused(request, "This request came from another site.", 403)
        form = await _form(request)
        if form is None:
            return _refused(request, "The form could not be read.", 400)
        return _moved(request, form, new_learner_id())

    return [
        Route("/learner/resume", resume, methods=["POST"]),
        Route("/learner/start-again", start_again, methods=["POST"]),
    ]


def _wants_page(scope: Scope) -> bool:
    """Whether a browser asks for a page, and not for a script, a picture or a health check."""
    if scope["method"] != "GET":
        return False
    headers = Headers(scope=scope)
    kind = headers.get("sec-fetch-dest")
    return kind == "document" if kind else "text/html" in headers.get("accept", "")


def is_secure(scope: Scope) -> bool:
    forwarded = Headers(scope=scope).get("x-forwarded-proto", "").split(",")[0].strip()
    return (forwarded or scope.get("scheme")) == "https"


def same_origin(headers: Headers) -> bool:
    """Whether the page that sent this lies on this server. Browsers send Origin with every POST.

    A proxy may have changed Host; it then says the outer name in X-Forwarded-Host, which a form on
    another site cannot set.
    """
    origin = headers.get("origin")
    if not origin:
        return headers.get("sec-fetch-site") == "same-origin"
    named = urlsplit(origin).netloc.lower()
    hosts = {headers.get("host", ""), headers.get("x-forwarded-host", "").split(",")[0].strip()}
    return bool(named) and named in {host.lower() for host in hosts}


async def _form(request: Request) -> dict[str, str] | None:
    """The fields of a form or a JSON object; None if it is too large or neither."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_FORM:
            return None
    kind = request.headers.get("content-type", "")
    try:
        if kind.startswith("application/json"):
            data = json.loads(body or b"{}")
            return {str(k): str(v) for k, v in data.items()} if isinstance(data, dict) else None
        return dict(parse_qsl(body.decode(), max_num_fields=10))
    except ValueError:
        return None


def _moved(request: Request, form: dict[str, str], learner_id: str) -> Response:
    """Set the cookie, and load the page again under it."""
    where = form.get("next", "/")
    # A path on this server: "//host" and "/\\host" would lead elsewhere.
    if not where.startswith("/") or where[1:2] in ("/", "\\") or not where.isprintable():
        where = "/"
    response: Response
    if _wants_json(request):
        response = JSONResponse({"ok": True, "next": where})
    else:
        response = RedirectResponse(where, status_code=303)
    response.headers["cache-control"] = "no-store"
    response.headers.append("set-cookie", cookie_header(learner_id, is_secure(request.scope)))
    return response


def _refused(request: Request, message: str, status: int) -> Response:
    if _wants_json(request):
        return JSONResponse({"ok": False, "message": message}, status_code=status)
    return PlainTextResponse(f"{message}\nGo back with your browser's Back button.", status)


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")
