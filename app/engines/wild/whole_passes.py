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

    def start(self) -> "WholeContext":
        """An empty context."""
        return WholeContext(self.module)


class WholeContext:
    """The tokens so far; every pass reads them all again."""

    def __init__(self, module: Any, tokens: Sequence[int] = ()) -> None:
        self._module = module
        self._tokens = list(tokens)

    @property
    def length(self) -> int:
        """Tokens read."""
        return len(self._tokens)

    @property
    def nbytes(self) -> int:
        """Nothing is kept."""
        return 0

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Read on; the logits after the last `rows` tokens."""
        self._tokens += tokens
        out = self._module(torch.tensor([self._tokens]), use_cache=False)
        return to_numpy(out.logits[0, -rows:])

    def crop(self, length: int) -> None:
        """Forget what came after."""
        del self._tokens[length:]

    def copy(self) -> Self:
        """Another one that has read the same."""
        return type(self)(self._module, self._tokens)
