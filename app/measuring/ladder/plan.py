"""Which runs `make measure` makes, in which order.

A first pass over everything on the first prompt of each kind, then on the next: if time runs out,
every cell is there, with fewer prompts. Plain decoding is measured before and after every two
rungs, so that a busy moment of the machine slows both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from measuring.ladder.heldout_prompts import KINDS
from measuring.ladder_file import (
    DRAFT_LENGTHS,
    LONGEST_K,
    PRECISIONS,
    TEMPERATURES,
    TIMED_TEMPERATURES,
)
from measuring.run_record import PLAIN, Key, key_of
from speculation.settings import Precision

LENGTHS = {"quote": 32}  # a copied passage is committed in long cycles
LENGTH = 20
TIMED_PROMPTS = 2
PROMPTS = 3  # the last is for alpha alone
FEW_K = 4
FEW_LENGTH = 14
UNTIMED = -9  # the turn of a run with no plain decoding beside it
ORDER = (
    *sorted(TIMED_TEMPERATURES, reverse=True),
    *sorted({*TEMPERATURES} - {*TIMED_TEMPERATURES}),
)


@dataclass(frozen=True)
class Cell:
    """One run to make; `turn` orders it among the turns of plain decoding."""

    rung: str
    kind: str
    prompt: int
    temperature: float
    precision: Precision
    k: int
    turn: int
    length: int

    @property
    def key(self) -> Key:
        """That of its record."""
        key: Key = key_of(self)
        return key


def few(rung: str) -> bool:
    """Rungs that are there to make a point get fewer cells: the early exits, and the target."""
    return rung == "target" or rung.startswith("early-exit")


def plan(rungs: Sequence[str], only: str | None = None, quick: bool = False) -> list[Cell]:
    """All runs, in order. `only` is "alpha" or "speed"."""
    return [
        cell
        for prompt in range(1 if quick else PROMPTS)
        for temperature in ORDER
        for precision in PRECISIONS
        for kind in KINDS
        for cell in _group(rungs, kind, prompt, temperature, precision, only)
    ]


def length_of(kind: str) -> int:
    return LENGTHS.get(kind, LENGTH)


def _group(
    rungs: Sequence[str],
    kind: str,
    prompt: int,
    temperature: float,
    precision: Precision,
    only: str | None,
) -> Iterator[Cell]:
    """The runs of one prompt at one setting: rungs, with turns of plain decoding between."""
    timed = temperature in TIMED_TEMPERATURES and prompt < TIMED_PROMPTS and only != "alpha"
    ladder = [rung for rung in rungs if not few(rung)]
    show = [rung for rung in rungs if few(rung)]

    def cell(rung: str, k: int, turn: int, length: int = 0) -> Cell:
        return Cell(
            rung, kind, prompt, temperature, precision, k, turn, length or length_of(kind)
        )  # fmt: skip

    if not timed:
        if precision == "float32" and only != "speed":
            yield from (cell(rung, LONGEST_K, UNTIMED) for rung in ladder)
            if only == "alpha" and prompt == 0 and temperature in TIMED_TEMPERATURES:
                yield from (cell(rung, FEW_K, UNTIMED, FEW_LENGTH) for rung in show)
        return
    yield cell(PLAIN, 0, 0)
    turn = 0
    for first in range(0, len(ladder), 2):
        for rung in ladder[first : first + 2]:
            yield from (cell(rung, k, turn) for k in DRAFT_LENGTHS)
        turn += 1
        yield cell(PLAIN, 0, turn)
    if show and prompt == 0 and (precision == "float32" or temperature == 1.0):
        yield from (cell(rung, FEW_K, turn, FEW_LENGTH) for rung in show)
        yield cell(PLAIN, 0, turn + 1)
