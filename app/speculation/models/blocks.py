"""A text read a block at a time: what verifying sees, beside what plain decoding sees."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from speculation.models.language_model import LanguageModel


def rows_in_blocks(
    target: LanguageModel, tokens: Sequence[int], first: int, block: int
) -> npt.NDArray[np.float64]:
    """Logits after each token from `first` on, read `block` at a time after one pass over the rest.

    -> [len(tokens) - first, V]. With blocks of one it is what plain decoding sees, with k + 1 what
    verifying sees; on paper the two are the same, and what parts them is rounding.
    """
    context = target.start()
    if first:
        context.extend(tokens[:first])
    parts = [tokens[i : i + block] for i in range(first, len(tokens), block)]
    return np.concatenate([context.extend(part, len(part)).astype(np.float64) for part in parts])
