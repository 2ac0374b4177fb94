"""What the worker is asked to do: a run, a comparison, a measurement, or work of another kind."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol

from speculation.settings import Settings
from speculation.trace import Cycle, Piece, Trace

if TYPE_CHECKING:  # they load torch, and a page that looks at a job needs none of it
    from measuring.block_cost import Measurement
    from speculation.compare import Comparison
    from speculation.models.passes import PassStore
    from speculation.pairs.pair import Pair
    from speculation.scored_place import Scored

Kind = Literal["run", "compare", "measure", "score", "work"]


class Work(Protocol):
    """Something that needs the models and is not built in: an audit, a series of measurements.

    It is compared and hashed by what it computes (a frozen dataclass does that): equal work is
    done once. Each state it publishes replaces the one before; pages read the last one, also
    after a stop, so a state is a whole and unchanging value.

    gives_way  whether runs that are asked for meanwhile may be done between two states: right for
               an audit of minutes, wrong for whatever takes the time
    """

    @property
    def gives_way(self) -> bool: ...

    def __hash__(self) -> int: ...

    def states(self, pair: "Pair", store: "PassStore") -> Iterator[object]:
        """Do it with the pair of the job's settings, publishing what is known so far.

        A generator has `Stopped` thrown into it when a person stops it, and may answer with one
        last state.
        """
        ...


class State(StrEnum):
    """Where a job stands. The last three are final."""

    WAITING = "waiting"
    LOADING = "loading"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


FINAL = frozenset({State.DONE, State.STOPPED, State.FAILED})


@dataclass(frozen=True)
class View:
    """What a page sees of a job at one moment; nothing in it changes afterwards.

    place         how many jobs are before this one, itself not counted
    wait_seconds  when it is expected to start; None if nothing is known yet
    cycles        what has been decided so far
    pieces        the text of the tokens committed so far
    seconds       since it started running
    published     the last state of a `Work`, if that is what it is
    error         why it failed, in words for the person
    """

    kind: Kind
    settings: Settings
    state: State
    place: int = 0
    wait_seconds: float | None = None
    cycles: tuple[Cycle, ...] = ()
    pieces: dict[int, Piece] = field(default_factory=dict)
    seconds: float = 0.0
    trace: Trace | None = None
    comparison: "Comparison | None" = None
    measurement: "Measurement | None" = None
    scored: "Scored | None" = None
    published: object | None = None
    error: str | None = None

    @property
    def final(self) -> bool:
        """Whether nothing more will come."""
        return self.state in FINAL


@dataclass
class Job:
    """A job as the worker keeps it; pages only see its `View`.

    fresh     make every pass, and look nothing up: for a run that is watched, or timed
    watchers  who looks at it, and when they last did
    leaving   copies for those who stopped it while others go on watching: they wait for a trace
    """

    kind: Kind
    settings: Settings
    state: State = State.WAITING
    cycles: list[Cycle] = field(default_factory=list)
    pieces: dict[int, Piece] = field(default_factory=dict)
    trace: Trace | None = None
    comparison: "Comparison | None" = None
    measurement: "Measurement | None" = None
    scored: "Scored | None" = None
    work: Work | None = None
    published: object | None = None
    error: str | None = None
    started: float | None = None
    ended: float | None = None
    watchers: dict[str, float] = field(default_factory=dict)
    leaving: list["Job"] = field(default_factory=list)
    fresh: bool = False
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def key(self) -> tuple[Kind, Settings, Work | None]:
        """Two jobs with one key compute the same thing."""
        return self.kind, self.settings, self.work

    def seconds(self) -> float:
        """How long it has been running, or ran."""
        if self.started is None:
            return 0.0
        return (self.ended or time.monotonic()) - self.started
