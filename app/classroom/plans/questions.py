"""What can be asked: a prediction about the run on the screen, or a checkpoint question.

The right answer comes from the run itself, or from the lesson; it stays on the server until the
teacher reveals it.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from charts.labels import token_label
from classroom.errors import BadPlan
from classroom.place import Spot, before_decision, last_decision
from classroom.plans.question import Question
from content.library import library
from content.quiz import Choice, Numeric, Order, mixed
from speculation.trace import Cycle, Trace

MOST_TOKENS = 4


class Option(BaseModel):
    """One choice. The key is what a vote carries."""

    model_config = ConfigDict(frozen=True)

    key: str
    text: str


class Asked(BaseModel):
    """A question as it is put.

    needs    the stop at which it makes sense: what it speaks of is on the screen
    gives    the stop that shows the answer; both None for a checkpoint question
    correct  the key of the right option, and `why` in one sentence
    """

    model_config = ConfigDict(frozen=True)

    kind: str
    text: str
    choices: tuple[Option, ...]
    correct: str
    why: str
    cycle: int | None = None
    position: int | None = None
    quiz: str | None = None
    needs: Spot | None = None
    gives: Spot | None = None


def put(question: Question, trace: Trace) -> Asked:
    """Turn a question of a plan into what students see. Raises BadPlan if the run has no case."""
    if question.kind == "quiz":
        return _quiz(str(question.quiz))
    index = question.cycle or 0
    if index >= len(trace.cycles):
        raise BadPlan(f"there is no cycle {index + 1}: the run has {len(trace.cycles)}")
    cycle = trace.cycles[index]

    def name(token: int) -> str:
        return f"“{token_label(trace.pieces[token])}”"

    if question.kind == "verdict":
        return _verdict(cycle, question.position or 0, name)
    if question.kind == "count":
        return _count(cycle)
    return _replacement(cycle, name)


def _verdict(cycle: Cycle, position: int, name: Callable[[int], str]) -> Asked:
    if position >= len(cycle.checked):
        raise BadPlan(
            f"cycle {cycle.index + 1} has no verdict at position {position + 1}: "
            f"{len(cycle.checked)} were looked at"
        )
    x = cycle.drafted[position]
    below = x.u < x.a
    ratio = "p is at least q, so it is kept whatever u is"
    why = ratio if x.a >= 1.0 else f"u = {_number(x.u)} is {'' if below else 'not '}below p/q"
    if x.a < 1.0:
        why += f" = {_number(x.a)}"
    return Asked(
        kind="verdict",
        text=f"{name(x.token)} was drafted with q = {_number(x.q)}; the target gives it "
        f"p = {_number(x.p)}. Accepted or rejected?",
        choices=(Option(key="accepted", text="Accepted"), Option(key="rejected", text="Rejected")),
        correct=x.verdict,
        why=f"{x.verdict.capitalize()}: {why}.",
        cycle=cycle.index,
        position=position,
        needs=before_decision(cycle, position),
        gives=Spot(cycle=cycle.index, stage="decide", position=position),
    )


def _count(cycle: Cycle) -> Asked:
    k, n, committed = len(cycle.drafted), cycle.n_accepted, len(cycle.committed)
    why = f"{n} accepted, and one more that ends the cycle."
    if committed != n + 1:
        why = f"{n} accepted; the text ended there, so {committed} were committed."
    return Asked(
        kind="count",
        text=f"{k} tokens are drafted. How many will this cycle commit?",
        choices=tuple(Option(key=str(i), text=str(i)) for i in range(1, k + 2)),
        correct=str(committed),
        why=why,
        cycle=cycle.index,
        needs=Spot(cycle=cycle.index),
        gives=last_decision(cycle),
    )


def _replacement(cycle: Cycle, name: Callable[[int], str]) -> Asked:
    """Among the likeliest under the law it is drawn from, the drafted one, and the right one."""
    end, where = cycle.replacement, cycle.index + 1
    if end is None:
        raise BadPlan(f"cycle {where} has no replacement: an accepted token ended the text")
    if end.bonus:
        table, likely, drafted = end.table, end.table and end.table.p, []
        text = "Every draft was accepted. Which token does the target add?"
        why = f"{name(end.token)} was drawn from p, where it has probability {_number(end.p)}."
    else:
        rejected = cycle.drafted[cycle.n_accepted]
        table, likely = rejected.table, rejected.table and rejected.table.left
        drafted = [rejected.token]
        text = f"{name(rejected.token)} was rejected. Which token replaces it?"
        why = f"{name(end.token)} was drawn from the residual, with probability {_number(end.r)}."
    if table is None or not likely:
        raise BadPlan(
            f"the recording of cycle {where} does not hold the distribution of its last token"
        )
    by_height = sorted(zip(likely, table.tokens, strict=True), key=lambda x: (-x[0], x[1]))
    tokens = [token for height, token in by_height if height > 0.0][: MOST_TOKENS - 1]
    by_p = sorted(zip(table.p, table.tokens, strict=True), key=lambda x: (-x[0], x[1]))
    tokens = [*dict.fromkeys([*tokens, end.token, *drafted, *(t for _, t in by_p[:1])])]
    options = _distinct(((str(token), name(token)) for token in tokens), str(end.token))
    if len(options) < 2:
        raise BadPlan(f"cycle {where} leaves no choice: one token alone is possible")
    return Asked(
        kind="replacement",
        text=text,
        choices=mixed(options, f"{cycle.index}|{cycle.start}"),
        correct=str(end.token),
        why=why,
        cycle=cycle.index,
        needs=last_decision(cycle),
        gives=Spot(cycle=cycle.index, stage="replace", position=cycle.n_accepted),
    )


@lru_cache(maxsize=1)
def votable() -> tuple[Asked, ...]:
    """Every checkpoint question of the lessons that a class can vote on, in the lessons' order."""
    found = []
    for block in library().quizzes:
        try:
            found.append(_quiz(block.id))
        except BadPlan:  # an order, or a number without near misses
            continue
    return tuple(found)


