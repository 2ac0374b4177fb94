"""What is known of a class, as plain values, and the files a teacher takes along."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from store.records import table_csv


@dataclass(frozen=True)
class RoundRecord:
    """A question put to the class. `question` is the JSON that the class wrote."""

    number: int
    item: int
    first: int
    question: str
    correct: str
    opened_at: datetime
    closed_at: datetime | None = None
    revealed_at: datetime | None = None

    @property
    def open(self) -> bool:
        """Whether answers are still taken."""
        return self.closed_at is None


@dataclass(frozen=True)
class ClassRecord:
    """A class as it is stored; `state` is the JSON that the class wrote."""

    code: str
    token_hash: str
    created_at: datetime
    ends_at: datetime
    ended_at: datetime | None
    version: int
    state: str
    rounds: tuple[RoundRecord, ...] = ()


@dataclass(frozen=True)
class MemberRecord:
    """One student; `number` counts from 1 within the class."""

    id: int
    number: int
    nickname: str | None
    learner_id: str | None


@dataclass(frozen=True)
class VoteRecord:
    """One answer, without who gave it: the member's number in the class stands for them."""

    member: int
    number: int
    answer: str
    at: datetime


COLUMNS = (
    "student", "round", "asked_again", "kind", "question",
    "answer", "answer_text", "correct", "answered_at",
)  # fmt: skip


def rows(
    rounds: Sequence[RoundRecord], votes: Sequence[VoteRecord]
) -> list[dict[str, str | int | bool]]:
    """One row an answer: the student's number, the round, the question, what was chosen, when."""
    known = {one.number: (one, json.loads(one.question)) for one in rounds}
    found: list[dict[str, str | int | bool]] = []
    for vote in votes:
        one, question = known[vote.number]
        texts = {choice["key"]: choice["text"] for choice in question["choices"]}
        values = (
            vote.member, vote.number, one.first != one.number, question["kind"], question["text"],
            vote.answer, texts.get(vote.answer, ""), vote.answer == one.correct,
            vote.at.isoformat(timespec="milliseconds"),
        )  # fmt: skip
        found.append(dict(zip(COLUMNS, values, strict=True)))
    return found


def votes_csv(rounds: Sequence[RoundRecord], votes: Sequence[VoteRecord]) -> str:
    """The answers as a table for a spreadsheet."""
    return table_csv(COLUMNS, (row.values() for row in rows(rounds, votes)))
