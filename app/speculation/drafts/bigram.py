"""A draft that is a table: how often each token followed the last one in the target's own texts.

    q(y | x) = kept(x, y) + rest(x) * u(y)

u is the law of single tokens, kept(x, y) the smoothed share of the most frequent successors of x,
and rest(x) = 1 - sum of kept(x, y) what is left for all others. Every token has some chance, so
this is a real law over the whole vocabulary, and it costs a look into a table.

It sees one token of the text, which is why it is wrong so often. The file is counted by
`training/bigram.py` (Witten and Bell's smoothing); before transformers, n-gram tables were language
models, and engines still draft with them.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file

from speculation.drafts.text_context import TextContext
from speculation.models.language_model import Logits, Tokens
from speculation.rule import Law


class BigramModel:
    """The table in compressed rows: the successors of x are entries start[x] to start[x + 1].

    start      [V + 1], integers
    successor  [entries], token ids
    kept       [entries], shares; those of one row sum to at most 1
    unigram    [V], the law of single tokens, all above 0

    Raises ValueError for a table whose rows or shares cannot be a law.
    """

    support: Tokens | None = None

    def __init__(
        self,
        start: npt.ArrayLike,
        successor: npt.ArrayLike,
        kept: npt.ArrayLike,
        unigram: npt.ArrayLike,
        name: str,
        digest: str,
        max_length: int,
    ) -> None:
        self.start_of = np.asarray(start, dtype=np.int64)
        self.successor = np.asarray(successor, dtype=np.int64)
        self.kept = np.asarray(kept, dtype=np.float64)
        single = np.asarray(unigram, dtype=np.float64)
        if len(self.start_of) != len(single) + 1 or self.start_of[-1] != len(self.successor):
            raise ValueError(f"{name}: the table's rows do not fit its vocabulary")
        if len(self.kept) != len(self.successor) or self.kept.min(initial=0.0) < 0.0:
            raise ValueError(f"{name}: a share is missing or negative")
        if single.min() <= 0.0:
            raise ValueError(f"{name}: a token has no chance at all")
        self.unigram = single / single.sum()
        self._log_unigram = np.log(self.unigram)
        self.name, self.digest = name, digest
        self.vocab_size = len(single)
        self.max_length = max_length

    def logits_after(self, token: int) -> Logits:
        """log q(y | token) for every y, [V]."""
        row = slice(self.start_of[token], self.start_of[token + 1])
        successors, kept = self.successor[row], self.kept[row]
        # Shares are stored in half precision: rounded up, they could sum to a little over 1.
        rest = max(1.0 - float(kept.sum()), 1e-6)
        logits = self._log_unigram + np.log(rest)
        logits[successors] = np.log(kept + rest * self.unigram[successors])
        scores: Logits = logits.astype(np.float32)
        return scores

    def law_after(self, token: int) -> Law:
        """q(y | token), [V]; sums to 1."""
        law: Law = np.exp(self.logits_after(token).astype(np.float64))
        law /= law.sum()
        return law

    def start(self) -> "BigramContext":
        return BigramContext(self)


class BigramContext(TextContext):
    """The text so far; only its last token matters."""

    def __init__(self, model: BigramModel, text: Sequence[int] = ()) -> None:
        super().__init__(text)
        self._model = model

    def extend(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        self._text.extend(tokens)
        return np.stack([self._model.logits_after(token) for token in tokens[-rows:]])

    def copy(self) -> "BigramContext":
        return BigramContext(self._model, self._text)


def load_bigram(path: Path, digest: str, max_length: int) -> BigramModel:
    """The table in a safetensors file, as `training/bigram.py` writes it."""
    tensors = load_file(path)
    return BigramModel(
        tensors["bigram.start"],
        tensors["bigram.successor"],
        tensors["bigram.kept"],
        tensors["bigram.unigram"],
        name="bigram",
        digest=digest,
        max_length=max_length,
    )
