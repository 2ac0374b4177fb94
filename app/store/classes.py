"""Classes in the database: what is written and read, each piece in one transaction.

The methods block, so the server calls them from a small pool of threads. They know nothing of
what a state or a question means; `classroom` does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from store.class_records import ClassRecord, MemberRecord, RoundRecord
from store.class_tables import ClassRow, MemberRow, PresenceRow, RoundRow, VoteRow
from store.records import record_of
from store.transactions import Database

LOCK = {"key_share": True}
"""Locks a row against writers, and not against rows that only refer to it (PostgreSQL)."""

Change = Callable[[ClassRecord], ClassRecord]
"""What a teacher's action makes of a class; it may raise, and then nothing is written."""


@dataclass(frozen=True)
class Glance:
    """What may have changed: the version, how often each answer was given, who is elsewhere."""

    version: int
    counts: dict[str, int]
    elsewhere: int


class Classes:
    """The table of classes and those that hang on it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def lasting(self) -> bool:
        """Whether what is written outlives the server."""
        return self._database.opened.kept

    @property
    def notice(self) -> str | None:
        """What a person must be told about the database."""
        return self._database.opened.notice

    # -- a class ---------------------------------------------------------------------------------

    def add(self, record: ClassRecord, plan: bytes) -> bool:
        """Add a class -> whether its code was free."""

        def work(session: Session) -> None:
            session.add(
                ClassRow(
                    code=record.code,
                    token_hash=record.token_hash,
                    created_at=record.created_at,
                    ends_at=record.ends_at,
                    ended_at=None,
                    plan=plan,
                    version=record.version,
                    state=record.state,
                )
            )

        try:
            self._database.write(work)
        except IntegrityError:
            return False
        return True

    def running(self, now: datetime) -> int:
        """How many classes are going on."""
        query = select(func.count()).where(ClassRow.ended_at.is_(None), ClassRow.ends_at > now)
        return self._database.read(lambda session: session.scalar(query) or 0)

    def load(self, code: str) -> ClassRecord | None:
        """A class and its rounds, without its plan; None if there is none."""

        def work(session: Session) -> ClassRecord | None:
            row = session.get(ClassRow, code)
            return None if row is None else _record(session, row)

        return self._database.read(work)

    def plan(self, code: str) -> bytes | None:
        """The class's plan, as it was stored."""
        query = select(ClassRow.plan).where(ClassRow.code == code)
        return self._database.read(lambda session: session.scalar(query))

    def change(self, code: str, change: Change) -> ClassRecord | None:
        """Apply a teacher's action, alone -> the class afterwards; None if there is none.

        The class is locked from reading to writing, so two actions never start from the same
        state. What `change` returns with the same version is not written.
        """

        def work(session: Session) -> ClassRecord | None:
            row = session.get(ClassRow, code, with_for_update=LOCK)
            if row is None:
                return None
            before = _record(session, row)
            after = change(before)
            if after.version != before.version:
                _write(session, row, before, after)
            return after

        return self._database.write(work)

    def remove(self, code: str) -> None:
        """Delete a class and everything in it."""

        def work(session: Session) -> None:
            for table in (VoteRow, PresenceRow, RoundRow, MemberRow, ClassRow):
                session.execute(delete(table).where(table.code == code))

        self._database.write(work)

    # -- members ---------------------------------------------------------------------------------

    def member(self, code: str, key_hash: str) -> MemberRecord | None:
        """Who a cookie's key belongs to."""

        def work(session: Session) -> MemberRecord | None:
            row = session.scalar(_of_key(code, key_hash))
            return None if row is None else record_of(MemberRecord, row)

        return self._database.read(work)

    def join(
        self,
        code: str,
        key_hash: str,
        nickname: str | None,
        learner_id: str | None,
        at: datetime,
        most: int,
    ) -> MemberRecord | None:
        """Add a member, or find them and change the nickname if one is given; None: class full."""

        def work(session: Session) -> MemberRecord | None:
            # The class's row is the lock that gives each member a number of their own.
            session.get(ClassRow, code, with_for_update=LOCK)
            row = session.scalar(_of_key(code, key_hash))
            if row is not None:
                row.nickname = nickname or row.nickname
                row.learner_id = row.learner_id or learner_id
                return record_of(MemberRecord, row)
            last = session.scalar(select(func.max(MemberRow.number)).where(MemberRow.code == code))
            number = (last or 0) + 1
            if number > most:
                return None
            row = MemberRow(
                code=code,
                number=number,
                key_hash=key_hash,
                nickname=nickname,
                learner_id=learner_id,
                joined_at=at,
            )
            session.add(row)
            session.flush()
            return record_of(MemberRecord, row)

        return self._database.write(work)

    # -- what is going on --------------------------------------------------------------------------

    def glance(self, code: str, number: int | None, process: str, since: datetime) -> Glance | None:
        """What may have changed since one looked last; `number` is the round to be counted."""

        def work(session: Session) -> Glance | None:
            version = session.scalar(select(ClassRow.version).where(ClassRow.code == code))
            if version is None:
                return None
            counts: dict[str, int] = {}
            if number is not None:
                query = (
                    select(VoteRow.answer, func.count())
                    .where(VoteRow.code == code, VoteRow.number == number)
                    .group_by(VoteRow.answer)
                )
                counts = {row[0]: row[1] for row in session.execute(query)}
            others = select(func.sum(PresenceRow.here)).where(
                PresenceRow.code == code, PresenceRow.process != process, PresenceRow.at > since
            )
            return Glance(version, counts, session.scalar(others) or 0)

        return self._database.read(work)

    def present(self, code: str, process: str, here: int, at: datetime) -> None:
        """Say how many members this process has on the line."""

        def work(session: Session) -> None:
            if session.get(ClassRow, code) is not None:
                session.merge(PresenceRow(code=code, process=process, here=here, at=at))

        self._database.write(work)


def _record(session: Session, row: ClassRow) -> ClassRecord:
    query = select(RoundRow).where(RoundRow.code == row.code).order_by(RoundRow.number)
    rounds = tuple(record_of(RoundRecord, one) for one in session.scalars(query))
    return record_of(ClassRecord, row, rounds=rounds)


def _write(session: Session, row: ClassRow, before: ClassRecord, after: ClassRecord) -> None:
    row.version, row.state = after.version, after.state
    row.ends_at, row.ended_at = after.ends_at, after.ended_at
    known = {one.number: one for one in before.rounds}
    for one in after.rounds:
        if one.number not in known:
            session.add(
                RoundRow(
                    code=row.code,
                    number=one.number,
                    item=one.item,
                    first=one.first,
                    question=one.question,
                    correct=one.correct,
                    opened_at=one.opened_at,
                )
            )
        elif one != known[one.number]:
            stored = session.get_one(RoundRow, (row.code, one.number), with_for_update=LOCK)
            stored.closed_at, stored.revealed_at = one.closed_at, one.revealed_at


def _of_key(code: str, key_hash: str) -> Select[MemberRow]:
    """The member that a cookie's key belongs to."""
    return select(MemberRow).where(MemberRow.code == code, MemberRow.key_hash == key_hash)
