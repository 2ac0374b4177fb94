"""Questions about a cycle of a real run, built from its numbers before the page shows the answer.

What decides (the ratio, the random number, the residual) is hidden until there is a prediction.
Each wrong option is a misconception with the value it leads to here. Where two options would
coincide, so that the question could not tell the right idea from the wrong one, there is no
question: the caller goes on to the next cycle.
"""

from collections.abc import Callable
from dataclasses import dataclass

from content.quiz import Ask, Option, mixed
from speculation.trace import TABLE_ROWS, Cycle, Position, Table

Name = Callable[[int], str]
"""The text of a token, ready to be shown."""


@dataclass(frozen=True)
class LiveQuestion:
    """A question about a cycle.

    place  the drafted row it is about, from 0; None: the cycle
    hard   whether reading off what is shown, and no more, leads astray
    """

    question: str
    options: tuple[Option, ...]
    place: int | None
    hard: bool


def live_question(ask: Ask, cycle: Cycle, name: Name) -> LiveQuestion | None:
    """The question, or None if this cycle has no case for it."""
    if ask == "committed":
        return _committed(cycle)
    if ask == "bet":
        return _bet(cycle, name)
    return _after_rejection(ask, cycle, name)


BETS = {
    "sure": "Accepted, whatever number is drawn",
    "likely": "More likely accepted than rejected",
    "unlikely": "More likely rejected than accepted",
    "never": "Rejected, whatever number is drawn",
}
_CLOSE = 0.08  # a chance nearer to one half than this is no case for a bet


def _bet(cycle: Cycle, name: Name) -> LiveQuestion | None:
    """What will happen to a token, as far as p and q can tell? The random number is not shown.

    So what is marked is the bet, and not the luck: a good one can lose.
    """
    places = [
        (i, x)
        for i, x in enumerate(cycle.checked)
        if x.a == 1.0 or (0.02 < x.a < 0.95 and abs(x.a - 0.5) > _CLOSE)
    ]
    if not places:
        return None
    place, x = max(places, key=lambda found: (_misleads(found[1]), -found[0]))
    right = "sure" if x.a == 1.0 else "likely" if x.a > 0.5 else "unlikely"
    p, q = _digits(x.p), _digits(x.q)
    told = f"{_chance(x)} Here it was {_digits(x.u)}: {x.verdict}."
    if (right == "likely") == (x.verdict == "rejected") and right != "sure":
        told += " A good bet can lose."
    options = [
        Option(
            key=key,
            text=text,
            right=key == right,
            misconception=None if key == right else _idea(key, right, x),
            feedback=told,
        )
        for key, text in BETS.items()
    ]
    question = (
        f"“{name(x.token)}” was drafted with q = {q}, and the target gives it p = {p}. A random "
        "number decides. What do you bet on?"
    )
    return LiveQuestion(question, tuple(options), place, _misleads(x))


def _misleads(x: Position) -> bool:
    """Whether p by itself suggests another bet than p/q."""
    return x.p > 0.2 if x.a < 0.5 else x.p < (0.35 if x.a == 1.0 else 0.45)


def _chance(x: Position) -> str:
    """The rule on these numbers."""
    if x.a == 1.0:
        return "p is at least q, so every number is below p/q, and the token stays."
    return f"p/q = {x.a:.2f}: the token stays if the number drawn is below that."


def _idea(bet: str, right: str, x: Position) -> str:
    """The misconception that leads to a wrong bet."""
    if right == "sure":
        return {
            "likely": "a coin is tossed for every token",
            "unlikely": "a token is kept with chance p",
            "never": "the ratio turned around",
        }[bet]
    return {
        "sure": "plausible to the target is enough",
        "likely": "p is looked at, and q is not",
        "unlikely": "a token is kept with chance p",
        "never": "accept only if p is at least q",
    }[bet]


def _committed(cycle: Cycle) -> LiveQuestion | None:
    """How many tokens will this cycle commit? Every count that can be is an option."""
    if cycle.cut is not None or cycle.replacement is None:
        return None
    n, k = cycle.n_accepted, len(cycle.drafted)
    told = f"{n} of {k} drafts stayed, and one more token ended the cycle."
    ideas = {
        n: "the token that ends the cycle is not counted",
        k + 1: "nothing is ever rejected",
        1: "nothing that is drafted stays",
    }
    options = [
        Option(
            key=str(count),
            text=str(count),
            right=count == n + 1,
            misconception=None if count == n + 1 else ideas.get(count, f"draft {count} falls"),
            feedback=told,
        )
        for count in range(1, k + 2)
    ]
    question = "How many tokens will this cycle commit?"
    return LiveQuestion(question, tuple(options), None, 0 < n < k)


