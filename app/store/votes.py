"""Answers of a class in the database. What was acknowledged is committed; the first one counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from store.class_records import VoteRecord
from store.class_tables import MemberRow, RoundRow, VoteRow
from store.classes import LOCK
from store.transactions import Database


class Outcome(StrEnum):
    """What became of a vote."""

    KEPT = "kept"
    ALREADY = "already"
    CLOSED = "closed"


@dataclass(frozen=True)
class Vote:
    """An answer on its way into the database."""

    code: str
    number: int
    member_id: int
    answer: str
    at: datetime


class Votes:
    """The table of answers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, votes: Sequence[Vote]) -> list[Outcome]:
        """Keep several answers in one transaction: when this returns, they are committed.

        A round's row is locked while answers to it are written, so none gets in after it closed.
        """

        def work(session: Session) -> list[Outcome]:
            outcomes: dict[int, Outcome] = {}
            rounds = sorted({(vote.code, vote.number) for vote in votes})
            for code, number in rounds:
                here = [i for i, v in enumerate(votes) if (v.code, v.number) == (code, number)]
                one = session.get(RoundRow, (code, number), with_for_update=LOCK)
                if one is None or one.closed_at is not None:
                    outcomes.update(dict.fromkeys(here, Outcome.CLOSED))
                    continue
                members = {votes[i].member_id for i in here}
                query = select(VoteRow.member_id).where(
                    VoteRow.number == number, VoteRow.member_id.in_(members)
                )
                voted = set(session.scalars(query))
                for i in here:
                    member_id = votes[i].member_id
                    outcomes[i] = Outcome.ALREADY if member_id in voted else Outcome.KEPT
                    if member_id not in voted:
                        voted.add(member_id)
                        session.add(VoteRow(**votes[i].__dict__))
            session.flush()
            return [outcomes[i] for i in range(len(votes))]

        return self._database.write(work)

    def answers(self, member_id: int) -> dict[int, str]:
        """What one member has answered, by round."""
        query = select(VoteRow.number, VoteRow.answer).where(VoteRow.member_id == member_id)
        return self._database.read(
            lambda session: {row[0]: row[1] for row in session.execute(query)}
        )

    def counts(self, code: str) -> dict[int, dict[str, int]]:
        """How often each answer was given, by round."""
        query = (
            select(VoteRow.number, VoteRow.answer, func.count())
            .where(VoteRow.code == code)
            .group_by(VoteRow.number, VoteRow.answer)
        )

        def work(session: Session) -> dict[int, dict[str, int]]:
            found: dict[int, dict[str, int]] = {}
            for number, answer, count in session.execute(query):
                found.setdefault(number, {})[answer] = count
            return found

        return self._database.read(work)

    def all(self, code: str) -> list[VoteRecord]:
        """Every answer of a class, by student and round."""
        query = (
            select(MemberRow.number, VoteRow.number, VoteRow.answer, VoteRow.at)
            .join(MemberRow, MemberRow.id == VoteRow.member_id)
            .where(VoteRow.code == code)
            .order_by(VoteRow.number, MemberRow.number)
        )
        return self._database.read(
            lambda session: [VoteRecord(*found) for found in session.execute(query)]
        )
