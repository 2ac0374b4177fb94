"""A model that counts the time spent inside its passes, and when each began."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from speculation.models.language_model import Logits
from speculation.pairs.pair import Pair


@dataclass
class Clock:
    """The passes of one or more models.

    wall    seconds inside them
    cpu     seconds that the calling thread itself was running in them: other processes do not count
    starts  when each began, by time.perf_counter
    """

    wall: float = 0.0
    cpu: float = 0.0
    starts: list[float] = field(default_factory=list)


class TimedContext:
    """A context whose passes are timed; everything else is the context's own."""

    def __init__(self, context: Any, clock: Clock) -> None:
        self._context, self._clock = context, clock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def extend(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        began, cpu = time.perf_counter(), time.thread_time()
        logits = self._context.extend(tokens, rows)
        self._clock.cpu += time.thread_time() - cpu
        self._clock.wall += time.perf_counter() - began
        self._clock.starts.append(began)
        return logits

    def copy(self) -> "TimedContext":
        return TimedContext(self._context.copy(), self._clock)


class TimedModel:
    """A model whose contexts are timed."""

    def __init__(self, model: Any, clock: Clock) -> None:
        self._model, self._clock = model, clock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def start(self) -> TimedContext:
        return TimedContext(self._model.start(), self._clock)


def timed(pair: Pair) -> tuple[Pair, Clock]:
    """The same pair with one clock on both of its models."""
    clock = Clock()
    target, draft = TimedModel(pair.target, clock), TimedModel(pair.draft, clock)
    return replace(pair, target=target, draft=draft), clock
