"""Agreement of every draft with the target on the same texts: the one number of each rung.

In a run a draft decides, by what is accepted, which positions are checked. Here nothing depends on
the draft: the target alone writes answers to held-out prompts at temperature 1, and then every
draft reads them. So all drafts are compared at the same positions, and the difference of two drafts
does not carry the chance of which texts came out.

alpha = sum of min(p, q) over the whole vocabulary, averaged over the positions that the target
wrote, its end of turn included (Leviathan et al., arXiv 2211.17192, corollary 3.6).
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import torch
from pydantic import BaseModel, ConfigDict

from measuring.intervals import Estimate, ratio_of_sums
from measuring.ladder.context import write_texts
from measuring.ladder.heldout_prompts import many_prompts
from measuring.ladder_file import Agreement, Baseline
from speculation.models.language_model import LanguageModel, over_one_vocabulary, over_vocabulary
from speculation.pairs.pair import Pair
from speculation.rule import overlap
from speculation.sampling import Sampling, law
from speculation.text import encode, end_tokens

TEXTS = 20  # of each kind
LENGTH = 64  # tokens that the target writes at most
SEED = 7


@dataclass(frozen=True)
class Written:
    """One text of the target's: the prompt's `given` tokens and what it wrote to the end."""

    kind: str
    given: int
    tokens: tuple[int, ...]


class Agreements(BaseModel):
    """What this stage found. `sums` and `counts`: overlap and positions of each text, by draft."""

    model_config = ConfigDict(frozen=True)

    digest: str
    kinds: list[str]
    sums: dict[str, list[float]]
    counts: dict[str, list[int]]

    def of(self, draft: str, kind: str | None = None) -> Estimate | None:
        """A draft's alpha on all texts or on one kind's; None where it proposed nothing."""
        chosen = [i for i, x in enumerate(self.kinds) if kind in (None, x)]
        counts = [self.counts[draft][i] for i in chosen]
        if not sum(counts):
            return None
        return ratio_of_sums([self.sums[draft][i] for i in chosen], counts)

    def by_kind(self, draft: str) -> dict[str, Estimate]:
        found = {kind: self.of(draft, kind) for kind in dict.fromkeys(self.kinds)}
        return {kind: alpha for kind, alpha in found.items() if alpha is not None}

    def above(self, draft: str, start: Baseline | None) -> Estimate | None:
        """How far a draft's alpha is above the starting draft's, text by text.

        None unless both read the same texts and proposed at every position.
        """
        counts = self.counts[draft]
        if start is None or start.texts != self.digest or start.counts != counts:
            return None
        gains = np.subtract(self.sums[draft], start.sums)
        return ratio_of_sums(gains.tolist(), counts)

    def cells(self, rungs: Sequence[str], start: Baseline | None) -> list[Agreement]:
        """One cell for each rung that proposed anything."""
        return [
            Agreement(
                rung=rung,
                alpha=alpha,
                by_kind=self.by_kind(rung),
                positions=sum(self.counts[rung]),
                above_start=self.above(rung, start),
            )
            for rung in rungs
            if rung in self.sums and (alpha := self.of(rung)) is not None
        ]

    def baseline(self, name: str, digest: str) -> Baseline | None:
        """The starting draft's part, if it read the texts too."""
        alpha = self.of(name) if name in self.sums else None
        if alpha is None:
            return None
        return Baseline(
            name=name,
            digest=digest,
            alpha=alpha,
            by_kind=self.by_kind(name),
            texts=self.digest,
            sums=self.sums[name],
            counts=self.counts[name],
        )

    @classmethod
    def empty(cls, texts: Sequence[Written]) -> Self:
        """Before any draft has read them."""
        tokens = np.array([token for text in texts for token in text.tokens], dtype=np.int64)
        return cls(
            digest=hashlib.sha256(tokens.tobytes()).hexdigest()[:16],
            kinds=[text.kind for text in texts],
            sums={},
            counts={},
        )


def let_target_write(
    pair: Pair, texts: int = TEXTS, length: int = LENGTH, seed: int = SEED
) -> Iterator[list[Written]]:
    """So many answers of each kind; yields all so far after each kind."""
    found: list[Written] = []
    for i, (kind, prompts) in enumerate(many_prompts(texts).items()):
        starts = [encode(pair.tokenizer, prompt, "chat") for prompt in prompts]
        longest = max(len(start) for start in starts)
        *_, whole = write_texts(pair, starts, longest + length, seed + i)
        ends = end_tokens(pair.tokenizer)
        for start, text in zip(starts, whole, strict=True):
            answer = _to_the_end(text[len(start) : len(start) + length], ends)
            found.append(Written(kind, len(start), (*start, *answer)))
        yield found


def _to_the_end(tokens: Sequence[int], ends: frozenset[int]) -> Sequence[int]:
    """Up to the first token that ends the text, that one included."""
    at = next((i for i, token in enumerate(tokens) if token in ends), len(tokens))
    return tokens[: at + 1]


def agreement(
    texts: Sequence[Written], target: LanguageModel, drafts: Mapping[str, LanguageModel]
) -> Iterator[Agreements]:
    """Every draft reads every text; yields what is known after each text."""
    found = Agreements.empty(texts)
    sums: dict[str, list[float]] = {name: [] for name in drafts}
    counts: dict[str, list[int]] = {name: [] for name in drafts}
    for text in texts:
        p = law(_scores(target, text), Sampling())
        for name, draft in drafts.items():
            scores = _scores(draft, text)
            proposed = np.isfinite(scores.max(axis=-1))  # a lookup may have nothing to propose
            both = 0.0
            if proposed.any():
                q = law(scores[proposed], Sampling())
                both = float(overlap(*over_one_vocabulary(p[proposed], q)).sum())
            sums[name].append(round(both, 6))
            counts[name].append(int(proposed.sum()))
        yield found.model_copy(update={"sums": sums, "counts": counts})


@torch.inference_mode()
def _scores(model: LanguageModel, text: Written) -> npt.NDArray[np.float32]:
    """Logits [n, V] of the n tokens that the target wrote, minus infinity off the support."""
    written = len(text.tokens) - text.given
    found = model.start().extend(text.tokens[:-1], written)
    return over_vocabulary(found, model.support, model.vocab_size)
