"""The class on the network: students' and teachers' routes. The pages are plain files.

A route never blocks the event loop: what reads or writes the database runs in a few threads.
"""

import secrets
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from classroom.errors import Refused
from classroom.hub import Hub
from classroom.plans.plan import MAX_PLAN_BYTES, read_plan
from classroom.room import STUDENT, Listener, Room, event, packed
from classroom.service import (
    NONE_THERE,
    ClassService,
    Started,
    read_code,
    read_nickname,
    told,
)
from classroom.views import own_answers
from classroom.web.event_streams import event_stream
from classroom.web.limits import Budget
from classroom.web.page_files import join_page, page_route, static_route
from classroom.web.qr import qr_svg
from classroom.web.requests import (
    JSON,
    MEMBER_COOKIE,
    RUN,
    answered,
    body_of,
    cookie_of,
    item_of,
    join_url,
    json_of,
    raw,
    read_packed,
    said,
    sent,
    set_cookie,
    who,
)
from classroom.web.teacher_routes import TeacherRoutes
from store.identity import learner_of

MOST_MEMBERS = 1_000


class ClassRoutes:
    """The routes, and the hub they share; it is made on the first request, on its event loop."""

    def __init__(self, get_service: Callable[[], ClassService]) -> None:
        self._get_service = get_service
        self._hub: Hub | None = None
        self._codes = Budget(30, 10.0, "Too many codes were tried from here.")
        self._starts = Budget(30, 120.0, "Too many classes were started from here.")
        self._joins = Budget(600, 3.0, "Too many people joined from here at once.")

    @property
    def hub(self) -> Hub:
        if self._hub is None:
            self._hub = Hub(self._get_service())
        return self._hub

    def close(self) -> None:
        """The server ends: let the streams end."""
        if self._hub is not None:
            self._hub.close()

    def routes(self) -> list[Route]:
        """For the server's list. The order matters: a code has no vowel, so none is `static`."""
        teacher = TeacherRoutes(lambda: self.hub, self._codes)
        one = "/class/{code}"
        return [
            Route("/class", page_route("join")),
            Route("/class/", page_route("join")),
            Route("/class/static/{path:path}", static_route),
            Route("/class/api/start", answered(self.start), methods=["POST"]),
            Route("/class/api/find", answered(self.find), methods=["POST"]),
            *teacher.routes(),
            Route(f"{one}/qr.svg", answered(self.qr)),
            Route(f"{one}/join", answered(self.join), methods=["POST"]),
            Route(f"{one}/events", answered(self.events)),
            Route(f"{one}/state", answered(self.state)),
            Route(f"{one}/run", answered(self.run)),
            Route(f"{one}/mine", answered(self.mine)),
            Route(f"{one}/vote", answered(self.vote), methods=["POST"]),
            Route(f"{one}/present", self.present_page),
            Route(one, self.student_page),
        ]

    # -- pages -----------------------------------------------------------------------------------

    async def student_page(self, request: Request) -> Response:
        """The student's page; an unknown code gets the page to join."""
        return await self._page(request, "student")

    async def present_page(self, request: Request) -> Response:
        """The presenter's page; it is empty without the teacher's token."""
        return await self._page(request, "present")

    async def _page(self, request: Request, name: str) -> Response:
        try:
            room = await self.room(request)
        except Refused as refused:
            return join_page(refused)
        return await page_route(name, code=room.code)(request)

    # -- starting and joining --------------------------------------------------------------------

    async def start(self, request: Request) -> Response:
        """POST {plan: a name or a plan} -> {code, token, url}."""
        self._starts.check(who(request))
        body = await body_of(request, MAX_PLAN_BYTES)
        self._starts.use(who(request))
        begun = await self.hub.run(self._start, body)
        url = join_url(request, begun.code)
        return said({"code": begun.code, "token": begun.token, "url": url})

    def _start(self, body: bytes) -> Started:
        given = read_packed(body).get("plan")
        return self.hub.service.start(given if isinstance(given, str) else read_plan(given))

    async def find(self, request: Request) -> Response:
        """POST {code as typed} -> {code, url}."""
        typed = (await json_of(request)).get("code")
        room = await self._room(request, typed if isinstance(typed, str) else "")
        return said({"code": room.code, "url": f"/class/{room.code}"})

    async def join(self, request: Request) -> Response:
        """POST {nickname?} -> the member's cookie and state. A second tab is the same member."""
        room = await self.room(request)
        data = await json_of(request)
        key, learner = cookie_of(request, MEMBER_COOKIE), learner_of(request.scope)
        if len(key) < 32:
            self._joins.check(who(request))
            self._joins.use(who(request))
            key = secrets.token_urlsafe(24)
        await self.hub.join(room, key, read_nickname(data.get("nickname")), learner, MOST_MEMBERS)
        member = await self.hub.member(room, key)
        response = said(self.hub.personal(room, member) | await self._resume(room, request))
        set_cookie(request, response, MEMBER_COOKIE, key, f"/class/{room.code}")
        return response

    async def qr(self, request: Request) -> Response:
        """The link to join, as a picture."""
        room = await self.room(request)
        picture = qr_svg(join_url(request, room.code))
        return Response(picture, media_type="image/svg+xml", headers={"cache-control": "no-cache"})

    # -- following -------------------------------------------------------------------------------

    async def events(self, request: Request) -> Response:
        """The event stream. Last-Event-ID is the version that the browser has."""
        room = await self.room(request)
        member = await self.hub.member(room, cookie_of(request, MEMBER_COOKIE))
        listener = Listener(STUDENT, member.id)
        listener.personal = event("you", packed(self.hub.personal(room, member)))
        seen = request.headers.get("last-event-id", "")
        return event_stream(self.hub, room, listener, seen)

    async def state(self, request: Request) -> Response:
        """The same for browsers without a stream; 204 if `since` is the present version."""
        room = await self.room(request)
        member = await self.hub.member(room, cookie_of(request, MEMBER_COOKIE))
        room.polled(member.id)
        if request.query_params.get("since") == str(room.record.version):
            return Response(status_code=204)
        personal = self.hub.personal(room, member) | await self._resume(room, request)
        return raw(packed({**room.student, "here": room.here, **personal}))

    async def run(self, request: Request) -> Response:
        """An item's run, as far as it was shown."""
        room = await self.room(request)
        await self.hub.member(room, cookie_of(request, MEMBER_COOKIE))
        return sent(request, await self.hub.shown_run(room, item_of(request)), JSON, RUN)

    # -- answering -------------------------------------------------------------------------------

    async def vote(self, request: Request) -> Response:
        """POST {round, answer}: answered once it is in the database."""
        room = await self.room(request)
        member = await self.hub.member(room, cookie_of(request, MEMBER_COOKIE))
        data = await json_of(request)
        number, answer = data.get("round"), data.get("answer")
        if not isinstance(number, int) or not isinstance(answer, str) or len(answer) > 60:
            raise Refused(400, "A vote has a round and an answer.")
        await self.hub.vote(room, member, number, answer)
        return said({"round": number, "answer": answer, **self.hub.personal(room, member)})

    async def mine(self, request: Request) -> Response:
        """A student's own answers, right or wrong where that was revealed, and the resume code."""
        room = await self.room(request)
        member = await self.hub.member(room, cookie_of(request, MEMBER_COOKIE))
        resume = await self._resume(room, request, always=True)
        answers = own_answers(room.record, room.answers.get(member.id, {}))
        mine = {"nickname": member.nickname, "resume_code": None, **resume}
        return said({**mine, "answers": answers})

    # -- inside ----------------------------------------------------------------------------------

    async def room(self, request: Request) -> Room:
        """The class of the path."""
        return await self._room(request, request.path_params["code"])

    async def _room(self, request: Request, typed: str) -> Room:
        """A class by its code. An address that tries wrong ones has to wait."""
        code, address = read_code(typed), who(request)
        if not (code and self._codes.knows(address, code)):
            self._codes.check(address)
        try:
            if not code:
                raise Refused(404, NONE_THERE)
            room = await self.hub.room(code)
        except Refused as refused:
            if refused.status == 404:
                self._codes.use(address)
            raise
        self._codes.right(address, code)
        return room

    async def _resume(
        self, room: Room, request: Request, always: bool = False
    ) -> dict[str, object]:
        """The code that brings a learner's answers back, once the class has ended."""
        learner = learner_of(request.scope)
        if learner is None or not (always or self.hub.service.over(room.record)):
            return {}
        return {"resume_code": await self.hub.run(self._resume_code, learner)}

    def _resume_code(self, learner: str) -> str:
        with told():
            return self.hub.service.learners.resume_code(learner)
