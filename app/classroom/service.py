"""Classes, for whoever is on this side of the network: the routes, and the teacher's page.

Its methods block; the routes call them from a small pool of threads.
"""

import hashlib
import hmac
import json
import secrets
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from classroom.clock import Clock
from classroom.errors import BadPlan, Refused
from classroom.kept_answers import keep_for_learners
from classroom.plans.plan import Plan, check_plan, pack_plan, parse_plan, shipped
from classroom.state import LASTS, Action, act, first_state, is_over
from classroom.views import outline, teacher_state
from environment import environment
from store.class_records import ClassRecord, rows, votes_csv
from store.classes import Classes
from store.codes import LETTERS
from store.failures import failure_of
from store.learners import Store
from store.transactions import Database, database
from store.votes import Votes

Json = dict[str, Any]
LONGEST_NICKNAME = 24
NONE_THERE = "There is no class under this code. Check the letters."
NOT_YOURS = "Only the teacher of this class can do this. Open the private link again."


@dataclass(frozen=True)
class Started:
    """A class that has begun: its code is for everybody, the token for the teacher alone."""

    code: str
    token: str


class ClassService:
    """Everything that is done with classes, apart from telling the browsers."""

    def __init__(self, kept_in: Database, clock: Callable[[], datetime] | None = None) -> None:
        self.database = kept_in
        self.table = Classes(kept_in)
        self.votes = Votes(kept_in)
        self.learners = Store(kept_in)
        self.clock = clock or Clock()
        # A plan does not change while its class lives, and is read for every step otherwise.
        self.plan = lru_cache(maxsize=32)(self._plan)
        self.outline = lru_cache(maxsize=32)(lambda code: outline(self.plan(code)))

    # -- the teacher -----------------------------------------------------------------------------

    def start(self, plan: Plan | str) -> Started:
        """Begin a class on a plan, or on a shipped one by its name. Raises Refused."""
        if isinstance(plan, str):
            if plan not in shipped():
                raise Refused(404, "There is no plan of this name.")
            plan = shipped()[plan]
        try:
            check_plan(plan)
        except BadPlan as error:
            raise Refused(400, str(error)) from error
        now, token = self.clock(), secrets.token_urlsafe(16)
        with told():
            if not self.table.lasting:
                raise Refused(503, self.table.notice or "Nothing can be kept.")
            if self.table.running(now) >= environment().max_classes:
                raise Refused(503, "Too many classes are going on here. Try again later.")
            for _ in range(20):
                code = "".join(secrets.choice(LETTERS) for _ in range(6))
                record = ClassRecord(
                    code=code,
                    token_hash=hashed(token),
                    created_at=now,
                    ends_at=now + LASTS,
                    ended_at=None,
                    version=1,
                    state=first_state(plan).model_dump_json(),
                )
                if self.table.add(record, pack_plan(plan)):
                    return Started(code, token)
        raise Refused(503, "No code is free. Try again.")

    def teacher(self, code: str, token: str) -> ClassRecord:
        """The class, if the token is its teacher's. Raises Refused."""
        record = self.load(code)
        self.check_token(record, token)
        return record

    def check_token(self, record: ClassRecord, token: str) -> None:
        """Raises Refused unless the token is that of the class's teacher."""
        if not hmac.compare_digest(record.token_hash, hashed(token)):
            raise Refused(403, NOT_YOURS)

    def look(self, code: str, token: str) -> Json:
        """The teacher's view of the class; who is there is known to the routes alone."""
        record = self.teacher(code, token)
        with told():
            counts = self.votes.counts(code)
        over = self.over(record)
        return teacher_state(record, self.plan(code), self.outline(code), counts, 0, over)

    def act(self, code: str, token: str, action: Json) -> Json:
        """Do what the teacher asks for, once -> their view afterwards. Raises Refused."""
        self.do(code, token, read_action(action))
        return {"deleted": True} if action.get("action") == "delete" else self.look(code, token)

    def do(self, code: str, token: str, action: Action) -> None:
        """Do what the teacher asks for, once. Raises Refused."""
        self.teacher(code, token)
        if action.action == "delete":
            with told():
                self.table.remove(code)
            return
        plan, now = self.plan(code), self.clock()
        with told():
            after = self.table.change(code, lambda record: act(record, action, plan, now))
            if after is None:
                raise Refused(404, NONE_THERE)
            if action.action in ("reveal", "end"):
                keep_for_learners(self.database, code)

    def end(self, code: str, token: str) -> None:
        """End the class; its answers stay until they are deleted."""
        self.do(code, token, Action(action="end"))

    def extend(self, code: str, token: str) -> None:
        """Go on with a class that has ended, or give one that goes on another 24 hours."""
        self.do(code, token, Action(action="extend"))

    def delete(self, code: str, token: str) -> None:
        """Delete the class, its members and their answers."""
        self.do(code, token, Action(action="delete"))

    def export(self, code: str, token: str, kind: str) -> str:
        """All answers as "csv" or "json": anonymous numbers, question, round, first try, time."""
        record = self.teacher(code, token)
        with told():
            votes = self.votes.all(code)
        if kind == "csv":
            return votes_csv(record.rounds, votes)
        plan = self.plan(code)
        everything = {
            "class": code,
            "plan": plan.title,
            "started": record.created_at.isoformat(timespec="seconds"),
            "answers": rows(record.rounds, votes),
        }
        return json.dumps(everything, indent=2, ensure_ascii=False)

    # -- everybody -------------------------------------------------------------------------------

    def load(self, code: str) -> ClassRecord:
        """A class by its code. Raises Refused."""
        with told():
            record = self.table.load(code)
        if record is None:
            raise Refused(404, NONE_THERE)
        return record

    def over(self, record: ClassRecord) -> bool:
        """Whether the class has ended."""
        return is_over(record, self.clock())

    def end_in_time(self, code: str) -> None:
        """Write down that a class's time is up, so that every process sees it end at once."""

        def ended(record: ClassRecord) -> ClassRecord:
            if record.ended_at is not None or not self.over(record):
                return record
            now = record.ends_at
            closed = tuple(replace(one, closed_at=one.closed_at or now) for one in record.rounds)
            return replace(record, ended_at=now, rounds=closed, version=record.version + 1)

        with told():
            self.table.change(code, ended)
            keep_for_learners(self.database, code)

    def _plan(self, code: str) -> Plan:
        with told():
            packed = self.table.plan(code)
        if packed is None:
            raise Refused(404, NONE_THERE)
        return parse_plan(packed)


