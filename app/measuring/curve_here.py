"""One curve of the ladder measured on this machine: a draft on one prompt, plain decoding between.

The same runs as `make measure` makes, so that the two can be laid over each other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from measuring.ladder_cells import speed_cells
from measuring.ladder_file import DRAFT_LENGTHS, SpeedCell
from measuring.run_record import PLAIN, RunRecord, link_settings, record_run, seed_of
from speculation.machine import machine
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.settings import Mode, Precision

ORDER = (0, DRAFT_LENGTHS[0], DRAFT_LENGTHS[1], 0, DRAFT_LENGTHS[2], DRAFT_LENGTHS[3], 0)
"""Draft lengths in the order they are run; 0 is a turn of plain decoding."""


@dataclass(frozen=True)
class Here:
    """What is known so far: the finished runs, and how much is done, 0 to 1."""

    records: tuple[RunRecord, ...]
    done: float
    machine: str

    @property
    def cells(self) -> list[SpeedCell]:
        """The curve, as far as it lies between turns of plain decoding."""
        return sorted(speed_cells(self.records), key=lambda x: x.k)


@dataclass(frozen=True)
class MeasureHere:
    """Work for the worker; the job's own settings name the pair and the precision."""

    rung: str
    kind: str
    prompt: str
    mode: Mode
    temperature: float
    precision: Precision
    length: int
    gives_way: ClassVar[bool] = False

    def states(self, pair: Pair, store: PassStore) -> Iterator[Here]:
        """A state after every cycle, so that a stop is heard at once. Nothing is looked up."""
        del store
        records: list[RunRecord] = []
        turn = 0
        yield from self._warm_up(pair)
        for i, k in enumerate(ORDER):
            if k == 0 and i:
                turn += 1
            rung = PLAIN if k == 0 else self.rung
            seed = seed_of(rung, self.kind, 0, k, turn if k == 0 else 0)
            settings = link_settings(
                pair.spec.id, self.prompt, self.temperature, max(k, 1), seed, self.length,
                self.mode, self.precision,
            )  # fmt: skip
            run = record_run(pair, settings, rung, self.kind, 0, turn, k)
            for cycles, record in enumerate(run, 1):
                if record is not None:
                    records.append(record)
                part = 1.0 if record is not None else min(cycles / self.length, 0.95)
                yield Here(tuple(records), (i + part) / len(ORDER), machine())

    def _warm_up(self, pair: Pair) -> Iterator[Here]:
        """First passes are slow, and would be blamed on whoever comes first."""
        for k in (0, 2):
            settings = link_settings(pair.spec.id, self.prompt, 1.0, max(k, 1), 1, 4, self.mode)
            for _ in record_run(pair, settings, "warm-up", self.kind, 0, 0, k):
                yield Here((), 0.0, machine())
