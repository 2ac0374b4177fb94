"""Class plans as files, and the questions that are made from them."""

import gzip
import json
import re
from typing import Any

import pytest

from classroom.errors import BadPlan
from classroom.plans.plan import Plan, pack_plan, parse_plan, read_plan, shipped
from classroom.plans.question import Question
from classroom.plans.questions import put
from content.library import library
from content.quiz import Order
from helpers.recorded_places import first_fallen
from recordings.trace_files import recorded
from speculation.trace import Trace

FALLEN = first_fallen()
GOOD = {
    "version": 1,
    "title": "A plan",
    "about": "",
    "items": [
        {
            "title": "One",
            "notes": "Say this.",
            "recording": "code",
            "questions": [{"kind": "verdict", "cycle": FALLEN, "position": 0, "note": "Wait."}],
        }
    ],
}


def changed(path: str, value: Any) -> bytes:
    """The good plan with one field changed, as a file."""
    plan = json.loads(json.dumps(GOOD))
    *way, last = path.split(".")
    at: Any = plan
    for step in way:
        at = at[int(step)] if step.isdigit() else at[step]
    at[last] = value
    return json.dumps(plan).encode()


def run(name: str) -> Trace:
    trace = recorded(name)
    assert trace is not None
    return trace


def test_a_plan_survives_its_file() -> None:
    plan = parse_plan(json.dumps(GOOD).encode())
    assert parse_plan(pack_plan(plan)) == plan
    assert parse_plan(plan.model_dump_json().encode()) == plan
    assert pack_plan(plan) == pack_plan(plan)


def test_a_plan_may_carry_its_runs() -> None:
    plan = Plan(title="Mine", items=({"title": "x", "trace": run("quote")},))  # type: ignore[arg-type]
    again = parse_plan(pack_plan(plan))
    assert again.items[0].run() == run("quote")


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("title", "", "title: "),
        ("title", "x" * 121, "title: "),
        ("title", "a\x00b", "title: has a NUL"),
        ("version", 2, "version: "),
        ("items", [], "items: "),
        ("items.0.recording", None, "items.0: an item has either"),
        ("items.0.recording", "../../etc/passwd", "items.0.recording: "),
        ("items.0.recording", "no-such-run", "items.0: there is no recording"),
        ("items.0.trace", {"cycles": []}, "items.0.trace"),
        ("items.0.notes", "x" * 4001, "items.0.notes: "),
        ("items.0.settings", {"k": 99}, "items.0.settings.k: "),
        ("items.0.extra", 1, "items.0.extra: "),
        ("items.0.questions", [{"kind": "count", "cycle": 0}] * 31, "items.0.questions: "),
        ("items.0.questions.0.kind", "essay", "items.0.questions.0.kind: "),
        ("items.0.questions.0.cycle", None, "items.0.questions.0: a verdict question needs"),
        ("items.0.questions.0.cycle", 500, "items.0.questions.0: there is no cycle 501"),
        (
            "items.0.questions.0.position",
            3,
            f"items.0.questions.0: cycle {FALLEN + 1} has no verdict at",
        ),
        ("items.0.questions.0.cycle", -1, "items.0.questions.0.cycle: "),
    ],
)
def test_an_error_says_where_it_is(path: str, value: Any, said: str) -> None:
    with pytest.raises(BadPlan) as found:
        parse_plan(changed(path, value))
    assert str(found.value).startswith("Not a class plan: ")
    assert said in str(found.value)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"null", b"{", b"\xff\xfe\x00", b"[" * 100_000,
        gzip.compress(b"0" * 30_000_000, mtime=0), gzip.compress(b"{}", mtime=0)[:-4],
        b"\x1f\x8b\x08junk", b" " * 5_000_000,
    ],
)  # fmt: skip
def test_what_is_no_plan_is_refused(data: bytes) -> None:
    with pytest.raises(BadPlan):
        parse_plan(data)


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(BadPlan, match="title"):
        read_plan(GOOD | {"title": "\ud800"})


def test_the_shipped_plans_fit_their_runs() -> None:
    for name, plan in shipped().items():
        assert sum(len(item.questions) for item in plan.items) >= 3, name


def test_the_ratios_in_the_notes_are_those_of_the_runs() -> None:
    said = 0
    for plan in shipped().values():
        for item in plan.items:
            for question in item.questions:
                for ratio in re.findall(r"p/q is (\.\d+)", question.note):
                    assert question.cycle is not None
                    assert question.position is not None
                    row = item.run().cycles[question.cycle].drafted[question.position]
                    assert row.p is not None
                    assert row.p / row.q == pytest.approx(float(ratio), abs=0.006), question
                    said += 1
    assert said, "the notes name no ratio any more"


@pytest.mark.parametrize("name", ["code", "story", "quote", "code-greedy", "code-same"])
def test_every_question_has_one_right_answer(name: str) -> None:
    trace = run(name)
    for cycle in trace.cycles:
        questions = [Question(kind="count", cycle=cycle.index)]
        for i in range(len(cycle.checked)):
            questions.append(Question(kind="verdict", cycle=cycle.index, position=i))
        for question in questions:
            asked = put(question, trace)
            assert [option.key for option in asked.choices].count(asked.correct) == 1
            assert len({option.text for option in asked.choices}) == len(asked.choices)
        try:
            asked = put(Question(kind="replacement", cycle=cycle.index), trace)
        except BadPlan:
            continue
        assert cycle.replacement is not None
        assert asked.correct == str(cycle.replacement.token)
        assert asked.correct in {option.key for option in asked.choices}
        if not cycle.replacement.bonus:
            rejected = str(cycle.drafted[cycle.n_accepted].token)
            assert rejected in {option.key for option in asked.choices}


def test_answers_are_those_of_the_run() -> None:
    trace = run("code")
    cycle = next(c for c in trace.cycles if not c.replacement.bonus)  # type: ignore[union-attr]
    n = cycle.n_accepted
    verdict = put(Question(kind="verdict", cycle=cycle.index, position=n), trace)
    assert verdict.correct == "rejected"
    assert put(Question(kind="count", cycle=cycle.index), trace).correct == str(n + 1)
    assert str(cycle.drafted[n].u)[:4] not in verdict.text, "the number that decides is hidden"


def test_a_checkpoint_question_can_be_asked_without_giving_it_away() -> None:
    trace = run("code")
    right = set()
    for block in library().quizzes:
        question = Question(kind="quiz", quiz=block.id)
        if isinstance(block.quiz, Order):
            with pytest.raises(BadPlan, match="order"):
                put(question, trace)
            continue
        asked = put(question, trace)
        assert [option.key for option in asked.choices] == list("abcdefgh")[: len(asked.choices)]
        right.add(asked.correct)
    assert len(right) >= 3, "the right answer stands in different places"
