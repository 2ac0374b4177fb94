"""Is a cache cut back to the right place? The check, and mistakes planted to prove that it sees."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import speculation.decode
from helpers.tiny_models import fresh_rows
from speculation.decode import Decoder, Request
from speculation.models.language_model import LanguageModel, Logits
from speculation.models.passes import PassStore, Reader

CLOSE = 1e-3


class Logging(Reader):
    """A reader that remembers what every pass answered."""

    logs: list[list[Logits]] = []  # noqa: RUF012 - emptied by every check

    def __init__(self, model: LanguageModel, store: PassStore) -> None:
        super().__init__(model, store)
        self.log: list[Logits] = []
        self.logs.append(self.log)

    def extend(self, tokens: Any, rows: int = 1) -> Logits:
        logits = super().extend(tokens, rows)
        self.log.append(logits)
        return logits


def check_cached_steps(target: LanguageModel, draft: LanguageModel, request: Request) -> int:
    """Every pass's logits equal those of one fresh pass over the text; how many were compared."""
    Logging.logs.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speculation.decode, "Reader", Logging)
        cycles = [cycle for cycle, _ in Decoder(target, draft, request)]
    target_log, draft_log = (iter(log[1:]) for log in Logging.logs)  # without the prompt's pass
    text, compared = list(request.prompt), 0
    for cycle in cycles:
        drafted = [x.token for x in cycle.drafted]
        steps: list[tuple[str, LanguageModel, Iterator[Logits], list[int], int]] = [
            ("draft", draft, draft_log, text + drafted[:i], 1) for i in range(len(drafted))
        ]
        steps.append(("target", target, target_log, text + drafted, len(drafted) + 1))
        for name, model, log, read, rows in steps:
            off = np.abs(next(log) - fresh_rows(model, read, rows)).max()
            assert off < CLOSE, (
                f"cycle {cycle.index}: the {name}'s cached logits are off by {off:.3g} "
                f"after {len(read)} tokens"
            )
            compared += 1
        text += cycle.committed
    return compared


class Crooked:
    """A model whose contexts crop to `by` tokens more (or fewer) than they were told to."""

    def __init__(self, model: LanguageModel, by: int) -> None:
        self._model, self._by = model, by

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def start(self) -> "CrookedContext":
        return CrookedContext(self._model.start(), self._by)


class CrookedContext:
    """Its `length` is what it should be: the mistake shows in the logits alone."""

    def __init__(self, inner: Any, by: int) -> None:
        self._inner, self._by, self.length = inner, by, inner.length

    @property
    def nbytes(self) -> int:
        return int(self._inner.nbytes)

    def extend(self, tokens: Sequence[int], rows: int = 1) -> npt.NDArray[np.float32]:
        self.length += len(tokens)
        return self._inner.extend(tokens, rows)

    def crop(self, length: int) -> None:
        if length < self.length:
            self._inner.crop(max(0, min(length + self._by, self._inner.length)))
        self.length = length

    def copy(self) -> "CrookedContext":
        other = CrookedContext(self._inner.copy(), self._by)
        other.length = self.length
        return other
