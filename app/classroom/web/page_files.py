"""The pages of the class and what they load: plain files, sent with a strict policy.

A page is two files, the beginning that all have (head.html) and its own.
"""

from collections.abc import Awaitable, Callable
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from classroom.errors import Refused
from classroom.kept_bytes import Kept
from classroom.web.requests import sent
from components.stepper import FOLDER as STEPPER

PAGES = Path(__file__).parents[1] / "pages"
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}


def page_route(name: str, code: str | None = None) -> Callable[[Request], Awaitable[Response]]:
    """A page. A class's page has its code in the address in one form: cookies hang on that."""

    async def page(request: Request) -> Response:
        if code is not None and request.path_params["code"] != code:
            rest = request.url.path.rsplit("/", 1)[-1]
            end = f"/{rest}" if rest == "present" else ""
            return RedirectResponse(f"/class/{code}{end}", 307)
        return sent(request, _page(name), "text/html", POLICY)

    return page


def join_page(refused: Refused) -> Response:
    """The page to join, where there is no class under the address."""
    headers = {**POLICY, **refused.headers}
    return Response(_page("join").data, refused.status, headers, "text/html")


async def static_route(request: Request) -> Response:
    """The pages' scripts and styles, and under stepper/ those of the stepper."""
    first, _, rest = request.path_params["path"].partition("/")
    folder, name = (STEPPER, rest) if first == "stepper" and rest else (PAGES, first)
    path = folder / name
    plain = name.replace("-", "").replace("_", "").replace(".", "").isalnum()
    if (rest and folder is PAGES) or not plain or path.suffix not in KINDS or not path.is_file():
        return PlainTextResponse("There is no such file.", 404)
    return sent(request, _kept(path), KINDS[path.suffix], {k: POLICY[k] for k in _STATIC})


_STATIC = ("cache-control", "x-content-type-options")


def _page(name: str) -> Kept:
    return _kept(PAGES / "head.html", PAGES / f"{name}.html")


def _kept(*paths: Path) -> Kept:
    """Files, one after the other; read again when one has changed."""
    return _read(paths, tuple(path.stat().st_mtime_ns for path in paths))


@lru_cache(maxsize=64)
def _read(paths: tuple[Path, ...], _changed: tuple[int, ...]) -> Kept:
    return Kept.of(b"".join(path.read_bytes() for path in paths))
