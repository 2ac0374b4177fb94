"""The target's law after many texts at once: the yardstick of an audit.

All texts go on from one prompt, so the prompt is read once and its cache repeated over a batch.
Texts of a batch are filled up to one length on the right: a token sees only what is left of it, so
what fills a text changes nothing before it, and no attention mask is needed (on the CPU a mask
costs several times the pass).
"""

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from transformers import DynamicCache

from engines.base import SampleRequest
from speculation.models.language_model import LanguageModel, Logits, TransformersModel, to_numpy
from speculation.rule import Law
from speculation.sampling import law

Text = tuple[int, ...]

BATCH_ROWS = 256
"""Rows of logits in one batch: of 49,152 tokens each, 50 MB."""


class TargetLaw:
    """The target's laws after every prefix of a text that continues one prompt."""

    def __init__(self, model: LanguageModel, prompt: Text) -> None:
        self.model = model
        self.prompt = prompt
        self._cache: Any = None

    def logits(self, texts: Sequence[Text]) -> Iterator[Logits]:
        """For each text of T tokens, in order, the logits before each of them, [T, V]."""
        if not isinstance(self.model, TransformersModel):
            for text in texts:
                read = [*self.prompt, *text[:-1]]
                yield self.model.start().extend(read, max(1, len(text)))[: len(text)]
            return
        start = 0
        while start < len(texts):
            width = max(map(len, texts[start:]))
            size = max(1, BATCH_ROWS // max(1, width))
            part = texts[start : start + size]
            rows = self._batch(self.model.module, part)
            for text, found in zip(part, rows, strict=True):
                yield found[: len(text)]
            start += size

    def next_logits(self, texts: Sequence[Text]) -> Iterator[Logits]:
        """For each text, the logits of the token after it, [V]."""
        for rows in self.logits([(*text, 0) for text in texts]):
            yield rows[-1]

    @torch.inference_mode()
    def _batch(self, module: Any, texts: Sequence[Text]) -> Logits:
        """Logits before each token of each text, [B, longest T, V]."""
        width = max(1, *map(len, texts))
        last = module.config.vocab_size - 1  # another model's padding is read as some token
        fed = [
            [min(x, last) for x in (self.prompt[-1], *text[:-1], *[0] * width)][:width]
            for text in texts
        ]
        cache = self._prompt_cache(module)
        if len(texts) > 1:
            cache.batch_repeat_interleave(len(texts))
        ids = torch.tensor(fed, device=module.device)  # [B, T]
        out = module(ids, cache=cache, use_cache=True, logits_to_keep=width)
        return to_numpy(out.logits)

    def _prompt_cache(self, module: Any) -> Any:
        """A fresh copy of the cache after all of the prompt but its last token."""
        if self._cache is None:
            self._cache = DynamicCache(config=module.config)
            if len(self.prompt) > 1:
                ids = torch.tensor([self.prompt[:-1]], device=module.device)
                module(ids, cache=self._cache, use_cache=True, logits_to_keep=1)
        if len(self.prompt) == 1:
            return DynamicCache(config=module.config)
        return copy.deepcopy(self._cache)


def laws_of(request: SampleRequest, logits: npt.ArrayLike, text: Text) -> Law:
    """The laws that the tokens of `text` should follow, [T, V], from the target's logits there."""
    return law(adjusted(request, logits, text), request.sampling)


def law_after(request: SampleRequest, logits: npt.ArrayLike, before: Text) -> Law:
    """The law of the token after `before`, [V], from the target's logits there."""
    row = np.asarray(logits)
    if _adjusts(request):
        row = row.astype(np.float64)
        _adjust(request, row, before)
    return law(row, request.sampling)


def adjusted(request: SampleRequest, logits: npt.ArrayLike, text: Text) -> npt.NDArray[Any]:
    """Logits [T, V] with the request's bias and penalties; see `SampleRequest` for what they are.

    >>> from speculation.sampling import Sampling
    >>> request = SampleRequest((0,), Sampling(), length=2, repetition_penalty=2.0)
    >>> adjusted(request, [[4.0, -1.0], [4.0, -1.0]], (1, 0))    # 0 stands in the prompt
    array([[ 2., -1.],
           [ 2., -2.]])
    """
    rows = np.asarray(logits)
    if not _adjusts(request):
        return rows
    rows = rows.astype(np.float64)
    for i, row in enumerate(rows):
        _adjust(request, row, text[:i])
    return rows


def _adjusts(request: SampleRequest) -> bool:
    penalties = request.repetition_penalty != 1.0 or request.presence_penalty != 0.0
    return bool(request.logit_bias) or penalties


def _adjust(request: SampleRequest, row: npt.NDArray[np.float64], before: Text) -> None:
    """Bias, then penalties, on one row [V], in place."""
    for token, bias in request.logit_bias:
        row[token] += bias
    seen = np.unique([*request.prompt, *before])
    found, factor = row[seen], request.repetition_penalty
    row[seen] = np.where(found > 0.0, found / factor, found * factor)
    if before:
        row[np.unique(before)] -= request.presence_penalty