def _quiz(quiz_id: str) -> Asked:
    found = next((block.quiz for block in library().quizzes if block.id == quiz_id), None)
    if found is None:
        raise BadPlan(f"no lesson has a checkpoint question {quiz_id!r}")
    if isinstance(found, Order):
        raise BadPlan(f"{quiz_id} asks for an order, which cannot be voted on")
    if isinstance(found, Choice):
        options = [Option(key=option.key, text=option.text) for option in found.options]
        correct, why = found.right.key, found.right.feedback
    else:
        values = [found.answer, *(near.value for near in found.near)]
        keyed = ((str(i), _value(value, found)) for i, value in enumerate(values))
        options = list(mixed(_distinct(keyed, "0"), quiz_id))
        correct, why = "0", found.feedback.right
    if len(options) < 2:
        raise BadPlan(f"{quiz_id} has no wrong answer to choose from, so it cannot be voted on")
    # The lesson's own keys may say what is right: a vote names a letter instead.
    letters = {option.key: "abcdefghij"[i] for i, option in enumerate(options)}
    return Asked(
        kind="quiz",
        text=found.question,
        choices=tuple(Option(key=letters[option.key], text=option.text) for option in options),
        correct=letters[correct],
        why=why,
        quiz=quiz_id,
    )


def _value(value: float, quiz: Numeric) -> str:
    return f"{value:.4g}{'' if quiz.unit in ('', '%') else ' '}{quiz.unit}"


def _distinct(options: Iterable[tuple[str, str]], right: str) -> list[Option]:
    """Without options that read alike; the right one stays."""
    by_text: dict[str, Option] = {}
    for key, text in options:
        if text not in by_text or key == right:
            by_text[text] = Option(key=key, text=text)
    return list(by_text.values())


def _number(value: float, digits: int = 3) -> str:
    """A probability as the stepper writes it: never 0 or 1 for what is not.

    >>> _number(0.25), _number(0.00042), _number(0.99996)
    ('0.250', '0.00042', '0.99996')
    """
    text = f"{value:.{digits}f}" if value >= 0.01 or value == 0.0 else f"{value:.2g}"
    return _number(value, digits + 1) if value < 1.0 and float(text) == 1.0 and digits < 9 else text
