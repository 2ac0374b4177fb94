"""What the routes share: who asks, what they sent, and how a refusal is said."""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from classroom.errors import BadPlan, Refused
from classroom.kept_bytes import Kept
from classroom.plans.plan import unpack
from classroom.web.limits import address_of
from environment import environment
from store.identity import is_secure, same_origin

Handler = Callable[[Request], Awaitable[Response]]
MEMBER_COOKIE = "speculate_member"
TEACHER_COOKIE = "speculate_teacher"
DAY_SECONDS = 24 * 3600
LONGEST_BODY = 4_000
PRIVATE = {"cache-control": "no-store"}
RUN = {"cache-control": "private, no-cache"}
JSON = "application/json"


def answered(handler: Handler) -> Handler:
    """Say refusals as JSON; let nobody post from another site."""

    @wraps(handler)
    async def route(request: Request) -> Response:
        try:
            if request.method == "POST" and not same_origin(request.headers):
                raise Refused(403, "This request came from another site.")
            return await handler(request)
        except BadPlan as error:
            return JSONResponse({"error": str(error)}, 400, PRIVATE)
        except Refused as refused:
            return JSONResponse(refused.body(), refused.status, {**PRIVATE, **refused.headers})

    return route


def said(data: dict[str, Any]) -> JSONResponse:
    """An answer that no cache keeps."""
    return JSONResponse(data, headers=PRIVATE)


def raw(data: bytes, **headers: str) -> Response:
    """JSON that is bytes already."""
    return Response(data, media_type="application/json", headers={**PRIVATE, **headers})


async def body_of(request: Request, longest: int = LONGEST_BODY) -> bytes:
    """The body, read no further than allowed. Raises Refused."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > longest:
            raise Refused(413, f"This is longer than {longest:,} bytes.")
    return body


async def json_of(request: Request, longest: int = LONGEST_BODY) -> dict[str, Any]:
    """The body as a JSON object. Raises Refused."""
    return read_json(await body_of(request, longest))


def read_packed(body: bytes) -> dict[str, Any]:
    """A large body as a JSON object, compressed or not. Raises Refused, BadPlan. Takes a while."""
    return read_json(unpack(body))


def read_json(body: bytes) -> dict[str, Any]:
    """A JSON object. Raises Refused."""
    try:
        data = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise Refused(400, "This is not JSON.") from error
    if not isinstance(data, dict):
        raise Refused(400, "A JSON object is expected.")
    return data


def cookie_of(request: Request, name: str) -> str:
    """A cookie's value; "" if there is none, or one too long to be ours."""
    value = request.cookies.get(name, "")
    return value if len(value) <= 100 else ""


def set_cookie(request: Request, response: Response, name: str, value: str, path: str) -> None:
    """A cookie for one path of this site, out of reach of scripts and of other sites."""
    response.set_cookie(
        name,
        value,
        max_age=7 * DAY_SECONDS,
        path=path,
        httponly=True,
        samesite="strict",
        secure=is_secure(request.scope),
    )


def token_of(request: Request) -> str:
    """The teacher's token: from the header, or from the cookie."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else cookie_of(request, TEACHER_COOKIE)


def who(request: Request) -> str:
    """Whom a try is counted for."""
    client = request.client.host if request.client else None
    forwarded = request.headers.get("x-forwarded-for", "")
    return address_of(client, forwarded, environment().trust_proxy)


def join_url(request: Request, code: str) -> str:
    """The link that students open: as the server's owner says, else as this browser came in."""
    base = environment().public_url.rstrip("/")
    if not base:
        headers, scheme = request.headers, request.url.scheme
        host = headers.get("host", "")
        if environment().trust_proxy:
            host = headers.get("x-forwarded-host", host).split(",")[0].strip()
        if len(host) > 300:
            raise Refused(400, "This server's name is too long for a link.")
        base = f"{'https' if is_secure(request.scope) else scheme}://{host}"
    return f"{base}/class/{code}"


def item_of(request: Request) -> int:
    """The item asked for."""
    given = request.query_params.get("item", "")
    if not (given.isascii() and given.isdigit() and len(given) < 5):
        raise Refused(400, "Which item?")
    return int(given)


def sent(request: Request, kept: Kept, kind: str, headers: Mapping[str, str]) -> Response:
    """What was kept, compressed where the browser takes that; 304 where it has it."""
    headers = {**headers, "etag": kept.etag, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == kept.etag:
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(kept.data, headers=headers, media_type=kind)
    packed = {**headers, "content-encoding": "gzip"}
    return Response(kept.packed, headers=packed, media_type=kind)
