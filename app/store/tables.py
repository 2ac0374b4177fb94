"""The tables. A learner is a random id; nothing here says who that is."""

from datetime import UTC, datetime

from sqlalchemy import Boolean, DateTime, ForeignKey, Integer, String
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

SCHEMA_VERSION = 1


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC; sqlite keeps no time zone, so it is put back on reading."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    """All tables of the store."""


class Learner(Base):
    """One learner: the random id of their cookie, and the code that brings it to another device."""

    __tablename__ = "learners"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    resume_code: Mapped[str] = mapped_column(String(16), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Answer(Base):
    """A learner's answers to one question: the first try and the last one, kept apart.

    correct  None where there is nothing to be right about: a prediction that was skipped
    """

    __tablename__ = "answers"

    learner_id: Mapped[str] = mapped_column(
        ForeignKey("learners.id", ondelete="CASCADE"), primary_key=True
    )
    quiz_id: Mapped[str] = mapped_column(String(60), primary_key=True)
    lesson: Mapped[str] = mapped_column(String(60))
    first_answer: Mapped[str] = mapped_column(String(200))
    first_correct: Mapped[bool | None] = mapped_column(Boolean)
    first_at: Mapped[datetime] = mapped_column(UtcTime)
    final_answer: Mapped[str] = mapped_column(String(200))
    final_correct: Mapped[bool | None] = mapped_column(Boolean)
    final_at: Mapped[datetime] = mapped_column(UtcTime)
    tries: Mapped[int] = mapped_column(Integer)


class Progress(Base):
    """How far a learner is in one lesson: the furthest section opened, and when it was done."""

    __tablename__ = "progress"

    learner_id: Mapped[str] = mapped_column(
        ForeignKey("learners.id", ondelete="CASCADE"), primary_key=True
    )
    lesson: Mapped[str] = mapped_column(String(60), primary_key=True)
    furthest: Mapped[int] = mapped_column(Integer)
    opened_at: Mapped[datetime] = mapped_column(UtcTime)
    done_at: Mapped[datetime | None] = mapped_column(UtcTime)
