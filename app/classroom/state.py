"""Where a class stands, and how a teacher's action changes it. Pure: nothing is read or written."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from classroom.errors import BadPlan, Refused
from classroom.place import Place, Spot, rank, settle
from classroom.plans.plan import Plan
from classroom.plans.question import Question
from classroom.plans.questions import Asked, put
from store.class_records import ClassRecord, RoundRecord

LASTS = timedelta(hours=24)
REMEMBERED = 50
MOST_ROUNDS = 500

Name = Literal[
    "show", "reveal_to", "ask", "close", "again", "reveal", "hide", "end", "extend", "delete"
]


class State(BaseModel):
    """What is kept beside the rounds.

    place     where everybody looks
    revealed  the furthest stop shown, for each item that was shown
    round     the round on the screens, if any
    done      the ids of the last actions: one that is sent again is not done again
    """

    model_config = ConfigDict(frozen=True)

    place: Place = Place()
    revealed: dict[int, Spot] = {}
    round: int | None = None
    done: tuple[str, ...] = ()


class Put(Asked):
    """A question as a round keeps it. `already_shown`: its answer had been on the screens."""

    already_shown: bool = False


class Action(BaseModel):
    """What a teacher asks for.

    id     chosen by the browser; the same id is done once
    place  for show and reveal_to
    index, question  for ask: one of the current item's, or another
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: Name
    id: Annotated[str, StringConstraints(max_length=64)] = ""
    place: Place | None = None
    index: Annotated[int, Field(ge=0)] | None = None
    question: Question | None = None


def first_state(plan: Plan) -> State:
    """A class that begins: the first item, before anything but its drafts."""
    start = settle(Spot(), plan.items[0].run())
    return State(place=Place.at(0, start), revealed={0: start})


def state_of(record: ClassRecord) -> State:
    """A class's state, from its row."""
    return State.model_validate_json(record.state)


def question_of(one: RoundRecord) -> Put:
    """A round's question, from its row."""
    return Put.model_validate_json(one.question)


def is_over(record: ClassRecord, now: datetime) -> bool:
    """Whether the class was ended, or its time is up."""
    return record.ended_at is not None or now >= record.ends_at


def act(record: ClassRecord, action: Action, plan: Plan, now: datetime) -> ClassRecord:
    """The class after an action; the same record where there is nothing to do.

    Raises Refused, with a sentence for the teacher.
    """
    if action.id and action.id in state_of(record).done:
        return record
    if is_over(record, now) and action.action != "extend":
        raise Refused(409, "This class has ended. Extend it to go on.")
    after = _Step(record, plan, now).do(action)
    if after == record:
        return record
    state = state_of(after)
    done = (*state.done, action.id)[-REMEMBERED:] if action.id else state.done
    return replace(
        after,
        version=record.version + 1,
        state=state.model_copy(update={"done": done}).model_dump_json(),
    )


class _Step:
    """One action on one class."""

    def __init__(self, record: ClassRecord, plan: Plan, now: datetime) -> None:
        self.record, self.plan, self.now = record, plan, now
        self.state = state_of(record)
        self.rounds = {one.number: one for one in record.rounds}

    def do(self, action: Action) -> ClassRecord:
        name = action.action
        if name in ("show", "reveal_to"):
            if action.place is None:
                raise Refused(400, f"{name} needs a place.")
            self._show(action.place, exactly=name == "reveal_to")
        elif name == "ask":
            self._ask(self._chosen(action))
        elif name == "again":
            self._again()
        elif name in ("close", "reveal", "hide"):
            self._settle_round(name)
        elif name == "end":
            self._close_all()
            self.record = replace(self.record, ended_at=self.now)
        elif name == "extend":
            self.record = replace(self.record, ended_at=None, ends_at=self.now + LASTS)
        else:
            raise Refused(400, "This is not done here.")
        rounds = tuple(self.rounds[number] for number in sorted(self.rounds))
        return replace(self.record, state=self.state.model_dump_json(), rounds=rounds)

    # -- the place -------------------------------------------------------------------------------

    def _show(self, place: Place, exactly: bool = False) -> None:
        """Everybody looks there; what is further than before is revealed by it."""
        if place.item >= len(self.plan.items):
            raise Refused(400, f"The plan has {len(self.plan.items)} items.")
        spot = settle(place.spot, self.plan.items[place.item].run())
        before = self.state.revealed.get(place.item)
        furthest = spot if before is None or exactly else max(before, spot, key=rank)
        self.state = self.state.model_copy(
            update={
                "place": Place.at(place.item, spot),
                "revealed": {**self.state.revealed, place.item: furthest},
            }
        )
        for one in self.rounds.values():  # an answer on the screen ends the guessing
            asked = question_of(one)
            if one.open and not asked.already_shown and self._shown(one.item, asked.gives):
                self.rounds[one.number] = replace(one, closed_at=self.now)

    def _shown(self, item: int, spot: Spot | None) -> bool:
        revealed = self.state.revealed.get(item)
        return spot is not None and revealed is not None and rank(revealed) >= rank(spot)

    # -- questions -------------------------------------------------------------------------------

    def _chosen(self, action: Action) -> Question:
        if action.question is not None:
            return action.question
        questions = self.plan.items[self.state.place.item].questions
        if action.index is None or action.index >= len(questions):
            raise Refused(400, f"This item has {len(questions)} questions.")
        return questions[action.index]

    def _ask(self, question: Question) -> None:
        item = self.state.place.item
        try:
            asked = put(question, self.plan.items[item].run())
        except BadPlan as error:
            raise Refused(400, f"This cannot be asked: {error}.") from error
        self._close_all()
        if asked.needs is not None and not self._shown(item, asked.needs):
            self._show(Place.at(item, asked.needs))
        self._open(item, asked, first=None)

    def _again(self) -> None:
        one = self._current()
        if one.revealed_at is not None:
            raise Refused(409, "The answer has been shown, so asking again tells nothing.")
        self._close_all()
        self._open(one.item, question_of(one), first=one.first)

    def _open(self, item: int, asked: Asked, first: int | None) -> None:
        if len(self.rounds) >= MOST_ROUNDS:
            raise Refused(409, f"A class has at most {MOST_ROUNDS} questions.")
        number = max(self.rounds, default=0) + 1
        fields = asked.model_dump() | {"already_shown": self._shown(item, asked.gives)}
        self.rounds[number] = RoundRecord(
            number=number,
            item=item,
            first=first or number,
            question=Put(**fields).model_dump_json(),
            correct=asked.correct,
            opened_at=self.now,
        )
        self.state = self.state.model_copy(update={"round": number})

    def _settle_round(self, name: str) -> None:
        one = self._current()
        one = replace(one, closed_at=one.closed_at or self.now)
        if name == "reveal":
            one = replace(one, revealed_at=one.revealed_at or self.now)
        self.rounds[one.number] = one
        if name == "hide":
            self.state = self.state.model_copy(update={"round": None})

    def _current(self) -> RoundRecord:
        if self.state.round is None:
            raise Refused(409, "No question has been asked.")
        return self.rounds[self.state.round]

    def _close_all(self) -> None:
        for one in self.rounds.values():
            if one.open:
                self.rounds[one.number] = replace(one, closed_at=self.now)
