"""The bigram rung: what followed the last token in the samples, smoothed into a law.

    q(y | x) = kept(x, y) + rest(x) * u(y)

u is the unigram law. kept holds the most frequent successors of x, each count divided by
count(x) + distinct(x) (Witten and Bell's smoothing: a token with many different successors leaves
more to u). rest(x) is what kept leaves of 1, so the law sums to 1 however it was rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor

from training.draft import write
from training.texts.sample import Texts


@dataclass(frozen=True)
class Bigram:
    """kept in compressed rows (row x is start[x]:start[x + 1]) and the unigram law."""

    start: Tensor  # [vocab + 1] int32
    successor: Tensor  # [entries] int32
    kept: Tensor  # [entries] float16
    unigram: Tensor  # [vocab] float32

    def law(self, last: int) -> NDArray[np.float64]:
        """q over the vocabulary after the token `last`; sums to 1."""
        row = slice(int(self.start[last]), int(self.start[last + 1]))
        kept = self.kept[row].double().numpy()
        unigram = self.unigram.double().numpy()
        q: NDArray[np.float64] = (1.0 - kept.sum()) * unigram / unigram.sum()
        q[self.successor[row].numpy()] += kept
        return q

    def laws(self, last: Tensor) -> Tensor:
        """q after each of N tokens [N] -> [N, vocab] in float32, on the tokens' device."""
        vocab, count = len(self.unigram), self.start.diff().long()
        row = torch.arange(vocab).repeat_interleave(count)
        column = torch.arange(len(row)) - self.start[:-1].long()[row]
        kept = torch.zeros(vocab, max(1, int(count.max())))  # padded with zeros
        successor = torch.zeros(kept.shape, dtype=torch.long)
        kept[row, column] = self.kept.float()
        successor[row, column] = self.successor.long()
        rest = 1 - kept.sum(-1)
        place = last.cpu()
        device = last.device
        q = rest[place].to(device)[:, None] * self.unigram.to(device)
        return q.scatter_add_(1, successor[place].to(device), kept[place].to(device))

    def save(self, path: Path) -> None:
        """Write a safetensors file."""
        tensors = {f"bigram.{name}": value for name, value in vars(self).items()}
        write(path, tensors, entries=len(self.successor))

    @staticmethod
    def load(path: Path) -> Bigram:
        """Read what `save` wrote."""
        tensors = load_file(path)
        return Bigram(**{n: tensors[f"bigram.{n}"] for n in Bigram.__dataclass_fields__})


def count_pairs(shards: list[Texts], vocab: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct pairs (x * vocab + y) that the target wrote at temperature 0.5 or more, and counts.

    Colder texts are left out: they repeat themselves.
    """
    found, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for texts in shards:
        tokens = texts.tokens.astype(np.int64)
        some = texts.wrote()[:, :-1] & (texts.temperature[:, None] >= 0.5)
        pairs, number = np.unique(
            (tokens[:, :-1] * vocab + tokens[:, 1:])[some], return_counts=True
        )
        found, place = np.unique(np.concatenate([found, pairs]), return_inverse=True)
        counts = np.bincount(place, np.concatenate([counts, number]), len(found)).astype(np.int64)
    return found, counts


def make_bigram(shards: list[Texts], vocab: int, successors: int, at_least: int = 2) -> Bigram:
    """Count, smooth, and keep the most frequent successors of each token."""
    pairs, counts = count_pairs(shards, vocab)
    before, after = pairs // vocab, pairs % vocab
    total = np.bincount(before, counts, vocab) + np.bincount(before, minlength=vocab)
    unigram = np.bincount(after, counts, vocab) + 0.1  # no token is impossible
    order = np.lexsort((after, -counts, before))
    first = np.searchsorted(before[order], np.arange(vocab))
    rank = np.arange(len(order)) - first[before[order]]
    chosen = order[(rank < successors) & (counts[order] >= at_least)]
    share = (counts[chosen] / total[before[chosen]]).astype(np.float16)
    rows = np.bincount(before[chosen], minlength=vocab)
    return Bigram(
        start=torch.from_numpy(np.concatenate([[0], np.cumsum(rows)]).astype(np.int32)),
        successor=torch.from_numpy(after[chosen].astype(np.int32)),
        kept=torch.from_numpy(share),
        unigram=torch.from_numpy((unigram / unigram.sum()).astype(np.float32)),
    )