def _after_rejection(ask: Ask, cycle: Cycle, name: Name) -> LiveQuestion | None:
    """What the residual lacks, or which token it most likely gives."""
    place = cycle.n_accepted
    if cycle.replacement is None or cycle.replacement.bonus or place >= len(cycle.drafted):
        return None
    rejected = cycle.drafted[place]
    if rejected.table is None or not rejected.table.left:
        return None
    if ask == "residual":
        return _lacks(place, rejected, rejected.table, name)
    return _likeliest(place, rejected, rejected.table, name)


def _lacks(place: int, rejected: Position, table: Table, name: Name) -> LiveQuestion | None:
    """Which bar will the residual lack? The rejected token's: q was at least p there.

    It is hard where that token has a high bar, and others that stay have a low one.
    """
    by_p = sorted(zip(table.p, table.left, table.tokens, strict=True), reverse=True)
    present = [token for _, left, token in by_p if left > 0.0 and token != rejected.token]
    liked = "Here p is above q, so it stays, however likely it is."
    small = "Its bar of p is low, but that of q is lower still, so something is left."
    candidates = [(name(token), "the residual lacks what p already likes", liked)
                  for token in present[:1]]  # fmt: skip
    candidates += [(name(token), "what p gives little is gone", small)
                   for token in reversed(present[1:])]  # fmt: skip
    right = Option(
        key="right",
        text=name(rejected.token),
        right=True,
        feedback="A rejected token has p below q, so max(0, p - q) is 0 there.",
    )
    options = _three(right, candidates, f"{rejected.index}|{rejected.token}")
    question = "Which of these bars will the residual lack?"
    hard = rejected.p >= 0.2 or rejected.token == by_p[0][2]
    return None if options is None else LiveQuestion(question, options, place, hard)


def _likeliest(place: int, rejected: Position, table: Table, name: Name) -> LiveQuestion | None:
    """Which token is the likeliest replacement? Only where p and the residual name two."""
    best = max(range(len(table.tokens)), key=lambda i: table.left[i])
    heights = sorted(map(max, table.p, table.q), reverse=True)
    edge = heights[min(TABLE_ROWS, len(heights)) - 1]  # no token of the tail is higher
    by_p = max(range(len(table.tokens)), key=lambda i: table.p[i])
    by_q = max(range(len(table.tokens)), key=lambda i: table.q[i])
    tail_might_win = table.tail_count > 0 and table.left[best] <= edge
    if tail_might_win or best == by_p:
        return None
    candidates = [
        (
            name(table.tokens[by_p]),
            "drawn from p instead of the residual",
            "The likeliest under p, but accepted drafts already deliver much of that.",
        ),
        (
            name(rejected.token),
            "a rejected token gets a second chance",
            "Just rejected: its leftover is 0, so it cannot come back here.",
        ),
        (
            name(table.tokens[by_q]),
            "the draft is asked again",
            "The draft's favorite; a replacement is never drawn from q.",
        ),
    ]
    right = Option(
        key="right",
        text=name(table.tokens[best]),
        right=True,
        feedback="Here p exceeds q by most, so the leftover is largest.",
    )
    options = _three(right, candidates, f"{rejected.index}|{rejected.token}|r")
    question = f"“{name(rejected.token)}” was rejected. Which token most likely replaces it?"
    hard = table.left[by_p] > 0.0  # the likeliest under p could come, only less often
    return None if options is None else LiveQuestion(question, options, place, hard)


def _three(
    right: Option, candidates: list[tuple[str, str, str]], salt: str
) -> tuple[Option, ...] | None:
    """The right option and the first two wrong ones that read like no other; None without two.

    candidates  text, misconception and feedback of wrong options, in order of interest
    """
    options: list[Option] = []
    seen = {right.text}
    for text, misconception, feedback in candidates:
        if text not in seen:
            seen.add(text)
            key = f"wrong-{len(options) + 1}"
            options.append(
                Option(key=key, text=text, misconception=misconception, feedback=feedback)
            )
    return mixed((right, *options[:2]), salt) if len(options) >= 2 else None


def _digits(value: float) -> str:
    """A probability with as many digits as it takes to be told from 0.

    >>> _digits(0.25), _digits(0.00042)
    ('0.250', '0.00042')
    """
    return f"{value:.3f}" if value >= 0.01 or value == 0.0 else f"{value:.2g}"
