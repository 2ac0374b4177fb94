"""Greedy text against the target's own choices, with near-ties allowed for.

A greedy engine takes the token of the largest logit. Two engines may still differ where two logits
are closer than rounding: an engine that verifies k drafts reads k + 1 rows in one pass, and rows
read together round differently from rows read one by one. So how far the logits of this text move
between the two ways is measured here, and a choice is excused if the gap is within twice that. An
engine with an arithmetic of its own (other kernels, 8-bit activations) moves its logits further:
then the gap may be as wide as that moves two of them (`arithmetic.py`), or the engine's plain twin
must have made the same choice after the same words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from speculation.models.language_model import LanguageModel

LEAST = 1e-5
"""Logits of size 10 have a spacing of 1e-6 in float32; sums of hundreds of them lose a digit."""


@dataclass(frozen=True)
class GreedyText:
    """What came, and what the target would have taken after the same words.

    tokens   the engine's
    gaps     how far each token's logit lies below the largest one; 0 where it is that one
    moved    the largest difference between reading one row and k + 1 rows, over this text
    spread   how far the engine's own logits lie from the target's, as far as that is known
    twin     the plain twin's greedy text, if there is one
    """

    tokens: tuple[int, ...]
    gaps: tuple[float, ...]
    moved: float
    spread: float = 0.0
    twin: tuple[int, ...] = ()

    @property
    def allowed(self) -> float:
        """The widest gap that rounding explains: both logits may have moved."""
        return max(LEAST, 2.0 * self.moved, 2.0 * self.spread)

    @property
    def near_ties(self) -> list[int]:
        """Places where another token was taken, within what rounding explains."""
        return [i for i, gap in enumerate(self.gaps) if 0.0 < gap <= self.allowed]

    @property
    def unexplained(self) -> list[int]:
        """Places where another token was taken, and neither rounding nor the twin explains it."""
        wide = [i for i, gap in enumerate(self.gaps) if gap > self.allowed]
        return [i for i in wide if self.twin[: i + 1] != self.tokens[: i + 1]]

    @property
    def shared(self) -> list[int]:
        """Places where the gap is too wide for rounding, and the plain twin took the same token."""
        wide = [i for i, gap in enumerate(self.gaps) if gap > self.allowed]
        return [i for i in wide if self.twin[: i + 1] == self.tokens[: i + 1]]


def compare_greedy(
    target: LanguageModel, prompt: Sequence[int], tokens: Sequence[int], k: int
) -> GreedyText:
    """Read the text twice, row by row and k + 1 rows at a time."""
    single = read_in_steps(target, prompt, tokens, 1)
    block = read_in_steps(target, prompt, tokens, k + 1)
    chosen = single[np.arange(len(tokens)), list(tokens)]
    gaps = single.max(axis=1) - chosen
    moved = float(np.abs(single - block).max()) if len(tokens) else 0.0
    return GreedyText(tuple(tokens), tuple(map(float, gaps)), moved)


def read_in_steps(
    target: LanguageModel, prompt: Sequence[int], tokens: Sequence[int], rows: int
) -> npt.NDArray[np.float32]:
    """Logits before each token [T, V], from passes of so many rows."""
    context = target.start()
    if len(prompt) > 1:
        context.extend(prompt[:-1])
    fed = [prompt[-1], *tokens[:-1]]
    found = [
        context.extend(fed[i : i + rows], len(fed[i : i + rows]))
        for i in range(0, len(tokens), rows)
    ]
    return np.concatenate(found) if found else np.zeros((0, target.vocab_size), np.float32)
