"""Two things measured on a loaded target: what a block costs in one pass, and how it rounds.

Both are read off the same passes: after some text, a block of tokens is read at once, and token by
token. The times say what the block costs; the logits say how far the two ways round apart.
"""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from speculation.machine import machine
from speculation.models.blocks import rows_in_blocks
from speculation.models.language_model import (
    Context,
    LanguageModel,
    over_one_vocabulary,
    over_vocabulary,
)
from speculation.pairs.pair import Pair
from speculation.rule import overlap
from speculation.sampling import softmax
from speculation.text import encode

ROWS = (1, 2, 3, 5, 9, 13, 17)
TURNS = 9
PREFIX = 40
SAMPLE = (
    "The lighthouse stands at the end of the long stone pier. Every evening its keeper climbs the "
    "ninety-two steps, lights the lamp, and writes the weather in a small blue book. In winter the "
    "wind comes from the north, and the sea throws its foam over the rail. Nobody has asked him "
    "for the book in thirty years, but he keeps it all the same, because a page left empty would "
    "be a day that had not happened."
)


class Measurement(BaseModel):
    """What was measured, in one precision.

    rows, ms    tokens in one pass, and the time of the fastest of nine such passes: what the pass
                itself costs, without what else the machine was doing
    places      how many positions were compared, alone and inside a block of `block` tokens
    logit       the largest difference between two logits
    tv_mean, tv_max  half the summed difference of the two laws at temperature 1
    flips       positions where the likeliest token changed
    done        how much of the work is behind, 0 to 1
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    precision: str
    machine: str
    recorded_at: str
    rows: list[int]
    ms: list[float]
    block: int
    places: int
    logit: float
    tv_mean: float
    tv_max: float
    flips: int
    done: float = 1.0

    @property
    def relative(self) -> list[float]:
        """Each pass over a pass of one token."""
        return [ms / self.ms[0] for ms in self.ms]


def measure(pair: Pair, precision: str, k: int = 4) -> Iterator[Measurement]:
    """Measure the pair's target on a paragraph of text; yields the state after each turn."""
    target, tokens = pair.target, encode(pair.tokenizer, SAMPLE, "continue")
    recorded_at = datetime.now(UTC).isoformat(timespec="seconds")
    context = target.start()
    context.extend(tokens[:PREFIX])
    times: dict[int, list[float]] = {n: [] for n in ROWS}
    blocks = min(TURNS, (len(tokens) - PREFIX) // (k + 1))
    seen = _Rounding()
    for turn in range(TURNS):
        for n in ROWS:
            times[n].append(_pass_ms(context, tokens[PREFIX : PREFIX + n]))
        if turn < blocks:
            first = PREFIX + turn * (k + 1)
            seen.compare(target, tokens[: first + k + 1], k + 1)
        yield Measurement(
            precision=precision,
            machine=machine(),
            recorded_at=recorded_at,
            rows=list(ROWS),
            ms=[min(times[n]) for n in ROWS],
            block=k + 1,
            places=seen.places,
            logit=seen.logit,
            tv_mean=seen.tv_sum / max(seen.places, 1),
            tv_max=seen.tv_max,
            flips=seen.flips,
            done=(turn + 1) / TURNS,
        )


def _pass_ms(context: Context, tokens: list[int]) -> float:
    """The time of one pass; the context is cut back to where it was."""
    length = context.length
    began = time.perf_counter()
    context.extend(tokens, len(tokens))
    spent = time.perf_counter() - began
    context.crop(length)
    return 1000.0 * spent


class _Rounding:
    """Differences between the two ways, as they are met."""

    def __init__(self) -> None:
        self.places = self.flips = 0
        self.logit = self.tv_sum = self.tv_max = 0.0

    def compare(self, target: LanguageModel, tokens: list[int], block: int) -> None:
        """The last `block` tokens: read at once, and one by one, after the same text."""
        first = len(tokens) - block
        together = rows_in_blocks(target, tokens, first, block)
        alone = rows_in_blocks(target, tokens, first, 1)
        distance = 1.0 - overlap(softmax(together), softmax(alone))
        self.places += block
        self.flips += int((together.argmax(axis=1) != alone.argmax(axis=1)).sum())
        self.logit = max(self.logit, float(np.abs(together - alone).max()))
        self.tv_sum += float(distance.sum())
        self.tv_max = max(self.tv_max, float(distance.max()))


def overlap_curves(
    target: LanguageModel, draft: LanguageModel, tokens: list[int], first: int, grid: list[float]
) -> list[list[float]]:
    """The overlap of p and q at every position from `first` on, for each temperature above 0.

    -> one curve a position. The text is given, so the positions stay the same at all temperatures.
    """
    rows = len(tokens) - first
    p = _logits(target, tokens, rows)
    q = _logits(draft, tokens, rows)
    curves = [
        overlap(*over_one_vocabulary(softmax(p / temperature), softmax(q / temperature)))
        for temperature in grid
    ]
    return np.array(curves).T.tolist()  # type: ignore[no-any-return]


def _logits(model: LanguageModel, tokens: list[int], rows: int) -> npt.NDArray[np.float64]:
    """Logits after each of the last `rows` tokens over the whole vocabulary, [rows, V]."""
    found = model.start().extend(tokens, rows).astype(np.float64)
    return over_vocabulary(found, model.support, model.vocab_size)
