"""What a learner can take along: their answers and progress as CSV and as JSON."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, TypeVar

Record = TypeVar("Record")

_NUMBER = re.compile(r"^[+-]?[\d.,]+(%|/[\d.]+)?$")


def record_of(kind: type[Record], row: object, **others: object) -> Record:
    """A row of a table as a record: the columns that have the names of the record's fields.

    others  fields that are no columns
    """
    names = [field.name for field in fields(kind) if field.name not in others]  # type: ignore[arg-type]
    values: dict[str, Any] = {name: getattr(row, name) for name in names}
    return kind(**values, **others)


@dataclass(frozen=True)
class AnswerRecord:
    """One question, as the learner answered it. `correct` is None for a skipped prediction."""

    quiz_id: str
    lesson: str
    first_answer: str
    first_correct: bool | None
    first_at: datetime
    final_answer: str
    final_correct: bool | None
    final_at: datetime
    tries: int


@dataclass(frozen=True)
class ProgressRecord:
    """One lesson, as far as the learner is."""

    lesson: str
    furthest: int
    opened_at: datetime
    done_at: datetime | None


def as_csv(answers: Sequence[AnswerRecord], questions: Mapping[str, str]) -> str:
    """One row a question. `questions` gives the text of each id; an unknown one stays empty."""
    columns = list(AnswerRecord.__dataclass_fields__)
    rows = [
        [*(getattr(answer, column) for column in columns), questions.get(answer.quiz_id, "")]
        for answer in answers
    ]
    return table_csv([*columns, "question"], rows)


def as_json(
    answers: Sequence[AnswerRecord],
    progress: Sequence[ProgressRecord],
    questions: Mapping[str, str],
) -> str:
    """Everything, with the text of each question where it is known."""
    rows = [{**asdict(a), "question": questions.get(a.quiz_id, "")} for a in answers]
    everything = {"answers": rows, "progress": [asdict(entry) for entry in progress]}
    return json.dumps(everything, indent=2, ensure_ascii=False, default=_moment)


def table_csv(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """A table that no spreadsheet takes for formulas, under its columns' names."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return _moment(value)
    text = str(value)
    return f"'{text}" if text[:1] in "=+-@\t\r" and text and not _NUMBER.match(text) else text


def _moment(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
