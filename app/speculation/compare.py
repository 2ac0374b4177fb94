"""Speculative and plain decoding of the same prompt, measured side by side.

Both run in one process and take turns, so that a busy moment of the machine slows both. Neither
looks anything up: every pass is made. What comes out is a ratio for this prompt on this machine,
and it is below 1 where speculation does not pay.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from speculation.machine import machine
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.run import Run
from speculation.settings import Settings


@dataclass(frozen=True)
class Speed:
    """Tokens and the time they took, sampling included, the reading of the prompt excluded."""

    tokens: int
    ms: float

    @property
    def tokens_per_second(self) -> float:
        return 1000.0 * self.tokens / self.ms if self.ms else 0.0


@dataclass(frozen=True)
class Comparison:
    """The two speeds so far, and where they were measured."""

    speculative: Speed
    plain: Speed
    done: float
    machine: str

    @property
    def speedup(self) -> float:
        """Speculative over plain tokens/s; below 1 where speculation is slower."""
        plain = self.plain.tokens_per_second
        return self.speculative.tokens_per_second / plain if plain else 0.0


def side_by_side(pair: Pair, settings: Settings) -> Iterator[Comparison]:
    """Run both, the one that is behind in time next; yields the state after every cycle.

    Both stop once each has written its text; their lengths can differ at temperature above 0,
    where the two take different random numbers to different texts of the same law.
    """
    runs = [Run(pair, settings, PassStore()), Run(pair, settings, PassStore(), k=0)]
    going = [iter(run) for run in runs]
    spent = [0.0, 0.0]
    while any(run.decoder.finish is None for run in runs):
        behind = min((i for i in (0, 1) if runs[i].decoder.finish is None), key=spent.__getitem__)
        next(going[behind])
        spent[behind] = sum(timing.total_ms for timing in runs[behind].timings)
        written = [len(run.decoder.generated) for run in runs]
        shares = [
            1.0 if run.decoder.finish else n / settings.length
            for run, n in zip(runs, written, strict=True)
        ]
        yield Comparison(
            speculative=Speed(written[0], spent[0]),
            plain=Speed(written[1], spent[1]),
            done=sum(shares) / 2,
            machine=machine(),
        )
