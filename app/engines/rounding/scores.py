"""The passes behind "Rounding or bug?": one text scored plainly and in blocks, in one precision.

A plain engine reads token by token; a speculative one verifies k + 1 rows in a pass. On paper both
give the same logits. In a computer each sums in another order, and rounds otherwise; the keys and
values that a pass leaves in the cache carry the difference on. So the text before the place in
question is read again in both ways, for every place that the row can have in its block.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch

from speculation.models.blocks import rows_in_blocks
from speculation.models.language_model import LanguageModel, TransformersModel

Precision = Literal["float32", "bfloat16", "float16"]
PRECISIONS: tuple[Precision, ...] = ("bfloat16", "float16", "float32")
Numbers = npt.NDArray[np.float64]

SPAN = 48  # tokens before the place that are read again; what lies further back is read at once
CHUNK = 64  # rows of logits held at once


def spacing(value: float, precision: Precision) -> float:
    """The distance between neighboring numbers of this precision, at this magnitude.

    Between two powers of 2 a format with b bits after the point has steps of the lower power times
    2^-b; b is 23 in float32, 10 in float16, 7 in bfloat16 (IEEE 754; Google's bfloat16).

    >>> spacing(20.0, "bfloat16"), spacing(20.0, "float16"), spacing(-15.9, "bfloat16")
    (0.125, 0.015625, 0.0625)
    """
    kind = torch.finfo(getattr(torch, precision))
    size = max(abs(value), float(kind.smallest_normal))
    return float(kind.eps * 2.0 ** np.floor(np.log2(size)))


def in_precision(target: LanguageModel, precision: Precision) -> LanguageModel | None:
    """The same weights, rounded to this precision; None where this machine cannot compute in it."""
    if not isinstance(target, TransformersModel):
        return target
    dtype = getattr(torch, precision)
    if target.dtype == dtype:
        return target
    try:
        with torch.inference_mode():
            module = copy.deepcopy(target.module).to(dtype)
        model = TransformersModel(module, target.name, f"{target.digest}/{precision}")
        if np.isfinite(model.start().extend([0])).all():
            return model
    except (RuntimeError, NotImplementedError):
        pass  # an operation that this precision lacks here
    return None


@dataclass(frozen=True)
class Forced:
    """A given text under the target: the likeliest token at each place, and how far behind it
    the text's own token lies, in logits; both [n]."""

    best: npt.NDArray[np.int64]
    behind: Numbers


def forced(target: LanguageModel, before: Sequence[int], tokens: Sequence[int]) -> Forced:
    """Read `tokens` after `before`, which holds at least one."""
    context = target.start()
    rows = context.extend(before)
    best, behind = np.zeros(len(tokens), np.int64), np.zeros(len(tokens))
    for first in range(0, len(tokens), CHUNK):
        part = tokens[first : first + CHUNK]
        if len(part) > 1:
            rows = np.concatenate([rows, context.extend(part[:-1], len(part) - 1)])
        here = slice(first, first + len(part))
        best[here] = rows.argmax(axis=1)
        behind[here] = rows.max(axis=1) - rows[np.arange(len(part)), part]
        rows = context.extend(part[-1:])
    return Forced(best, behind)


@dataclass(frozen=True)
class BothWays:
    """One row of logits in both ways, and how much rounding moved gaps on the way to it.

    plain   [V]         read token by token
    blocks  [k + 1, V]  read in blocks of k + 1, the row at each place of its block in turn
    moved   the largest change of a gap between the two likeliest tokens, at `rows` rows
    rows    how many rows were compared
    """

    plain: Numbers
    blocks: Numbers
    moved: float
    rows: int


def both_ways(
    target: LanguageModel, text: Sequence[int], block: int, filler: Sequence[int]
) -> Iterator[tuple[int, BothWays | None]]:
    """Score the row after `text` in both ways -> (passes' series done, None), at last the result.

    text    at least one token; its last SPAN are read again, as far as they go
    block   rows in a verifying pass, k + 1
    filler  what stands in the block after the row: it does not matter, its number does
    """
    last = len(text) - 1
    base = max(0, last - SPAN)
    plain = rows_in_blocks(target, text, base, 1)
    yield 1, None
    after = [*filler[:block], *[text[-1]] * block]
    found, moved, rows = [], 0.0, 0
    for place in range(block):
        # A text shorter than that place is read from its first token on.
        first = base + (last - base - place) % block if last - base >= place else base
        tokens = [*text, *after[: block - 1 - (last - first) % block]]
        together = rows_in_blocks(target, tokens, first, block)[: last - first + 1]
        alone = plain[first - base :]
        found.append(together[-1])
        moved = max(moved, _largest_move(alone, together))
        rows += len(together)
        yield 2 + place, None
    yield 1 + block, BothWays(plain[-1], np.array(found), moved, rows)


def _largest_move(alone: Numbers, together: Numbers) -> float:
    """The largest change of the gap between each row's two likeliest tokens; both [n, V]."""
    top = np.argpartition(alone, -2, axis=1)[:, -2:]
    gap_alone, gap_together = (
        np.diff(np.take_along_axis(rows, top, axis=1), axis=1) for rows in (alone, together)
    )
    return float(np.abs(gap_alone - gap_together).max())
