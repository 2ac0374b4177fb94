"""Which layout of the weights is fastest here: measured once, and kept.

No rule says which of the layouts in `matrices.py` is best on a processor: on one with matrix units
they are close, on one without, packed weights read five rows in the time of one. So the first
start times the products of a few real layers, about two seconds, and keeps the answer in the cache
folder by processor, number of threads, precision, sizes and version of torch.

Where nothing can be packed there is nothing to choose, and the weights stay as they are.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import sqrt
from pathlib import Path

import torch
from pydantic import BaseModel, ConfigDict, ValidationError

from speculation.machine import processor
from speculation.models.matrices import Layout, Matrix, can_pack, matrix

FILE = "passes.json"
MOST = 32  # choices kept; the oldest go first
ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 13)  # rows that are timed
TURNS = 4
MARGIN = 0.97  # more rows than needed are read only where that surely saves time


class Choice(BaseModel):
    """The layout, and how many rows to read with it.

    widths  by rows wanted, from 0: how many to make the product with; see `llama.Llama`
    ms      by layout, by rows in `ROWS`: what was measured; empty if nothing was
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    layout: Layout = "plain"
    widths: tuple[int, ...] = ()
    ms: dict[str, tuple[float, ...]] = {}


def choose(
    model: str, head: torch.Tensor, sample: Callable[[], list[torch.Tensor]], folder: Path | None
) -> Choice:
    """The choice for weights like these: the kept one, or one measured now.

    model   the model's sizes in words
    head    its output head [V, hidden]: device and precision are read off it
    sample  gives matrices [out, in] of the model, together larger than the processor's caches
    folder  where choices are kept; None keeps nothing
    """
    if not can_pack(head.device, head.dtype):
        return Choice()
    key = f"{processor()}; torch {torch.__version__}; {head.dtype}; {model}"
    kept = _read(folder)
    if key not in kept:
        kept[key] = _measured(sample())
        _write(folder, dict(list(kept.items())[-MOST:]))
    return kept[key]


def _measured(sample: Sequence[torch.Tensor]) -> Choice:
    ms: dict[Layout, tuple[float, ...]] = {}
    for layout in ("plain", "packed"):
        products = [matrix(layout, [x]) for x in sample]
        ms[layout] = tuple(_milliseconds(products, sample, rows) for rows in ROWS)
    return chosen(ms)


def chosen(ms: dict[Layout, tuple[float, ...]]) -> Choice:
    """The choice that follows from times by layout and by rows in `ROWS`.

    What counts is one row and five together: a run is made of both.

    >>> flat, steep = (20.0,) * 10, tuple(20.0 + 5 * n for n in ROWS)
    >>> chosen({"plain": steep, "packed": flat}).layout
    'packed'
    >>> chosen({"plain": (9.0, 9.0, 9.0, 5.0) + (9.0,) * 6}).widths[:6]
    (0, 4, 4, 4, 4, 5)
    """

    def cost(layout: Layout) -> float:
        times, widths = dict(zip(ROWS, ms[layout], strict=True)), best_widths(ms[layout])
        return sqrt(times[widths[1]] * times[widths[5]])

    best = min(ms, key=cost)
    return Choice(layout=best, widths=best_widths(ms[best]), ms={**ms})


def best_widths(ms: Sequence[float]) -> tuple[int, ...]:
    """For 0 to the last of `ROWS` rows: with how many rows their product is fastest."""
    times = dict(zip(ROWS, ms, strict=True))
    widths = [0]
    for rows in range(1, max(ROWS) + 1):
        best = min((n for n in ROWS if n >= rows), key=times.__getitem__)
        own = times.get(rows, times[min(n for n in ROWS if n >= rows)])
        widths.append(best if times[best] < MARGIN * own else rows)
    return tuple(widths)


@torch.inference_mode()
def _milliseconds(products: Sequence[Matrix], sample: Sequence[torch.Tensor], rows: int) -> float:
    """The fastest of some rounds over all products."""
    inputs = [torch.ones((rows, x.shape[1]), dtype=x.dtype) for x in sample]
    best = float("inf")
    for _ in range(TURNS):
        began = time.perf_counter()
        for product, x in zip(products, inputs, strict=True):
            product(x)
        best = min(best, time.perf_counter() - began)
    return round(1000 * best, 3)


def _read(folder: Path | None) -> dict[str, Choice]:
    """The choices kept; none where the file cannot be read, or is not as it should be."""
    if folder is None:
        return {}
    try:
        found = json.loads((folder / FILE).read_text())
        return {key: Choice.model_validate(value) for key, value in found.items()}
    except (OSError, ValueError, AttributeError, ValidationError):
        return {}


def _write(folder: Path | None, kept: dict[str, Choice]) -> None:
    """Keep the choices; a folder that cannot be written to means measuring again next time."""
    if folder is None:
        return
    text = json.dumps({key: value.model_dump() for key, value in kept.items()}, indent=1)
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as beside:
            beside.write(text + "\n")
        os.replace(beside.name, folder / FILE)