@lru_cache(maxsize=1)
def _service(kept_in: Database) -> ClassService:
    return ClassService(kept_in)


def classes() -> ClassService:
    """The server's classes."""
    return _service(database())


@contextmanager
def told() -> Iterator[None]:
    """Database errors as Refused, with a sentence for the person; nothing was kept then."""
    try:
        yield
    except SQLAlchemyError as error:
        failure = failure_of(error)
        raise Refused(503, failure.message, retry_after=2 if failure.passing else None) from error


def read_action(data: object) -> Action:
    """An action from JSON. Raises Refused, naming the field that is wrong."""
    try:
        return Action.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the action"
        raise Refused(400, f"{place}: {first['msg']}") from error


def hashed(secret: str) -> str:
    """A secret as it is stored: it has 128 random bits or more, so it needs no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


def read_code(typed: str) -> str:
    """A class's code as it is stored, from what a person typed; "" if it cannot be one.

    >>> read_code(" BCD-fgh "), read_code("letters")
    ('bcdfgh', '')
    """
    letters = "".join(character for character in typed[:40].lower() if character.isalnum())
    return letters if len(letters) == 6 and set(letters) <= set(LETTERS) else ""


def read_nickname(typed: object) -> str | None:
    """A nickname as text: no control or invisible characters, one line, at most 24 characters."""
    if not isinstance(typed, str):
        return None
    kept = "".join(
        " " if character.isspace() else character
        for character in unicodedata.normalize("NFC", typed[:500])
        if character.isspace() or unicodedata.category(character)[0] != "C"
    )
    return " ".join(kept.split())[:LONGEST_NICKNAME].strip() or None
