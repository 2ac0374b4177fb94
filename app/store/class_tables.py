"""The tables of classes. A student is a number and, if they like, a nickname.

Secrets are kept as hashes: the teacher's token, and the key in a member's cookie.
"""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, Integer, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from store.tables import Base, UtcTime

CODE = String(6)


class ClassRow(Base):
    """One class.

    token_hash  of the teacher's token
    ends_at     when it ends by itself
    ended_at    when the teacher ended it; None while it goes on
    plan        the class plan, compressed JSON; it does not change
    version     counts the changes of what the class sees
    state       where it is, JSON
    """

    __tablename__ = "classes"

    code: Mapped[str] = mapped_column(CODE, primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    ends_at: Mapped[datetime] = mapped_column(UtcTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)
    plan: Mapped[bytes] = mapped_column(LargeBinary)
    version: Mapped[int] = mapped_column(Integer)
    state: Mapped[str] = mapped_column(Text)


class MemberRow(Base):
    """One student in one class. `number` counts from 1 within the class, for the export.

    learner_id  whose answers these also are, if the browser had a learner's cookie
    """

    __tablename__ = "class_members"
    __table_args__ = (
        UniqueConstraint("code", "key_hash"),
        UniqueConstraint("code", "number"),
    )

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    code: Mapped[str] = mapped_column(ForeignKey("classes.code", ondelete="CASCADE"))
    number: Mapped[int] = mapped_column(Integer)
    key_hash: Mapped[str] = mapped_column(String(64))
    nickname: Mapped[str | None] = mapped_column(String(24))
    learner_id: Mapped[str | None] = mapped_column(String(64))
    joined_at: Mapped[datetime] = mapped_column(UtcTime)


class RoundRow(Base):
    """A question put to the class; asking again is another round.

    first     the number of the round that asked this question first
    question  as it was put, JSON, with the right answer and why
    """

    __tablename__ = "class_rounds"

    code: Mapped[str] = mapped_column(
        ForeignKey("classes.code", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    item: Mapped[int] = mapped_column(Integer)
    first: Mapped[int] = mapped_column(Integer)
    question: Mapped[str] = mapped_column(Text)
    correct: Mapped[str] = mapped_column(String(60))
    opened_at: Mapped[datetime] = mapped_column(UtcTime)
    closed_at: Mapped[datetime | None] = mapped_column(UtcTime)
    revealed_at: Mapped[datetime | None] = mapped_column(UtcTime)


class VoteRow(Base):
    """One student's answer in one round: the first is the only one."""

    __tablename__ = "class_votes"
    __table_args__ = (Index("ix_class_votes_round", "code", "number", "answer"),)

    member_id: Mapped[int] = mapped_column(
        ForeignKey("class_members.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    code: Mapped[str] = mapped_column(ForeignKey("classes.code", ondelete="CASCADE"))
    answer: Mapped[str] = mapped_column(String(60))
    at: Mapped[datetime] = mapped_column(UtcTime)


class PresenceRow(Base):
    """How many members one server process has on the line, as it said last."""

    __tablename__ = "class_presence"

    code: Mapped[str] = mapped_column(
        ForeignKey("classes.code", ondelete="CASCADE"), primary_key=True
    )
    process: Mapped[str] = mapped_column(String(32), primary_key=True)
    here: Mapped[int] = mapped_column(Integer)
    at: Mapped[datetime] = mapped_column(UtcTime)
