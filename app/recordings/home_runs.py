"""The runs that Home replays: one prompt under the same dice, at every draft length from 1 to 8.

Only what the text and the bars need is kept: a few kilobytes for all of them, and no run to be
stepped through (the Lab has those).
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from recordings.packed_json import json_of, packed
from recordings.presets import presets
from speculation.pairs.assets import ASSETS
from speculation.settings import Settings
from speculation.trace import Cycle, Piece, Trace

FILE = ASSETS / "traces" / "home" / "by_draft_length.json.gz"
LENGTHS = range(1, 9)
TOKENS = 48


class SlimCycle(BaseModel):
    """As much of a cycle as the text and the bars need."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n_accepted: Annotated[int, Field(ge=0)]
    bonus: bool
    committed: list[int]
    cut: Literal["end", "length"] | None


class SlimRun(BaseModel):
    """One run: its cycles, and the texts of the committed tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    settings: Settings
    cycles: list[SlimCycle]
    pieces: dict[int, Piece]

    @property
    def tau(self) -> float:
        """Committed tokens per cycle."""
        return sum(len(cycle.committed) for cycle in self.cycles) / len(self.cycles)


class HomeRuns(BaseModel):
    """The file: runs by draft length, and where and when they were recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    machine: str
    recorded_at: str
    runs: dict[int, SlimRun]


def home_settings() -> list[Settings]:
    """What is recorded: the default prompt, its first tokens, at each draft length."""
    default = presets()[0].settings
    return [default.model_copy(update={"k": k, "length": TOKENS}) for k in LENGTHS]


def slim(cycles: Iterable[Cycle]) -> list[SlimCycle]:
    """What is kept of cycles."""
    return [
        SlimCycle(
            n_accepted=cycle.n_accepted,
            bonus=cycle.replacement is not None and cycle.replacement.bonus,
            committed=cycle.committed,
            cut=cycle.cut,
        )
        for cycle in cycles
    ]


def pack_home(traces: Iterable[Trace]) -> bytes:
    """The file's bytes, from a trace at each draft length."""
    made = list(traces)
    runs = {
        trace.settings.k: SlimRun(
            settings=trace.settings,
            cycles=slim(trace.cycles),
            pieces={token: trace.pieces[token] for token in sorted(set(trace.tokens))},
        )
        for trace in made
    }
    timings = made[0].timings
    return packed(HomeRuns(machine=timings.machine, recorded_at=timings.recorded_at, runs=runs))


@lru_cache(maxsize=1)
def home_runs() -> HomeRuns | None:
    """The recorded ones, or None if the file is missing."""
    return HomeRuns.model_validate_json(json_of(FILE.read_bytes())) if FILE.exists() else None
