"""A model read by whole passes, without a cache: for a target whose cache cannot be cut back."""

from collections.abc import Sequence
from typing import Any, Self

import torch

from speculation.models.language_model import Logits, Tokens, to_numpy


class WholePasses:
    """Any causal model of transformers as a LanguageModel; slow, and right for every family."""

    support: Tokens | None = None

    def __init__(self, module: Any, name: str) -> None:
        self.module = module
        self.name = name
        self.digest = name
        self.vocab_size = int(module.config.get_text_config().vocab_size)
        self.max_length = int(module.config.get_text_config().max_position_embeddings)
        self._known: dict[tuple[int, ...], Logits] = {}

    def start(self) -> "WholeContext":
        """An empty context."""
        return WholeContext(self)

    @torch.inference_mode()
    def after(self, tokens: tuple[int, ...]) -> Logits:
        """The logits after each of the tokens, [T, V]; a text is read once."""
        if tokens not in self._known:
            out = self.module(torch.tensor([tokens]), use_cache=False)
            self._known[tokens] = to_numpy(out.logits[0])
        return self._known[tokens]


class WholeContext:
    """The tokens so far; every pass reads them all again."""

    def __init__(self, model: WholePasses, tokens: Sequence[int] = ()) -> None:
        self._model = model
        self._tokens = list(tokens)

    @property
    def length(self) -> int:
        """Tokens read."""
        return len(self._tokens)

    @property
    def nbytes(self) -> int:
        """Nothing is kept."""
        return 0

    def extend(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Read on; the logits after the last `rows` tokens."""
        self._tokens += tokens
        return self._model.after(tuple(self._tokens))[-rows:]

    def crop(self, length: int) -> None:
        """Forget what came after."""
        del self._tokens[length:]

    def copy(self) -> Self:
        """Another one that has read the same."""
        return type(self)(self._model, self._tokens)
