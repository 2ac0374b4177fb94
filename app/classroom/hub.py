"""All classes that are followed in this process, kept in step with the database.

One watcher a class looks a few times a second whether its version has changed (another process may
have changed it) and tells everybody. No stream ever reads the database by itself.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import ParamSpec, TypeVar

from classroom.ballots import Ballots
from classroom.errors import Refused
from classroom.hidden_run import cut_run
from classroom.kept_bytes import Kept
from classroom.place import Spot
from classroom.room import Json, Room, event, packed
from classroom.service import NONE_THERE, ClassService, hashed, told
from classroom.state import state_of
from classroom.views import Counts, student_state, teacher_state
from store.class_records import ClassRecord, MemberRecord
from store.classes import Glance
from store.votes import Outcome, Vote

LOOK_SECONDS = 0.25
SLOWEST_LOOK = 4.0
HERE_SECONDS = 2.0
PRESENCE_SECONDS = 10.0
STALE = timedelta(seconds=30)
READERS = 4
WENT_WRONG = "Something went wrong on the server. It tries again."

logger = logging.getLogger(__name__)

Given = ParamSpec("Given")
Found = TypeVar("Found")


class Hub:
    """The rooms of this process. Made on the event loop that uses it."""

    def __init__(self, service: ClassService) -> None:
        self.service = service
        self.closing = False
        self._process = secrets.token_hex(8)
        self._pool = ThreadPoolExecutor(READERS, "classes")
        self._ballots = Ballots(self._keep)
        self._rooms: dict[str, Room] = {}
        self._opening: dict[str, asyncio.Task[Room]] = {}
        self._watchers: set[asyncio.Task[None]] = set()

    async def run(
        self, work: Callable[Given, Found], *args: Given.args, **kwargs: Given.kwargs
    ) -> Found:
        """Blocking work, in one of a few threads."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: work(*args, **kwargs))

    def close(self) -> None:
        """The server ends: streams end too, or it would wait for them."""
        self.closing = True
        for room in self._rooms.values():
            room.wake()

    # -- rooms -----------------------------------------------------------------------------------

    async def room(self, code: str) -> Room:
        """The class, read once for all who ask at the same time. Raises Refused."""
        room = self._rooms.get(code)
        if room is None:
            if code not in self._opening:
                self._opening[code] = asyncio.create_task(self._open(code))
            try:
                room = await asyncio.shield(self._opening[code])
            finally:
                self._opening.pop(code, None)
        if room.gone:
            raise Refused(404, NONE_THERE)
        room.touch()
        return room

    async def _open(self, code: str) -> Room:
        record = await self.run(self.service.load, code)
        room = Room(code, record)
        await self.refresh(room, again=True)
        self._rooms[code] = room
        watcher = asyncio.create_task(self._watch(room))
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)
        return room

    async def refresh(self, room: Room, again: bool = False) -> None:
        """Read the class, and tell everybody if it has changed."""
        async with room.reading:
            try:
                record, student, teacher, counts = await self.run(self._read, room.code, room.here)
            except Refused as refused:
                if refused.status == 404:
                    self.gone(room)
                raise
            if again or record.version > room.record.version:
                room.show(record, student, teacher, counts)

    def _read(self, code: str, here: int) -> tuple[ClassRecord, Json, Json, Counts]:
        record, plan = self.service.load(code), self.service.plan(code)
        with told():
            counts = self.service.votes.counts(code)
        over = self.service.over(record)
        student = student_state(record, plan, counts, here, over)
        outline = self.service.outline(code)
        return record, student, teacher_state(record, plan, outline, counts, here, over), counts

    def gone(self, room: Room) -> None:
        """The class was deleted: say so, and forget it."""
        room.gone = True
        last = {**room.student, "question": None, "step": None, "ended": True, "deleted": True}
        version = room.record.version + 1
        data = event("state", packed({**last, "version": version}), version)
        room.publish("state", data)
        room.publish("teacher", data)
        self._rooms.pop(room.code, None)

    # -- watching --------------------------------------------------------------------------------

    async def _watch(self, room: Room) -> None:
        """Look for changes until the class is deleted, or nobody has been there for a while."""
        pause, told_here, said = LOOK_SECONDS, (-1, 0.0), (0, 0.0)
        while not (room.gone or room.idle or self.closing):
            await asyncio.sleep(pause)
            try:
                await self._look(room)
            except Exception as error:  # the watcher must live on: nobody else tells the class
                if room.gone:
                    break
                if not isinstance(error, Refused):
                    logger.exception("class %s could not be read", room.code)
                room.say_trouble(error.message if isinstance(error, Refused) else WENT_WRONG)
                pause = min(2 * pause, SLOWEST_LOOK)
                continue
            room.say_trouble(None)
            pause, now = LOOK_SECONDS, time.monotonic()
            if room.here != told_here[0] and now - told_here[1] > HERE_SECONDS:
                told_here = (room.here, now)
                room.publish("here", event("here", packed({"here": room.here})))
            if room.teacher_listens:
                room.publish("live", room.live_event())
            said = await self._say_presence(room, said)
        self._rooms.pop(room.code, None)

    async def _look(self, room: Room) -> None:
        question = room.teacher.get("question")
        counted = question["round"] if question and question["open"] else None
        glance = await self.run(self._glance, room.code, counted)
        if glance is None:
            self.gone(room)
            raise Refused(404, NONE_THERE)
        room.elsewhere = glance.elsewhere
        if glance.version > room.record.version:
            await self.refresh(room)
        elif counted is not None:
            room.counts = {**room.counts, counted: glance.counts}
        if room.record.ended_at is None and self.service.over(room.record):
            await self.run(self.service.end_in_time, room.code)
            await self.refresh(room)

    def _glance(self, code: str, number: int | None) -> Glance | None:
        with told():
            since = self.service.clock() - STALE
            return self.service.table.glance(code, number, self._process, since)

    async def _say_presence(self, room: Room, said: tuple[int, float]) -> tuple[int, float]:
        """Let other processes know how many are here; a failure is made good the next time."""
        here, now = room.here_now(), time.monotonic()
        changed, waited = here != said[0], now - said[1]
        if not (changed and waited > HERE_SECONDS) and not (here and waited > PRESENCE_SECONDS):
            return said
        with suppress(Refused):
            await self.run(self._present, room.code, here)
        return here, now

    def _present(self, code: str, here: int) -> None:
        with told():
            self.service.table.present(code, self._process, here, self.service.clock())

    # -- members ---------------------------------------------------------------------------------

    async def member(self, room: Room, key: str) -> MemberRecord:
        """Whose cookie this is. Raises Refused."""
        key_hash = hashed(key)
        found = room.members.get(key_hash)
        if found is None:
            found = await self.run(self._member, room.code, key_hash)
            if found is None:
                raise Refused(401, "Join the class first.")
            room.members[key_hash] = found
        if found.id not in room.answers:
            room.answers.setdefault(found.id, await self.run(self._answers, found.id))
        return found

    async def join(
        self, room: Room, key: str, nickname: str | None, learner_id: str | None, most: int
    ) -> None:
        """Make whoever holds this key a member, or find them again. Raises Refused."""
        if self.service.over(room.record):
            raise Refused(409, "This class has ended.")
        key_hash = hashed(key)
        found = await self.run(self._join, room.code, key_hash, nickname, learner_id, most)
        if found is None:
            raise Refused(409, f"This class is full: {most} have joined.")
        room.members[key_hash] = found

    def _join(
        self, code: str, key_hash: str, nickname: str | None, learner_id: str | None, most: int
    ) -> MemberRecord | None:
        with told():
            at = self.service.clock()
            return self.service.table.join(code, key_hash, nickname, learner_id, at, most)

    def _member(self, code: str, key_hash: str) -> MemberRecord | None:
        with told():
            return self.service.table.member(code, key_hash)

    def _answers(self, member_id: int) -> dict[int, str]:
        with told():
            return self.service.votes.answers(member_id)

    def personal(self, room: Room, member: MemberRecord) -> Json:
        """What one member alone may know: their own answers."""
        answers = room.answers.get(member.id, {})
        return {
            "nickname": member.nickname,
            "my_answers": {str(number): answer for number, answer in answers.items()},
        }

    # -- votes -----------------------------------------------------------------------------------

    async def vote(self, room: Room, member: MemberRecord, number: int, answer: str) -> None:
        """Keep an answer; when this returns, it is in the database. Raises Refused."""
        if all(one.number != number for one in room.record.rounds):
            await self.refresh(room)  # another process may have asked
        one = next((one for one in room.record.rounds if one.number == number), None)
        if one is None:
            raise Refused(404, "There is no such question.")
        asked = room.student.get("question") or {}
        choices = asked.get("choices", []) if asked.get("round") == number else []
        if one.open and answer not in {choice["key"] for choice in choices}:
            raise Refused(400, "Choose one of the answers.")
        at = self.service.clock()
        outcome = Outcome.CLOSED
        if one.open and not self.service.over(room.record):
            outcome = await self._ballots.put(Vote(room.code, number, member.id, answer, at))
        mine = room.answers.setdefault(member.id, {})
        if outcome is Outcome.KEPT:
            mine[number] = answer
            room.tell(member.id, event("you", packed(self.personal(room, member))))
            return
        if number not in mine:
            mine.update(await self.run(self._answers, member.id))
        if number in mine:
            raise Refused(409, "Your answer is in already.", more={"answer": mine[number]})
        raise Refused(409, "This question is closed.")

    def _keep(self, votes: Sequence[Vote]) -> list[Outcome]:
        with told():
            return self.service.votes.keep(votes)

    # -- runs ------------------------------------------------------------------------------------

    async def shown_run(self, room: Room, item: int) -> Kept:
        """An item's run as far as it was shown, as JSON, made once for all. Raises Refused."""
        revealed = state_of(room.record).revealed.get(item)
        if revealed is None:
            raise Refused(404, "This has not been shown yet.")
        return await self._run_bytes(room, item, revealed)

    async def whole_run(self, room: Room, item: int) -> Kept:
        """An item's run, whole: for the teacher."""
        return await self._run_bytes(room, item, None)

    async def _run_bytes(self, room: Room, item: int, upto: Spot | None) -> Kept:
        key = (item, upto)
        if key not in room.runs:
            plan = await self.run(self.service.plan, room.code)
            if item >= len(plan.items):
                raise Refused(404, f"The plan has {len(plan.items)} items.")
            run = plan.items[item].run()
            data = {"item": item}
            room.runs[key] = await self.run(lambda: Kept.of(packed(data | cut_run(run, upto))))
        return room.runs[key]
