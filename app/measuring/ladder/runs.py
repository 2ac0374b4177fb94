"""Make the planned runs one by one, keep each at once, and say how long the rest will take."""

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from safetensors.torch import load_file

from measuring.ladder.log import Log
from measuring.ladder.plan import Cell
from measuring.run_record import PLAIN, RunRecord, link_settings, record_run, seed_of
from speculation.drafts.short_head import ShortHeadModel
from speculation.models.language_model import TransformersModel
from speculation.models.lean import LeanModel
from speculation.pairs import weights
from speculation.pairs.pair import Pair
from speculation.pairs.shelf import Shelf
from speculation.settings import Settings

FAMILY = "smollm2-135m"
STARTING = "starting draft"


def rung_pair(rung: str) -> str:
    """The pair's id of a rung; plain decoding takes the target's own."""
    return f"{FAMILY}/{'target' if rung == PLAIN else rung}"


class Pairs:
    """The pairs by rung and precision, each warmed up once: first passes are slow."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._warm: set[tuple[str, str]] = set()

    def get(self, rung: str, precision: str) -> Pair:
        pair = self._shelf.pair(rung_pair(rung), precision)
        if (rung, precision) not in self._warm:
            self._warm.add((rung, precision))
            settings = link_settings(rung_pair(PLAIN), "Hello", 1.0, 2, 1, 6)
            for _ in record_run(pair, settings, rung, "warm-up", 0):
                pass
        return pair


def starting_draft(target: Pair, file: Path) -> ShortHeadModel:
    """The draft that training started from, from a file of its own, beside the target's pair."""
    model, digest = target.target, weights.file_digest(file)
    assert isinstance(model, TransformersModel)
    choice = model.choice if isinstance(model, LeanModel) else None
    return ShortHeadModel(model.config, load_file(file), model.embedding, STARTING, digest, choice)


def make_run(pair: Pair, cell: Cell, text: str) -> RunRecord:
    """One run of the plan."""
    turn = cell.turn if cell.rung == PLAIN else 0
    seed = seed_of(cell.rung, cell.kind, cell.prompt, cell.k, turn)
    settings = link_settings(
        rung_pair(cell.rung), text, cell.temperature, max(1, cell.k), seed, cell.length,
        precision=cell.precision,
    )  # fmt: skip
    return whole_run(pair, settings, cell.rung, cell.kind, cell.prompt, cell.turn, cell.k)


def whole_run(
    pair: Pair, settings: Settings, rung: str, kind: str, prompt: int, turn: int, k: int
) -> RunRecord:
    """The record of a run made to its end (see `record_run`)."""
    *_, last = record_run(pair, settings, rung, kind, prompt, turn, k)
    assert last is not None, "the last thing that a run yields is its record"
    return last


def make_runs(
    cells: Sequence[Cell],
    pairs: Pairs,
    prompts: dict[str, list[str]],
    log: Log,
    until: float,
    say: Callable[[str], None] | None = None,
) -> bool:
    """Make what the log does not have yet -> whether all of it was made before `until`.

    until  by time.monotonic
    """
    say = say or progress
    done = {record.key for record in log.records}
    left = [cell for cell in cells if cell.key not in done]
    spent: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for i, cell in enumerate(left):
        if time.monotonic() > until:
            return False
        pair = pairs.get(cell.rung, cell.precision)
        began = time.monotonic()
        log.add(make_run(pair, cell, prompts[cell.kind][cell.prompt]))
        spent[cell.precision, cell.k].append(time.monotonic() - began)
        minutes = _expected(left[i + 1 :], spent) / 60
        say(
            f"{len(cells) - len(left) + i + 1} of {len(cells)} runs, about {minutes:.0f} min left: "
            f"{cell.rung}, {cell.kind}, T {cell.temperature:g}, k {cell.k}, {cell.precision}"
        )
    return True


def _expected(cells: Sequence[Cell], spent: dict[tuple[str, int], list[float]]) -> float:
    """Seconds that these runs will take, from what like runs took."""
    every = [seconds for group in spent.values() for seconds in group]
    usual = sum(every) / len(every)
    total = 0.0
    for cell in cells:
        like = spent.get((cell.precision, cell.k))
        total += sum(like) / len(like) if like else usual
    return total


def progress(line: str) -> None:
    """One line that is written over; on a file, a line now and then would be too much."""
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
    else:
        print(line, file=sys.stderr, flush=True)
