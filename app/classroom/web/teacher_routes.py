"""The teacher's routes: each needs the class's token, in a header or in a cookie.

The private link carries the token behind #, so it never reaches a log; the page sends it once in
a header, and gets a cookie that only these routes see.
"""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from classroom.errors import Refused
from classroom.hub import Hub
from classroom.plans.questions import votable
from classroom.room import TEACHER, Listener, Room
from classroom.service import NONE_THERE, read_action, read_code
from classroom.web.event_streams import event_stream
from classroom.web.limits import Budget
from classroom.web.requests import (
    JSON,
    PRIVATE,
    RUN,
    TEACHER_COOKIE,
    answered,
    item_of,
    join_url,
    json_of,
    raw,
    said,
    sent,
    set_cookie,
    token_of,
    who,
)

LONGEST_ACTION = 20_000
FILES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


class TeacherRoutes:
    """Routes under /class/{code}/teacher."""

    def __init__(self, hub: Callable[[], Hub], tries: Budget) -> None:
        self._hub, self._tries = hub, tries

    def routes(self) -> list[Route]:
        base = "/class/{code}/teacher"
        return [
            Route(base, answered(self.enter), methods=["POST"]),
            Route(f"{base}/events", answered(self.events)),
            Route(f"{base}/state", answered(self.state)),
            Route(f"{base}/run", answered(self.run)),
            Route(f"{base}/questions", answered(self.questions)),
            Route(f"{base}/do", answered(self.do), methods=["POST"]),
            Route(f"{base}/export.{{kind}}", answered(self.export)),
        ]

    async def enter(self, request: Request) -> Response:
        """POST with the token in a header -> the cookie, and the teacher's state."""
        room, token = await self._room(request)
        response = self._state(request, room)
        set_cookie(request, response, TEACHER_COOKIE, token, f"/class/{room.code}/teacher")
        return response

    async def events(self, request: Request) -> Response:
        """The event stream: what students see, and the votes as they arrive."""
        room, _ = await self._room(request)
        seen = request.headers.get("last-event-id", "")
        return event_stream(self._hub(), room, Listener(TEACHER, None), seen)

    async def state(self, request: Request) -> Response:
        """The same for browsers without a stream; 204 if `since` is the present tag."""
        room, _ = await self._room(request)
        if request.query_params.get("since") == room.live()["tag"]:
            return Response(status_code=204)
        return self._state(request, room)

    async def run(self, request: Request) -> Response:
        """An item's run, whole."""
        room, _ = await self._room(request)
        return sent(request, await self._hub().whole_run(room, item_of(request)), JSON, RUN)

    async def questions(self, request: Request) -> Response:
        """The checkpoint questions that can be asked whatever the plan says: [{quiz, text}]."""
        await self._room(request)
        asked = await self._hub().run(votable)
        return said({"questions": [{"quiz": one.quiz, "text": one.text} for one in asked]})

    async def do(self, request: Request) -> Response:
        """POST {action, id, ...} -> the teacher's new state."""
        room, token = await self._room(request)
        action = read_action(await json_of(request, LONGEST_ACTION))
        hub = self._hub()
        await hub.run(hub.service.do, room.code, token, action)
        if action.action == "delete":
            hub.gone(room)
            return said({"deleted": True})
        await hub.refresh(room)
        return self._state(request, room)

    async def export(self, request: Request) -> Response:
        """All answers as a file."""
        room, token = await self._room(request)
        kind = request.path_params["kind"]
        if kind not in FILES:
            raise Refused(404, "There are export.csv and export.json.")
        hub = self._hub()
        text = await hub.run(hub.service.export, room.code, token, kind)
        name = f'attachment; filename="class-{room.code}.{kind}"'
        headers = {**PRIVATE, "content-disposition": name}
        return Response(text, headers=headers, media_type=FILES[kind])

    def _state(self, request: Request, room: Room) -> Response:
        return raw(room.teacher_bytes(join_url(request, room.code)))

    async def _room(self, request: Request) -> tuple[Room, str]:
        """The class, if the request carries its token. Who tries wrong ones has to wait."""
        code, token, hub = read_code(request.path_params["code"]), token_of(request), self._hub()
        try:
            if not code:
                raise Refused(404, NONE_THERE)
            room = await hub.room(code)
            hub.service.check_token(room.record, token)
        except Refused as refused:
            # Who has the code may mistake the token as often as they like: it has 128 bits.
            if refused.status in (403, 404) and not self._tries.knows(who(request), code):
                self._tries.check(who(request))
                self._tries.use(who(request))
            raise
        self._tries.right(who(request), code)
        return room, token
