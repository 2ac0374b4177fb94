"""What the browsers get: the state of a class, for students and for the teacher. Pure."""

from collections.abc import Mapping
from typing import Any

from classroom.errors import BadPlan
from classroom.hidden_run import cut_step
from classroom.place import Spot
from classroom.plans.plan import Item, Plan
from classroom.plans.questions import put
from classroom.state import question_of, state_of
from store.class_records import ClassRecord, RoundRecord

Json = dict[str, Any]
Counts = dict[int, dict[str, int]]
"""How often each answer was given, by round."""


def student_state(record: ClassRecord, plan: Plan, counts: Counts, here: int, over: bool) -> Json:
    """What every student may know, and nothing else. The same for all of them."""
    return _common(record, plan, here, over) | {"question": _question(record, counts, False)}


def teacher_state(
    record: ClassRecord, plan: Plan, outline: Json, counts: Counts, here: int, over: bool
) -> Json:
    """What the students see, the counts while a round is open, the right answers, the plan.

    outline  the plan's `outline`, which does not change
    """
    current = state_of(record).round
    return _common(record, plan, here, over) | {
        "question": _question(record, counts, True),
        "answered": sum(counts.get(current, {}).values()) if current is not None else 0,
        "code": record.code,
        "rounds": len(record.rounds),
        "plan": outline,
    }


def outline(plan: Plan) -> Json:
    """A plan for the teacher's page: titles, notes, and the questions as they would be put."""
    items = [_item(item) for item in plan.items]
    return {"title": plan.title, "about": plan.about, "items": items}


def own_answers(record: ClassRecord, answers: Mapping[int, str]) -> list[Json]:
    """A student's answers with their questions; right or wrong only where it was revealed."""
    found = []
    for one in record.rounds:
        if one.number in answers:
            asked, key = question_of(one), answers[one.number]
            texts = {choice.key: choice.text for choice in asked.choices}
            right = key == one.correct if one.revealed_at is not None else None
            answer = {"round": one.number, "text": asked.text, "answer": texts.get(key, key)}
            found.append({**answer, "correct": right})
    return found


def histogram(one: RoundRecord, counts: Counts) -> dict[str, int]:
    """How often each choice was taken, those that nobody took included."""
    given = counts.get(one.number, {})
    return {choice.key: given.get(choice.key, 0) for choice in question_of(one).choices}


def _common(record: ClassRecord, plan: Plan, here: int, over: bool) -> Json:
    state = state_of(record)
    item = plan.items[state.place.item]
    revealed = state.revealed.get(state.place.item, Spot())
    return {
        "version": record.version,
        "title": item.title,
        "items": len(plan.items),
        "place": state.place.model_dump(),
        "revealed": {"item": state.place.item, **revealed.model_dump()},
        "step": cut_step(item.run(), revealed),
        "here": here,
        "ended": over,
        "ends_at": record.ends_at.isoformat(timespec="seconds"),
    }


def _question(record: ClassRecord, counts: Counts, teacher: bool) -> Json | None:
    number = state_of(record).round
    one = next((one for one in record.rounds if one.number == number), None)
    if one is None:
        return None
    asked = question_of(one)
    known = teacher or one.revealed_at is not None
    more = {
        "already_shown": asked.already_shown,
        "revealed": one.revealed_at is not None,
        "gives": asked.gives and asked.gives.model_dump(),
    }
    return {
        "round": one.number,
        "item": one.item,
        "kind": asked.kind,
        "text": asked.text,
        "choices": [choice.model_dump() for choice in asked.choices],
        "open": one.open,
        "cycle": asked.cycle,
        "position": asked.position,
        "rounds": [
            {
                "round": each.number,
                "histogram": histogram(each, counts) if teacher or not each.open else None,
            }
            for each in record.rounds
            if each.first == one.first and each.number <= one.number
        ],
        "correct": one.correct if known else None,
        "why": asked.why if known else None,
        **(more if teacher else {}),
    }


def _item(item: Item) -> Json:
    trace = item.run()
    return {
        "title": item.title,
        "notes": item.notes,
        "cycles": len(trace.cycles),
        "k": trace.settings.k,
        "prompt": trace.settings.prompt,
        "questions": [_planned(item, i) for i in range(len(item.questions))],
    }


def _planned(item: Item, index: int) -> Json:
    question = item.questions[index]
    try:
        asked = put(question, item.run())
    except BadPlan as error:  # a lesson may have changed since the plan was checked
        return {"kind": question.kind, "text": str(error), "choices": [], "note": question.note}
    return {
        "kind": asked.kind,
        "text": asked.text,
        "choices": [choice.model_dump() for choice in asked.choices],
        "cycle": asked.cycle,
        "position": asked.position,
        "quiz": asked.quiz,
        "note": question.note,
    }
