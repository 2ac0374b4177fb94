"""The record of a run: every number that decided what was committed.

A trace can be stepped through, linked, downloaded and compared without any model. It holds the
inputs, the arithmetic they ran on, and one record a cycle. Wall-clock times lie apart, in
`timings`: they differ from run to run, and are no part of what two runs must agree on.

Whole laws (49,152 numbers a position, twice) would make a trace of hundreds of megabytes. A
`Table` keeps the top tokens and the sums of what is left, so that each law still sums to 1.
"""

import hashlib
from collections.abc import Sequence
from typing import Annotated, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, model_validator

from speculation.settings import Settings

SCHEMA_VERSION: Literal[1] = 1
TABLE_ROWS = 10

Probability = Annotated[float, Field(ge=0.0, le=1.0 + 1e-9, allow_inf_nan=False)]
Token = Annotated[int, Field(ge=0)]
Milliseconds = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
Verdict = Literal["accepted", "rejected", "unchecked"]
Piece = str | list[Annotated[int, Field(ge=0, le=255)]]
"""A token's text; or its bytes, where it is not whole characters."""


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Table(Record):
    """p, q and max(0, p - q) at one position: the top tokens, and the tail's own sums.

    The tail of the residual is the sum of max(0, p - q) over it, not the difference of the tails.
    At a bonus position there is no q: `q` and `left` are empty.
    """

    tokens: list[Token]
    p: list[Probability]
    q: list[Probability]
    left: list[Probability]
    tail_count: Annotated[int, Field(ge=0)]
    tail_p: Probability
    tail_q: Probability
    tail_left: Probability

    @model_validator(mode="after")
    def _columns_agree(self) -> Self:
        if len(self.p) != len(self.tokens):
            raise ValueError(f"{len(self.tokens)} tokens but {len(self.p)} values of p")
        if not len(self.q) == len(self.left) or len(self.q) not in (0, len(self.tokens)):
            raise ValueError(f"{len(self.tokens)} tokens but {len(self.q)} values of q")
        return self


class Position(Record):
    """One drafted position.

    index    place in the generated text, from 0
    token    the drafted token x
    p, q     p(x) and q(x); for an unchecked position p is the target's law after a prefix that
             was thrown away
    a        min(1, p/q)
    u        the uniform that decided: accepted when u < a
    overlap  sum of min(p, q) over the vocabulary; None where unchecked
    table    the laws here; None where unchecked
    """

    index: int
    token: Token
    p: Probability
    q: Probability
    a: Probability
    u: Probability
    verdict: Verdict
    overlap: Probability | None
    table: Table | None


class Replacement(Record):
    """The token that ends a cycle: from the residual after a rejection, or the bonus from p.

    p, r   its probability under the target's law and under the law it was drawn from
    u      the uniform it was drawn with
    table  for a bonus, the target's law; after a rejection the table of the rejected position
           says it all, and this is None
    """

    index: int
    token: Token
    p: Probability
    r: Probability
    u: Probability
    bonus: bool
    table: Table | None


class Cycle(Record):
    """One cycle: draft k tokens, verify them in one target pass, commit n + 1.

    start       how many tokens had been committed before it
    replacement None when an accepted end-of-text token stopped the cycle before it was needed
    committed   what this cycle added to the text
    cut         why fewer than n + 1 tokens were committed: the end token was among them, or the
                length limit was reached
    """

    index: int
    start: int
    drafted: list[Position]
    n_accepted: int
    replacement: Replacement | None
    committed: list[Token]
    cut: Literal["end", "length"] | None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        n, k = self.n_accepted, len(self.drafted)
        if n > k:
            raise ValueError(f"n_accepted is {n}, but {k} tokens were drafted")
        rejected = n if self.replacement is not None else None  # else a token ended the text
        for i, x in enumerate(self.drafted):
            expected = "accepted" if i < n else "rejected" if i == rejected else "unchecked"
            if x.verdict != expected:
                raise ValueError(f"drafted.{i}.verdict is {x.verdict}, expected {expected}")
            if x.verdict != "unchecked" and (x.table is None or x.overlap is None):
                raise ValueError(f"drafted.{i} was checked, but has no table or no overlap")
        ending = [] if self.replacement is None else [self.replacement.token]
        decided = [x.token for x in self.drafted[:n]] + ending
        if not self.committed or self.committed != decided[: len(self.committed)]:
            raise ValueError("committed is not the accepted drafts and the replacement, in order")
        return self

    @property
    def checked(self) -> list[Position]:
        """The drafted positions that the rule looked at: all up to the first rejection."""
        return [x for x in self.drafted if x.verdict != "unchecked"]


class Arithmetic(Record):
    """What a run's numbers depend on besides its inputs."""

    target_digest: str
    draft_digest: str
    dtype: str
    device: str
    threads: int
    versions: dict[str, str]


class CycleTiming(Record):
    """Where one cycle's time went. `reused`: a pass was answered from the store, not made."""

    draft_ms: Milliseconds
    target_ms: Milliseconds
    total_ms: Milliseconds
    reused: bool


