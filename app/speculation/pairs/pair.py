"""A loaded pair, and what its numbers depend on besides a run's inputs."""

import platform
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import torch

from speculation.models.language_model import LanguageModel
from speculation.pairs.catalog import PairSpec
from speculation.trace import Arithmetic


@dataclass(frozen=True)
class Pair:
    """A loaded target and draft, with the tokenizer they share."""

    spec: PairSpec
    target: LanguageModel
    draft: LanguageModel
    tokenizer: Any
    arithmetic: Arithmetic


def arithmetic(
    target: LanguageModel, draft: LanguageModel, precision: str, device: torch.device
) -> Arithmetic:
    """What a run's numbers depend on besides its inputs."""
    return Arithmetic(
        target_digest=target.digest.split("/")[0],
        draft_digest=draft.digest.split("/")[0],
        dtype=precision,
        device=str(device),
        threads=torch.get_num_threads(),
        versions={
            "python": platform.python_version(),
            **{name: version(name) for name in ("torch", "transformers", "numpy")},
            "passes": getattr(target, "read_by", "own"),
        },
    )
