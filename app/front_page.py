"""The one HTML file that Streamlit serves, told where the server is.

Opened at /lab, Streamlit's browser code first asks for /lab/_stcore/health, in case the app lies
there, and the console shows an error for each wrong guess. Every page of this app lies one level
below the root, so the answer is known: it is written into the page.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TOLD = (
    b"<head><script>window.__streamlit = { ...window.__streamlit, "
    b'BACKEND_BASE_URL: new URL("./", window.location.href).href };</script>'
)


class FrontPage:
    """ASGI middleware: writes the base address into the HTML of a page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        if scope["path"] == "/class" or scope["path"].startswith("/class/"):
            await self.app(scope, receive, send)  # the class's pages are no part of Streamlit
            return
        # Neither compressed nor "not modified": the file must be there to be written into.
        dropped = (b"accept-encoding", b"if-none-match", b"if-modified-since")
        kept = [(name, value) for name, value in scope["headers"] if name not in dropped]
        start: Message | None = None
        body = b""

        async def told(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                if "text/html" in Headers(raw=message["headers"]).get("content-type", ""):
                    return  # it is sent with the body, whose length changes
            is_page = start is not None and "text/html" in Headers(raw=start["headers"]).get(
                "content-type", ""
            )
            if not is_page or start is None:
                await send(message)
                return
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            body = body.replace(b"<head>", _TOLD, 1)
            headers = MutableHeaders(raw=list(start["headers"]))
            headers["content-length"] = str(len(body))
            await send({**start, "headers": headers.raw})
            await send({"type": "http.response.body", "body": body})

        await self.app({**scope, "headers": kept}, receive, told)
