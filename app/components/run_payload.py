"""A run as it is sent to the browser, once: what the stepper and its distributions are drawn from.

The browser then steps by itself. A trace as JSON says every name at every position and every number
in 17 digits, which is half a megabyte for 200 tokens at k = 12; here a cycle is a few columns, what
was decided is exact, and what is only drawn has six digits. `stepper/unpack.js` reads it.

    payload_of(trace).model_dump(mode="json")
"""

import hashlib
from collections import OrderedDict
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt

from speculation.summary import summarize
from speculation.trace import Cycle, Piece, Position, Probability, Record, Table, Token, Trace

VERSION: Literal[1] = 1
DIGITS = 6
KEPT = 16


class PackedLaws(Record):
    """p, q and max(0, p - q) at one place: the top tokens, and the rest as one bar.

    tokens   the top tokens by max(p, q), the drafted and the replacing one among them
    p, q     one number a token, to six digits; q is empty at a bonus position, where there is none
    left     max(0, p - q), not normalized; empty where q is
    rest     the sums of p, q and max(0, p - q) over all other tokens
    others   how many tokens the rest is
    overlap  sum of min(p, q) over the vocabulary; None at a bonus position
    """

    tokens: list[Token]
    p: list[Probability]
    q: list[Probability]
    left: list[Probability]
    rest: tuple[Probability, Probability, Probability]
    others: NonNegativeInt
    overlap: Probability | None = None


class PackedEnd(Record):
    """The token that ends a cycle: see `speculation.trace.Replacement`."""

    token: Token
    p: Probability
    r: Probability
    u: Probability
    bonus: bool
    laws: PackedLaws | None


class PackedCycle(Record):
    """One cycle by columns, an entry for each drafted position; a, u, laws only where checked.

    n          how many drafts were accepted
    committed  how many tokens of the accepted drafts and the end were committed
    """

    start: NonNegativeInt
    n: NonNegativeInt
    committed: NonNegativeInt
    cut: Literal["end", "length"] | None
    tokens: list[Token]
    p: list[Probability]
    q: list[Probability]
    a: list[Probability]
    u: list[Probability]
    laws: list[PackedLaws]
    end: PackedEnd | None


class RunPayload(Record):
    """A whole run.

    digest      names the content: the browser need not compare a run with the one it has
    vocabulary  how many tokens the distributions are over
    alpha       the mean overlap of the run; None where nothing was checked
    pieces      the texts of all tokens named in it
    """

    version: Literal[1] = VERSION
    digest: str
    k: Annotated[int, Field(ge=0)]
    vocabulary: NonNegativeInt
    alpha: Probability | None
    cycles: list[PackedCycle]
    pieces: dict[int, Piece]


def pack_laws(table: Table, overlap: float | None = None) -> PackedLaws:
    """The table of one place as it is drawn.

    >>> table = Table(tokens=[5], p=[0.75], q=[0.5], left=[0.25],
    ...               tail_count=3, tail_p=0.25, tail_q=0.5, tail_left=0.0)
    >>> pack_laws(table, 0.75).rest
    (0.25, 0.5, 0.0)
    """
    return PackedLaws(
        tokens=table.tokens,
        p=_short(table.p),
        q=_short(table.q),
        left=_short(table.left),
        rest=(_digits(table.tail_p), _digits(table.tail_q), _digits(table.tail_left)),
        others=table.tail_count,
        overlap=None if overlap is None else _digits(overlap),
    )


def pack(trace: Trace) -> RunPayload:
    """A trace as the browser gets it. Pure: the same trace gives the same payload."""
    cycles = [_cycle(cycle) for cycle in trace.cycles]
    used = {token for cycle in cycles for token in _tokens(cycle)}
    whole = RunPayload(
        digest="",
        k=trace.settings.k,
        vocabulary=trace.vocab_size,
        alpha=summarize(trace).alpha,
        cycles=cycles,
        pieces={token: trace.pieces[token] for token in sorted(used)},
    )
    digest = hashlib.sha256(whole.model_dump_json().encode()).hexdigest()[:16]
    return whole.model_copy(update={"digest": digest})


_packed: OrderedDict[int, tuple[Trace, RunPayload]] = OrderedDict()


def payload_of(trace: Trace) -> RunPayload:
    """The same, packed once a trace: a page asks again on each of its runs."""
    known = _packed.get(id(trace))
    if known is None or known[0] is not trace:  # the trace is kept, so its id stays its own
        known = _packed[id(trace)] = (trace, pack(trace))
        while len(_packed) > KEPT:
            _packed.popitem(last=False)
    return known[1]


def _cycle(cycle: Cycle) -> PackedCycle:
    read = cycle.checked
    end = cycle.replacement
    return PackedCycle(
        start=cycle.start,
        n=cycle.n_accepted,
        committed=len(cycle.committed),
        cut=cycle.cut,
        tokens=[x.token for x in cycle.drafted],
        p=[_number(x, x.p) for x in cycle.drafted],
        q=[_number(x, x.q) for x in cycle.drafted],
        a=[x.a for x in read],
        u=[x.u for x in read],
        laws=[pack_laws(x.table, x.overlap) for x in read if x.table is not None],
        end=None
        if end is None
        else PackedEnd(
            token=end.token,
            p=end.p,
            r=end.r,
            u=end.u,
            bonus=end.bonus,
            laws=None if end.table is None else pack_laws(end.table),
        ),
    )


def _tokens(cycle: PackedCycle) -> list[int]:
    """Every token that is named in a cycle."""
    tables = [*cycle.laws, *([cycle.end.laws] if cycle.end and cycle.end.laws else [])]
    ending = [] if cycle.end is None else [cycle.end.token]
    return [*cycle.tokens, *ending, *(token for laws in tables for token in laws.tokens)]


def _number(x: Position, value: float) -> float:
    """Exact where it decided something."""
    return _digits(value) if x.verdict == "unchecked" else value


def _short(values: list[float]) -> list[float]:
    return [_digits(value) for value in values]


def _digits(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
