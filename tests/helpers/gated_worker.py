"""A shelf with one tiny pair behind a gate, and how to wait for a worker."""

import threading
from collections.abc import Callable
from typing import Any

from helpers.patience import patience
from helpers.patience import until as wait_until
from jobs.job import Kind, View
from jobs.worker import Worker
from speculation.models.language_model import (
    Logits,
    ModelRefused,
    TransformersContext,
    TransformersModel,
)
from speculation.pairs.pair import Pair
from speculation.settings import Settings


class GatedContext(TransformersContext):
    """A context that waits for leave before each pass."""

    def __init__(self, module: Any, gate: threading.Semaphore) -> None:
        super().__init__(module)
        self.gate = gate

    def extend(self, tokens: Any, rows: int = 1) -> Logits:
        assert self.gate.acquire(timeout=patience())
        return super().extend(tokens, rows)


class GatedModel(TransformersModel):
    """A target whose contexts stand behind one gate."""

    gate: threading.Semaphore

    def start(self) -> GatedContext:
        return GatedContext(self.module, self.gate)


class StubShelf:
    """Gives the tiny pair under any name, and writes down what was asked for."""

    def __init__(self, pair: Pair) -> None:
        target = pair.target
        self.gate = threading.Semaphore(0)
        gated = GatedModel(target.module, target.name, target.digest)  # type: ignore[attr-defined]
        gated.gate = self.gate
        self.tiny = pair
        self.gated = Pair(pair.spec, gated, pair.draft, pair.tokenizer, pair.arithmetic)
        self.asked: list[str] = []

    def pair(self, pair_id: str, precision: str) -> Pair:
        self.asked.append(pair_id)
        if pair_id == "refused":
            raise ModelRefused("there is no pair named 'refused'")
        if pair_id == "broken":
            raise RuntimeError("out of luck")
        if pair_id == "huge":
            raise MemoryError
        return self.gated

    def open(self, passes: int = 1_000_000) -> None:
        """Let this many passes through."""
        self.gate.release(passes)


def settings(prompt: str = "a", **changes: Any) -> Settings:
    return Settings(prompt=prompt, k=3, length=changes.pop("length", 12), **changes)


def until(
    worker: Worker, visitor: str, condition: Callable[[View], bool], kind: Kind = "run"
) -> View:
    """Look until what is seen is as wanted."""
    seen: list[View] = []

    def look() -> bool:
        view = worker.look(visitor, kind)
        assert view is not None
        seen[:] = [view]
        return condition(view)

    def still() -> str:
        (view,) = seen
        return f"a view; still {view.state}, with {len(view.cycles)} cycles, {view.error}"

    wait_until(look, still, pause=0.002)
    return seen[0]


def final(view: View) -> bool:
    return view.final
