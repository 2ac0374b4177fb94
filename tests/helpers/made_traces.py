"""Traces made from random laws by the rule itself, and one of what seldom happens."""

import numpy as np

from components.stepper import Cursor, clamp
from speculation.rule import acceptance, overlap, verify
from speculation.settings import Settings
from speculation.trace import (
    Arithmetic,
    Cycle,
    CycleTiming,
    Piece,
    Position,
    Replacement,
    Timings,
    Trace,
    make_table,
)

PIECES: list[Piece] = [
    "def", " reverse", "_string", "(s", "):", "\n", "    ", "return", " s", "[::-", "1", "]",
    " the",
    "<img src=x onerror=window.hacked=1>", "<|im_end|>", [0xE2, 0x82], [0xAC], " naïve", "\t",
    "\u202e", "&amp;", "שלום", "\n\n", "👍",
]  # fmt: skip
END = PIECES.index("<|im_end|>")
HOSTILE = PIECES.index("<img src=x onerror=window.hacked=1>")


def make_trace(seed: int = 1, k: int = 4, n_cycles: int = 12, sharpness: float = 1.2) -> Trace:
    """A run over a small vocabulary, from random laws and the real rule."""
    rng = np.random.default_rng(seed)
    size, start, cycles = len(PIECES), 0, []
    for index in range(n_cycles):
        base = rng.normal(size=(k + 1, size))
        p = np.exp(base + sharpness * rng.normal(size=base.shape))
        q = np.exp(base + sharpness * rng.normal(size=base.shape))[:k]
        p, q = p / p.sum(1, keepdims=True), q / q.sum(1, keepdims=True)
        drafted = [int(rng.choice(size, p=q[i])) for i in range(k)]
        u = rng.random(k)
        done = verify(p, q, drafted, u, float(rng.random()))
        n, end = done.n_accepted, done.replacement
        positions = []
        for i, x in enumerate(drafted):
            read = i <= n
            positions.append(
                Position(
                    index=start + i,
                    token=x,
                    p=float(p[i, x]),
                    q=float(q[i, x]),
                    a=float(acceptance(p[i], q[i])[x]),
                    u=float(u[i]),
                    verdict="accepted" if i < n else "rejected" if i == n else "unchecked",
                    overlap=float(overlap(p[i], q[i])) if read else None,
                    table=make_table(p[i], q[i], [x, end]) if read else None,
                )
            )
        law = p[n] if done.residual is None else done.residual
        cycles.append(
            Cycle(
                index=index,
                start=start,
                drafted=positions,
                n_accepted=n,
                replacement=Replacement(
                    index=start + n,
                    token=end,
                    p=float(p[n, end]),
                    r=float(law[end]),
                    u=0.5,
                    bonus=done.is_bonus,
                    table=make_table(p[n], None, [end]) if done.is_bonus else None,
                ),
                committed=[*drafted[:n], end],
                cut=None,
            )
        )
        start += n + 1
    return as_trace(cycles, k)


def as_trace(cycles: list[Cycle], k: int) -> Trace:
    return Trace(
        settings=Settings(k=k),
        arithmetic=Arithmetic(
            target_digest="t", draft_digest="d", dtype="float64", device="cpu", threads=1,
            versions={},
        ),
        vocab_size=len(PIECES),
        prompt_ids=[],
        cycles=cycles,
        pieces=dict(enumerate(PIECES)),
        finish="length",
        timings=Timings(
            machine="none", recorded_at="never", prefill_ms=0.0,
            cycles=[CycleTiming(draft_ms=1, target_ms=1, total_ms=2, reused=False)] * len(cycles),
        ),
    )  # fmt: skip


def position(index: int, token: int, verdict: str, **numbers: float) -> Position:
    laws = {"p": 0.25, "q": 0.5, "a": 0.5, "u": 0.25} | numbers
    even = np.full(len(PIECES), 1 / len(PIECES))
    read = {"overlap": 1.0, "table": make_table(even, even, [token])}
    if verdict == "unchecked":
        read = {"overlap": None, "table": None}
    return Position.model_validate(
        {"index": index, "token": token, "verdict": verdict} | read | laws
    )


def replacement(index: int, token: int, bonus: bool) -> Replacement:
    return Replacement(index=index, token=token, p=0.5, r=0.5, u=0.5, bonus=bonus, table=None)


def odd_trace() -> Trace:
    """What seldom happens: bytes, a hostile token, nothing drafted, temperature 0, end of text."""
    euro = [PIECES.index([0xE2, 0x82]), PIECES.index([0xAC])]
    one = Cycle(
        index=0, start=0, n_accepted=2, cut=None,
        drafted=[position(0, euro[0], "accepted", p=1, q=1, a=1), position(1, euro[1], "accepted")],
        replacement=replacement(2, HOSTILE, True), committed=[*euro, HOSTILE],
    )  # fmt: skip
    two = Cycle(
        index=1, start=3, n_accepted=0, cut=None, drafted=[],
        replacement=replacement(3, 5, True), committed=[5],
    )  # fmt: skip
    three = Cycle(
        index=2, start=4, n_accepted=0, cut=None,
        drafted=[position(4, 1, "rejected", p=0, q=1, a=0), position(5, 2, "unchecked", p=0)],
        replacement=replacement(4, 0, False), committed=[0],
    )  # fmt: skip
    four = Cycle(
        index=3, start=5, n_accepted=1, cut="end",
        drafted=[position(5, END, "accepted"), position(6, 2, "unchecked")],
        replacement=None, committed=[END],
    )  # fmt: skip
    return as_trace([one, two, three, four], 2)


def stops(trace: Trace) -> list[tuple[int, str, int]]:
    """All places of a run, in order."""
    found: list[tuple[int, str, int]] = []
    for i, cycle in enumerate(trace.cycles):
        found += [(i, "draft", 0), (i, "verify", 0)]
        found += [(i, "decide", j) for j in range(len(cycle.checked))]
        end = clamp(Cursor(cycle=i, stage="replace"), trace)
        assert end
        found.append((i, "replace", end.position))
    return found
