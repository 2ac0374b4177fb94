"""Which runs are measured: the presets, at temperature 0 and 1, in both precisions."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from transformers.utils import logging

from environment import environment
from recordings.presets import presets
from speculation.pairs.pair import Pair
from speculation.pairs.shelf import Shelf
from speculation.settings import Settings


@dataclass(frozen=True)
class Case:
    """One preset under one temperature and precision."""

    preset: str
    settings: Settings

    @property
    def labels(self) -> dict[str, object]:
        """The columns that say which case a row is about."""
        return {
            "preset": self.preset,
            "precision": self.settings.precision,
            "T": self.settings.temperature,
        }


class Bench:
    """What every part needs: the options, the models, the cases."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.quick: bool = options.quick
        self.length: int | None = options.length
        self.rounds: int | None = options.rounds
        self.only: list[str] = options.presets or []
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        if environment().threads:
            torch.set_num_threads(environment().threads)
        self.shelf = Shelf(environment().cache_dir, environment().device, most=8)

    def pair(self, settings: Settings) -> Pair:
        """The models for these settings, loaded once."""
        return self.shelf.pair(settings.pair, settings.precision)

    def pick(self, quick: int, full: int, asked: int | None = None) -> int:
        """A count: the one asked for, or the quick or the full one."""
        return asked or (quick if self.quick else full)

    def cases(self, length: int) -> Iterator[Case]:
        """Grouped by precision, so that the models' weights stay in the cache."""
        for precision in ("float32", "bfloat16"):
            for temperature in (0.0, 1.0):
                for preset in presets():
                    if self.only and preset.name not in self.only:
                        continue
                    changes = {"precision": precision, "temperature": temperature, "length": length}
                    yield Case(preset.name, preset.settings.model_copy(update=changes))
