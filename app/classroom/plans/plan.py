"""A class plan: recorded runs in order, with notes and questions. A file that can be shared.

An item names a recording that ships with the app, or carries its own run. The file is JSON,
compressed or not, with a version, and nothing in it is trusted: sizes are bounded, every field is
checked, and an error says where it is.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from classroom.errors import BadPlan
from classroom.plans.question import Name, Part, Question
from classroom.plans.questions import put
from recordings.packed_json import BadFile, complaint, json_of, packed
from recordings.trace_files import recorded
from speculation.pairs.assets import ASSETS
from speculation.settings import Settings
from speculation.trace import Trace

PLAN_VERSION: Literal[1] = 1
MAX_PLAN_BYTES = 4_000_000
PLANS = ASSETS / "plans"

Line = Annotated[str, StringConstraints(min_length=1, max_length=120, strip_whitespace=True)]


class Item(Part):
    """One run, what the teacher wants to say about it, and what to ask.

    recording  the name of a run that ships with the app; or else
    trace      the run itself
    settings   what it was asked for, for those who want to run it again
    """

    title: Line
    notes: Annotated[str, StringConstraints(max_length=4000)] = ""
    recording: Name | None = None
    settings: Settings | None = None
    trace: Trace | None = None
    questions: Annotated[tuple[Question, ...], Field(max_length=30)] = ()

    @model_validator(mode="after")
    def _one_run(self) -> Self:
        if (self.recording is None) == (self.trace is None):
            raise ValueError("an item has either the name of a recording or a trace of its own")
        if self.trace is not None and not self.trace.cycles:
            raise ValueError("the trace has no cycles")
        return self

    def run(self) -> Trace:
        """The item's run. Raises BadPlan if there is no recording of this name."""
        found = self.trace or recorded(str(self.recording))
        if found is None or not found.cycles:
            raise BadPlan(f"there is no recording {self.recording!r}")
        return found


class Plan(Part):
    """What a teacher goes through with a class."""

    version: Literal[1] = PLAN_VERSION
    title: Line
    about: Annotated[str, StringConstraints(max_length=2000)] = ""
    items: Annotated[tuple[Item, ...], Field(min_length=1, max_length=40)]


def parse_plan(data: bytes) -> Plan:
    """A plan from a file, compressed or not; every question fits its run.

    Raises BadPlan, naming the field that is wrong.
    """
    if len(data) > MAX_PLAN_BYTES:
        raise BadPlan(f"The file is larger than {MAX_PLAN_BYTES // 10**6} MB")
    unpacked = unpack(data)
    plan = _checked(lambda: Plan.model_validate_json(unpacked))
    check_plan(plan)
    return plan


def read_plan(data: object) -> Plan:
    """A plan from JSON that was read already; its questions are not checked yet."""
    return _checked(lambda: Plan.model_validate(data))


def _checked(read: Callable[[], Plan]) -> Plan:
    try:
        return read()
    except ValidationError as error:
        raise BadPlan(f"Not a class plan: {complaint(error)}") from error


def pack_plan(plan: Plan) -> bytes:
    """A plan as compressed JSON; the same plan gives the same bytes."""
    return packed(plan)


def unpack(data: bytes) -> bytes:
    """The JSON of a plan, compressed or not. Raises BadPlan."""
    try:
        return json_of(data)
    except BadFile as error:
        raise BadPlan(f"Not a class plan: {error}") from error


def check_plan(plan: Plan) -> None:
    """Every recording exists, and every question has an answer in its run. Raises BadPlan."""
    for i, item in enumerate(plan.items):
        try:
            trace = item.run()
        except BadPlan as error:
            raise BadPlan(f"Not a class plan: items.{i}: {error}") from error
        for j, question in enumerate(item.questions):
            try:
                put(question, trace)
            except BadPlan as error:
                raise BadPlan(f"Not a class plan: items.{i}.questions.{j}: {error}") from error


@lru_cache(maxsize=1)
def shipped() -> dict[str, Plan]:
    """The plans that ship with the app, by name, in the order of their file names."""
    return {file.stem: parse_plan(file.read_bytes()) for file in sorted(PLANS.glob("*.json"))}


def plan_file(name: str) -> Path:
    """Where a shipped plan lies."""
    return PLANS / f"{name}.json"
