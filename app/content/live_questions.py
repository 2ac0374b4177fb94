"""Questions about a figure's own cycle, built from its real numbers before it shows the answer.

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
    """A question about a cycle. `place` is the drafted row it is about, from 0; None: the cycle."""

    question: str
    options: tuple[Option, ...]
    place: int | None


def live_question(ask: Ask, cycle: Cycle, name: Name) -> LiveQuestion | None:
    """The question, or None if this cycle has no case for it."""
    if ask == "committed":
        return _committed(cycle)
    if ask == "verdict":
        return _verdict(cycle, name)
    return _after_rejection(ask, cycle, name)


def _verdict(cycle: Cycle, name: Name) -> LiveQuestion | None:
    """Accepted or rejected? Asked where p < q, so that u decides."""
    place, position = next(((i, x) for i, x in enumerate(cycle.checked) if x.a < 1.0), (None, None))
    if position is None:
        return None
    p, q, u, a = (_digits(x) for x in (position.p, position.q, position.u, position.a))
    if len({u, a}) < 2:  # they differ only in digits that are not shown
        return None
    accepted = position.verdict == "accepted"
    why = f"Here p/q = {a}, and u = {u} is {'below' if accepted else 'not below'} it."
    yes = Option(
        key="accepted",
        text="Accepted",
        right=accepted,
        misconception=None if accepted else "plausible to the target is enough",
        feedback=why if accepted else f"{why} A place in the target's distribution is not enough.",
    )
    no = Option(
        key="rejected",
        text="Rejected",
        right=not accepted,
        misconception="accept only if p is at least q" if accepted else None,
        feedback=why if not accepted else f"{why} A ratio below 1 is a chance, not a verdict.",
    )
    question = (
        f"{name(position.token)} was drafted with q = {q}; the target gives it p = {p}. "
        f"The random number is u = {u}. What happens?"
    )
    return LiveQuestion(question, (yes, no), place)


def _committed(cycle: Cycle) -> LiveQuestion | None:
    """How many tokens will this cycle commit?"""
    if cycle.cut is not None or cycle.replacement is None:
        return None
    n, k = cycle.n_accepted, len(cycle.drafted)
    candidates = (
        (n, "the replacement is not counted", "The token that ends the cycle counts too."),
        (k, "all drafted tokens stay", "What follows a rejection is thrown away unread."),
        (k + 1, "later drafts that match are kept", "They were drafted after a wrong token."),
        (1, "a cycle is a single token", "Every accepted draft is committed as well."),
        (n + 2, "a rejected token counts", "The rejected token itself is discarded."),
    )
    right = Option(
        key="right",
        text=str(n + 1),
        right=True,
        feedback=f"{n} accepted, and one more that ends the cycle.",
    )
    wrong = [(str(n_wrong), name, told) for n_wrong, name, told in candidates]
    options = _three(right, wrong, f"{cycle.start}|{n}")
    question = "How many tokens will this cycle commit?"
    return None if options is None else LiveQuestion(question, options, None)


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
    """Which bar will the residual lack? The rejected token's: q was at least p there."""
    wanted = sorted(zip(table.left, table.p, table.tokens, strict=True), reverse=True)
    present = [token for left, _, token in wanted if left > 0.0 and token != rejected.token]
    by_p = sorted(present, key=lambda token: -table.p[table.tokens.index(token)])
    candidates = [
        (name(token), "the residual lacks what p already likes", "Here p is above q, so it stays.")
        for token in (*by_p[:1], *present)
    ]
    right = Option(
        key="right",
        text=name(rejected.token),
        right=True,
        feedback="A rejected token has p below q, so max(0, p - q) is 0 there.",
    )
    options = _three(right, candidates, f"{rejected.index}|{rejected.token}")
    question = "Which of these bars will the residual lack?"
    return None if options is None else LiveQuestion(question, options, place)


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
    question = f"{name(rejected.token)} was rejected. Which token most likely replaces it?"
    return None if options is None else LiveQuestion(question, options, place)


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
