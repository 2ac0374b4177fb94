"""A student's answers, kept with their other answers, so that their resume code brings them back.

That is done when an answer is revealed, and not before: a mark would tell what is right.
"""

import json
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from store.class_tables import MemberRow, RoundRow, VoteRow
from store.learners import first_try, learner_row
from store.tables import Answer
from store.transactions import Database

LESSON = "class"


def kept_id(code: str, number: int) -> str:
    """The question's id among a learner's answers."""
    return f"class-{code}-{number}"


def keep_for_learners(database: Database, code: str) -> None:
    """Copy the answers of all revealed rounds to the learners who gave them; once each."""

    def work(session: Session) -> None:
        query = (
            select(MemberRow.learner_id, VoteRow.answer, VoteRow.at, RoundRow)
            .join(MemberRow, MemberRow.id == VoteRow.member_id)
            .join(RoundRow, (RoundRow.code == VoteRow.code) & (RoundRow.number == VoteRow.number))
            .where(
                VoteRow.code == code,
                MemberRow.learner_id.is_not(None),
                RoundRow.revealed_at.is_not(None),
            )
        )
        prefix = f"class-{code}-%"
        have = select(Answer.learner_id, Answer.quiz_id).where(Answer.quiz_id.like(prefix))
        known = {(row[0], row[1]) for row in session.execute(have)}
        for learner_id, answer, at, one in session.execute(query).all():
            if learner_id and (learner_id, kept_id(code, one.number)) not in known:
                known.add((learner_id, kept_id(code, one.number)))
                learner_row(session, learner_id)
                session.add(_answer(learner_id, kept_id(code, one.number), one, answer, at))

    database.write(work)


def _answer(learner_id: str, quiz_id: str, one: RoundRow, key: str, at: datetime) -> Answer:
    choices = {choice["key"]: choice["text"] for choice in json.loads(one.question)["choices"]}
    return first_try(learner_id, quiz_id, LESSON, choices.get(key, key), key == one.correct, at)
