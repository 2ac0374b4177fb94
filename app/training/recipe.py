"""Every number of the training run, in one frozen place."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recipe:
    """What is sampled and how it is distilled; the defaults are for a GPU.

    A budget in seconds ends a stage early (the learning rate follows whichever of tokens and
    seconds is spent first); 0 means no limit.
    """

    seed: int = 1

    # sampling: shards of `rows` texts, the lengths taken in turn
    rows: int = 2048
    lengths: tuple[int, ...] = (256, 512, 256, 1024, 256, 512)
    sample_tokens: int = 20_000_000
    sample_seconds: float = 0.0
    own_passages_from: float = 0.3  # share of the texts after which prompts quote what they say
    temperatures: tuple[float, ...] = (1.0, 0.7, 0.3, 0.0)
    temperature_shares: tuple[float, ...] = (0.62, 0.2, 0.1, 0.08)

    # the drafts
    depths: tuple[int, ...] = (1, 2, 4)
    head_rows: int = 8192
    head_shares: tuple[float, ...] = (0.25, 0.25, 0.5)  # each rung's say in the shared head

    # distillation
    train_tokens: int = 80_000_000
    train_seconds: float = 0.0
    batch_tokens: int = 16_384
    optimizer: str = "muon"  # for the layers' matrices; everything else has AdamW
    matrix_rate: float = 2e-3
    head_rate: float = 5e-4
    norm_rate: float = 1e-3
    warmup: float = 0.02
    overlap_from: float = 0.5  # share of the run after which the overlap joins the loss
    overlap_share: float = 0.9  # and its share of the loss at the end

    # the bigram rung
    bigram_successors: int = 32


CPU = Recipe(
    rows=96,
    lengths=(192, 256, 192, 512, 192, 1024),
    sample_tokens=1_600_000,
    train_tokens=8_000_000,
    batch_tokens=2_048,
    matrix_rate=1.5e-3,
    head_rate=3e-4,
    norm_rate=5e-4,
    overlap_from=0.3,
)


def save(recipe: Recipe, path: Path) -> None:
    """Write the numbers beside what they made."""
    path.write_text(json.dumps(asdict(recipe), indent=1) + "\n")
