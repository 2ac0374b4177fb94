"""What one run adds to a measurement: counts by position in the cycle, and times.

A `RunRecord` is small and can be kept as a line of JSON. Everything that is shown is a sum over
records, with an interval from drawing them again (`intervals.py`).
"""

import math
import zlib
from collections.abc import Iterator
from operator import attrgetter

from pydantic import BaseModel, ConfigDict

from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.run import Run
from speculation.settings import Mode, Precision, Settings
from speculation.trace import Cycle

PLAIN = "plain"

Key = tuple[str, str, int, float, str, int, int]
key_of = attrgetter("rung", "kind", "prompt", "temperature", "precision", "k", "turn")
"""What a record is of, or a run that is planned: a `Key`."""


class RunRecord(BaseModel):
    """One run of one prompt: k drafts a cycle, or plain decoding (k = 0).

    rung       which draft, the last part of its pair's id; "plain" without one
    kind       the kind of prompt; `prompt` says which of them
    turn       plain decoding is measured between the drafts; a run lies between two of its turns
    committed  tokens of each cycle, and `cycle_ms` its time, everything included
    drafted, checked, accepted   positions, over the run
    overlap, reached, kept       by position in the cycle: sum of min(p, q) over checked positions,
                                 how many were checked, how many accepted
    draft_ms, target_ms          time inside the models' calls
    full, full_target_ms         cycles that drafted k tokens, and the target's time in them
    log_prob                     sum of log p(x) over the committed tokens that a law was kept for,
                                 and `scored` how many those are
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rung: str
    kind: str
    prompt: int
    temperature: float
    precision: Precision
    k: int
    turn: int = 0
    committed: list[int]
    cycle_ms: list[float]
    drafted: int
    checked: int
    accepted: int
    overlap: list[float]
    reached: list[int]
    kept: list[int]
    draft_ms: float
    target_ms: float
    full: int
    full_target_ms: float
    log_prob: float
    scored: int

    @property
    def key(self) -> Key:
        """What was measured: two records with one key are the same cell."""
        key: Key = key_of(self)
        return key

    @property
    def tokens(self) -> int:
        return sum(self.committed)

    @property
    def total_ms(self) -> float:
        return sum(self.cycle_ms)


def seed_of(rung: str, kind: str, prompt: int, k: int, turn: int = 0) -> int:
    """A seed of its own for each run, the same every time: runs must not share their luck."""
    return zlib.crc32(f"{rung}|{kind}|{prompt}|{k}|{turn}".encode()) % 1_000_000


def record_run(
    pair: Pair, settings: Settings, rung: str, kind: str, prompt: int, turn: int = 0, k: int = -1
) -> Iterator[RunRecord | None]:
    """Run with every pass made; yields None after each cycle, and the record at the end.

    k  overrides settings.k: 0 is plain decoding
    """
    k = settings.k if k < 0 else k
    run = Run(pair, settings, PassStore(), k=k)
    for _ in run:
        yield None
    yield _record(run, rung, kind, prompt, turn, k)


def _record(run: Run, rung: str, kind: str, prompt: int, turn: int, k: int) -> RunRecord:
    checked = [x for cycle in run.cycles for x in cycle.checked]
    by_position = [
        [(cycle, cycle.checked[i]) for cycle in run.cycles if i < len(cycle.checked)]
        for i in range(k)
    ]
    full = [t for c, t in zip(run.cycles, run.timings, strict=True) if len(c.drafted) == k]
    scores = [score for cycle in run.cycles for score in _log_probs(cycle)]
    return RunRecord(
        rung=rung,
        kind=kind,
        prompt=prompt,
        temperature=run.settings.temperature,
        precision=run.settings.precision,
        k=k,
        turn=turn,
        committed=[len(cycle.committed) for cycle in run.cycles],
        cycle_ms=[round(timing.total_ms, 3) for timing in run.timings],
        drafted=sum(len(cycle.drafted) for cycle in run.cycles),
        checked=len(checked),
        accepted=sum(cycle.n_accepted for cycle in run.cycles),
        overlap=[round(sum(x.overlap or 0.0 for _, x in row), 6) for row in by_position],
        reached=[len(row) for row in by_position],
        kept=[sum(x.verdict == "accepted" for _, x in row) for row in by_position],
        draft_ms=round(sum(timing.draft_ms for timing in run.timings), 3),
        target_ms=round(sum(timing.target_ms for timing in run.timings), 3),
        full=len(full),
        full_target_ms=round(sum(timing.target_ms for timing in full), 3),
        log_prob=round(sum(scores), 6),
        scored=len(scores),
    )


def _log_probs(cycle: Cycle) -> list[float]:
    """log p(x) of each committed token: what the quality meter averages."""
    chances = [x.p for x in cycle.drafted[: cycle.n_accepted]]
    if cycle.replacement is not None:
        chances.append(cycle.replacement.p)
    return [math.log(p) for p in chances[: len(cycle.committed)]]


def link_settings(
    pair: str,
    text: str,
    temperature: float,
    k: int,
    seed: int,
    length: int,
    mode: Mode = "chat",
    precision: Precision = "float32",
) -> Settings:
    """The settings of a measured run, so that the Lab can show it."""
    return Settings(
        prompt=text,
        mode=mode,
        pair=pair,
        k=k,
        temperature=temperature,
        seed=seed,
        length=length,
        precision=precision,
    )
