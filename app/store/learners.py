"""The store: answers and progress of learners, safe with many tabs at once.

A learner's row appears with their first answer, so people who only look leave nothing behind.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from store.codes import new_resume_code, read_resume_code
from store.records import AnswerRecord, ProgressRecord, as_csv, as_json, record_of
from store.tables import Answer, Learner, Progress
from store.transactions import Database, database

LONGEST_ANSWER = 200


class Store:
    """Everything that is kept about learners. Its methods may be called from any thread."""

    def __init__(self, database: Database | str) -> None:
        self._database = Database(database) if isinstance(database, str) else database

    @property
    def notice(self) -> str | None:
        """What the page must say about the store: a damaged file, or one that cannot be kept."""
        return self._database.opened.notice

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    # -- answers ---------------------------------------------------------------------------------

    def record(
        self, learner_id: str, quiz_id: str, lesson: str, answer: str, correct: bool | None
    ) -> AnswerRecord:
        """Keep one try. The first is kept for good; the last one replaces the one before.

        `correct` is None for a prediction that was skipped.
        """
        kept, now = answer[:LONGEST_ANSWER], datetime.now(UTC)

        def work(session: Session) -> AnswerRecord:
            learner_row(session, learner_id)
            row = get_or_add(
                session,
                Answer,
                (learner_id, quiz_id),
                lambda: first_try(learner_id, quiz_id, lesson, kept, correct, now, tries=0),
            )
            row.final_answer, row.final_correct, row.final_at = kept, correct, now
            row.tries += 1
            return record_of(AnswerRecord, row)

        return self._database.write(work)

    def answers(self, learner_id: str) -> dict[str, AnswerRecord]:
        """What a learner has answered, by question id."""
        query = select(Answer).where(Answer.learner_id == learner_id).order_by(Answer.first_at)

        def work(session: Session) -> dict[str, AnswerRecord]:
            return {row.quiz_id: record_of(AnswerRecord, row) for row in session.scalars(query)}

        return self._database.read(work)

    # -- progress --------------------------------------------------------------------------------

    def reached(self, learner_id: str, lesson: str, section: int) -> None:
        """The learner has opened this section (from 0) of the lesson; it never goes back."""
        self._progress(learner_id, lesson, section, done=False)

    def done(self, learner_id: str, lesson: str) -> None:
        """The lesson's checkpoint is passed; the first time counts."""
        self._progress(learner_id, lesson, 0, done=True)

    def progress(self, learner_id: str) -> dict[str, ProgressRecord]:
        """How far a learner is, by lesson."""
        query = select(Progress).where(Progress.learner_id == learner_id)

        def work(session: Session) -> dict[str, ProgressRecord]:
            return {row.lesson: record_of(ProgressRecord, row) for row in session.scalars(query)}

        return self._database.read(work)

    # -- who -------------------------------------------------------------------------------------

    def resume_code(self, learner_id: str) -> str:
        """The code that continues this learner's work elsewhere."""
        return self._database.write(lambda session: learner_row(session, learner_id).resume_code)

    def find(self, typed_code: str) -> str | None:
        """The learner id that a typed resume code belongs to."""
        query = select(Learner.id).where(Learner.resume_code == read_resume_code(typed_code))
        return self._database.read(lambda session: session.scalars(query).one_or_none())

    def forget(self, learner_id: str) -> None:
        """Delete a learner's answers, progress and resume code."""

        def work(session: Session) -> None:
            for table in (Answer, Progress):
                session.execute(delete(table).where(table.learner_id == learner_id))
            session.execute(delete(Learner).where(Learner.id == learner_id))

        self._database.write(work)

    # -- take it along ---------------------------------------------------------------------------

    def export_csv(self, learner_id: str, questions: Mapping[str, str] | None = None) -> str:
        """A learner's answers, one row a question."""
        return as_csv(list(self.answers(learner_id).values()), questions or {})

    def export_json(self, learner_id: str, questions: Mapping[str, str] | None = None) -> str:
        """A learner's answers and progress."""
        answers, progress = self.answers(learner_id), self.progress(learner_id)
        return as_json(list(answers.values()), list(progress.values()), questions or {})

    # -- inside ----------------------------------------------------------------------------------

    def _progress(self, learner_id: str, lesson: str, section: int, done: bool) -> None:
        now = datetime.now(UTC)

        def work(session: Session) -> None:
            learner_row(session, learner_id)
            row = get_or_add(
                session,
                Progress,
                (learner_id, lesson),
                lambda: Progress(
                    learner_id=learner_id, lesson=lesson, furthest=0, opened_at=now, done_at=None
                ),
            )
            row.furthest = max(row.furthest, section)
            if done and row.done_at is None:
                row.done_at = now

        self._database.write(work)


@lru_cache(maxsize=1)
def store() -> Store:
    """The server's store, opened once."""
    return Store(database())


def learner_row(session: Session, learner_id: str) -> Learner:
    """The learner's row, made when it is first needed."""
    return get_or_add(
        session,
        Learner,
        learner_id,
        lambda: Learner(id=learner_id, resume_code=new_resume_code(), created_at=datetime.now(UTC)),
    )


Row = TypeVar("Row", Learner, Answer, Progress)


def get_or_add(session: Session, table: type[Row], key: Any, make: Callable[[], Row]) -> Row:
    """A row, locked until the transaction ends; added if it is not there.

    sqlite has one writer at a time, so there is no race. On a server two tabs may both find
    nothing: the slower one's insert fails, and it finds the other's row.
    """
    for _ in range(3):
        row = session.get(table, key, with_for_update=True)
        if row is not None:
            return row
        try:
            with session.begin_nested():
                row = make()
                session.add(row)
            return row
        except IntegrityError:
            continue
    raise RuntimeError(f"{table.__tablename__}: the row could be neither found nor added")


def first_try(
    learner_id: str,
    quiz_id: str,
    lesson: str,
    answer: str,
    correct: bool | None,
    at: datetime,
    tries: int = 1,
) -> Answer:
    """The row of a question that is answered for the first time: the last try is the first."""
    kept = answer[:LONGEST_ANSWER]
    return Answer(
        learner_id=learner_id,
        quiz_id=quiz_id,
        lesson=lesson,
        first_answer=kept,
        first_correct=correct,
        first_at=at,
        tries=tries,
        final_answer=kept,
        final_correct=correct,
        final_at=at,
    )
