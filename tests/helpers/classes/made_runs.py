"""Runs made of numbers that occur once, so that any of them can be looked for in what was sent."""

import random
from dataclasses import dataclass, field
from itertools import count

from speculation.settings import Settings
from speculation.trace import (
    Arithmetic,
    Cycle,
    CycleTiming,
    Position,
    Replacement,
    Table,
    Timings,
    Trace,
)

SEED = 987_654_321


@dataclass
class Maker:
    """Makes cycles; each token and each number is used once."""

    seed: int
    tokens: count = field(default_factory=lambda: count(500_001))  # type: ignore[type-arg]
    used: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def token(self) -> int:
        self.used.append(next(self.tokens))
        return self.used[-1]

    def number(self) -> float:
        return self.random.uniform(0.1, 0.9)

    def table(self, *always: int) -> Table:
        tokens = [*always, self.token(), self.token()]
        columns = [[self.number() for _ in tokens] for _ in range(3)]
        tail = [self.number() for _ in range(3)]
        return Table(
            tokens=tokens, p=columns[0], q=columns[1], left=columns[2], tail_count=7,
            tail_p=tail[0], tail_q=tail[1], tail_left=tail[2],
        )  # fmt: skip

    def cycle(
        self, index: int, start: int, k: int, n: int, ends: bool, like: Cycle | None = None,
        same: int = 0, verified: bool = False,
    ) -> Cycle:  # fmt: skip
        """n of k accepted. `ends`: the last accepted token ends the text.

        like      take over the drafted tokens of this cycle; with `verified` their p too, and the
                  first `same` verdicts with their numbers
        """
        drafted = []
        for i in range(k):
            old = like.drafted[i] if like else None
            if old is not None and i < same:
                drafted.append(old)
                continue
            checked = i < n or (i == n and not ends)
            token = old.token if old else self.token()
            drafted.append(
                Position(
                    index=start + i,
                    token=token,
                    p=old.p if old and verified else self.number(),
                    q=old.q if old else self.number(),
                    a=self.number(),
                    u=self.number(),
                    verdict="accepted" if i < n else "rejected" if checked else "unchecked",
                    overlap=self.number() if checked else None,
                    table=self.table(token) if checked else None,
                )
            )
        end = None
        if not ends:
            end = Replacement(
                index=start + n, token=self.token(), p=self.number(), r=self.number(),
                u=self.number(), bonus=n == k, table=self.table() if n == k else None,
            )  # fmt: skip
        committed = [x.token for x in drafted[:n]] + ([end.token] if end else [])
        return Cycle(
            index=index, start=start, drafted=drafted, n_accepted=n, replacement=end,
            committed=committed, cut="end" if ends else None,
        )  # fmt: skip

    def trace(self, cycles: list[Cycle]) -> Trace:
        return Trace(
            settings=Settings(prompt="A prompt", k=4, seed=SEED, length=199),
            arithmetic=Arithmetic(
                target_digest="t", draft_digest="d", dtype="float32", device="cpu", threads=1,
                versions={},
            ),
            vocab_size=1_000_000,
            prompt_ids=[1],
            cycles=cycles,
            pieces={1: "p", **{token: f"piece{token}" for token in self.used}},
            finish="length",
            timings=Timings(
                machine="m", recorded_at="now", prefill_ms=1.0,
                cycles=[
                    CycleTiming(draft_ms=1.0, target_ms=1.0, total_ms=2.0, reused=False)
                    for _ in cycles
                ],
            ),
        )  # fmt: skip


def some_cycles(maker: Maker, first: int, start: int, number: int) -> list[Cycle]:
    """More cycles after a text of `start` tokens."""
    cycles: list[Cycle] = []
    for index in range(first, first + number):
        k = maker.random.randint(0, 4)
        n = maker.random.randint(0, k)
        ends = index == first + number - 1 and n > 0 and maker.random.random() < 0.3
        cycles.append(maker.cycle(index, start, k, n, ends))
        start += len(cycles[-1].committed)
    return cycles