class Timings(Record):
    """Wall-clock times, outside what two runs must agree on."""

    machine: str
    recorded_at: str
    prefill_ms: Milliseconds
    cycles: list[CycleTiming]


class Trace(Record):
    """A whole run, or as much of it as was done when it was stopped.

    prompt_ids  what the models read before the first generated token
    pieces      the text of every token that appears, by id
    finish      why it ended: an end-of-text token, the length limit, or stopped
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    settings: Settings
    arithmetic: Arithmetic
    vocab_size: int
    prompt_ids: list[Token]
    cycles: list[Cycle]
    pieces: dict[int, Piece]
    finish: Literal["end", "length", "stopped"]
    timings: Timings

    @model_validator(mode="after")
    def _numbered(self) -> Self:
        start = 0
        for i, cycle in enumerate(self.cycles):
            if cycle.index != i or cycle.start != start:
                raise ValueError(
                    f"cycle {i} says index {cycle.index} and start {cycle.start}, "
                    f"expected {i} and {start}"
                )
            for j, x in enumerate(cycle.drafted):
                if x.index != start + j:
                    raise ValueError(
                        f"cycles.{i}.drafted.{j}.index is {x.index}, expected {start + j}"
                    )
            start += len(cycle.committed)
        if len(self.timings.cycles) != len(self.cycles):
            raise ValueError("timings.cycles and cycles differ in length")
        used = {t for c in self.cycles for t in tokens_of(c)} | set(self.prompt_ids)
        missing = used - self.pieces.keys()
        if missing:
            raise ValueError(f"pieces has no text for token {min(missing)}")
        return self

    @property
    def tokens(self) -> list[int]:
        """The committed tokens, in order."""
        return [token for cycle in self.cycles for token in cycle.committed]

    def compared(self) -> str:
        """The JSON that two runs of the same inputs on the same arithmetic share, byte for byte."""
        return self.model_dump_json(exclude={"timings"})


def tokens_of(cycle: Cycle) -> set[int]:
    tokens = {x.token for x in cycle.drafted} | set(cycle.committed)
    tables = [x.table for x in cycle.drafted]
    if cycle.replacement:
        tokens.add(cycle.replacement.token)
        tables.append(cycle.replacement.table)
    return tokens.union(*(table.tokens for table in tables if table))


def make_table(
    p: npt.NDArray[np.float64],
    q: npt.NDArray[np.float64] | None,
    always: Sequence[int],
    rows: int = TABLE_ROWS,
) -> Table:
    """The top `rows` tokens by max(p, q) and the tokens in `always`, and the sums of the rest.

    p, q [V]; q is None at a bonus position. Sorted by falling max(p, q), ties by id.
    """
    height = p if q is None else np.maximum(p, q)
    for threshold in (1e-3, 1e-6, 0.0):  # a few tokens are quickly sorted, a vocabulary is not
        likely = np.flatnonzero(height > threshold)
        if len(likely) >= rows:
            break
    if len(likely) > rows:  # all that tie with the last row stay, so that the sort sees their ids
        likely = likely[height[likely] >= np.partition(height[likely], -rows)[-rows]]
    top = likely[np.argsort(-height[likely], kind="stable")][:rows]
    shown = np.array([*dict.fromkeys([*top.tolist(), *always])], dtype=np.int64)
    shown = shown[np.lexsort((shown, -height[shown]))]
    left = None if q is None else np.maximum(p - q, 0.0)

    def tail(law: npt.NDArray[np.float64] | None, total: float) -> float:
        return 0.0 if law is None else max(0.0, total - float(law[shown].sum()))

    return Table(
        tokens=shown.tolist(),
        p=p[shown].tolist(),
        q=[] if q is None else q[shown].tolist(),
        left=[] if left is None else left[shown].tolist(),
        tail_count=len(p) - len(shown),
        tail_p=tail(p, float(p.sum())),
        tail_q=0.0 if q is None else tail(q, float(q.sum())),
        tail_left=0.0 if left is None else tail(left, float(left.sum())),
    )


# A link names the committed text by a digest, one character a token: each stands for the whole
# text up to there. So a machine that computes other tokens can say where the two part, with one
# chance in 64 of naming a place a token late.
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def digest(tokens: Sequence[int]) -> str:
    """One character a token, each a hash of all tokens up to it.

    >>> digest([5, 6, 7])[:2] == digest([5, 6, 8])[:2]
    True
    """
    running, letters = hashlib.sha256(), []
    for token in tokens:
        running.update(int(token).to_bytes(4, "little"))
        letters.append(_ALPHABET[running.digest()[0] % 64])
    return "".join(letters)


def departure(one: Sequence[object], other: Sequence[object]) -> int | None:
    """The first place where two runs (tokens, or digests) differ; None if they are the same.

    >>> departure("abc", "abd"), departure("abc", "ab"), departure("abc", "abc")
    (2, 2, None)
    """
    for i, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return i
    return None if len(one) == len(other) else min(len(one), len(other))
