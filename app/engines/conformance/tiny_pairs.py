"""The pairs of the kit: tiny Llamas with weights by chance, one target for several drafts.

Their whole distribution can be enumerated, so a test of a hundredth costs seconds. The files lie in
assets/conformance, a folder and a GGUF for every model; `python -m engines.conformance` makes them
again, byte for byte.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from engines.base import EngineUnavailable
from engines.conformance.model_files import Shape, Weights, write_folder, write_gguf
from engines.conformance.whole_passes import WholePasses
from speculation.models.language_model import LanguageModel, TransformersModel
from speculation.pairs.catalog import PairSpec
from speculation.pairs.pair import Pair, arithmetic

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "assets" / "conformance"
SHARPNESS = 0.21
"""Spread of the head's weights: the likeliest token gets about a third."""
MIXING = 0.11
"""Spread of the layers' weights: large enough that the text before changes the distribution."""


@dataclass(frozen=True)
class Tiny:
    """One model.

    shape    its size
    seed     of its weights
    like     the model whose embedding and head it has; "" for its own
    noise    spread of what is added to the weights of `like`, layers included, if it has as many
    turned   the head's sign is changed: what `like` finds likely, this one does not
    """

    shape: Shape
    seed: int
    like: str = ""
    noise: float = 0.0
    turned: bool = False


MODELS: Mapping[str, Tiny] = {
    "sixteen": Tiny(Shape(16, layers=2), 11),
    "sixteen-close": Tiny(Shape(16, layers=2), 12, like="sixteen", noise=0.01),
    "sixteen-near": Tiny(Shape(16, layers=1), 13, like="sixteen"),
    "sixteen-hostile": Tiny(Shape(16, layers=1), 14, like="sixteen", turned=True),
    "sixteen-padded": Tiny(Shape(24, layers=1), 15, like="sixteen"),
    "forty": Tiny(Shape(40, layers=1), 16),
    "forty-near": Tiny(Shape(40, layers=1), 17, like="forty"),
}

PAIRS: Mapping[str, tuple[str, str, str]] = {
    "near": ("sixteen", "sixteen-near", "a draft that is right half of the time"),
    "close": ("sixteen", "sixteen-close", "a draft that is nearly the target"),
    "hostile": ("sixteen", "sixteen-hostile", "a draft that likes what the target does not"),
    "padded": ("sixteen", "sixteen-padded", "a draft whose output has eight rows more"),
    "forty": ("forty", "forty-near", "forty letters, one layer"),
}
"""Target, draft and what the pair is for, by name."""


def weights_of(name: str) -> Weights:
    """A model's weights, float32: the same numbers on every machine."""
    tiny = MODELS[name]
    rng = np.random.default_rng(tiny.seed)
    like = weights_of(tiny.like) if tiny.like else {}
    found: dict[str, Any] = {}
    for part, size in tiny.shape.tensors().items():
        drawn = rng.standard_normal(size)
        if "norm" in part:
            found[part] = np.ones(size)
        elif part in like and (tiny.noise or "layers" not in part):
            found[part] = drawn * SHARPNESS * (not tiny.noise)
            rows = len(like[part])
            found[part][:rows] = like[part] + tiny.noise * drawn[:rows]
        else:
            spread = 1.0 if "embed" in part else SHARPNESS if "head" in part else MIXING
            found[part] = drawn * spread
    if tiny.turned:
        found["lm_head.weight"] = -found["lm_head.weight"]
    return {part: x.astype(np.float32) for part, x in found.items()}


def write_all(folder: Path = FOLDER) -> None:
    """Every model as a folder with a GGUF in it."""
    for name, tiny in MODELS.items():
        weights = weights_of(name)
        write_folder(folder / name, tiny.shape, weights)
        write_gguf(folder / name / "model.gguf", tiny.shape, weights)


def named(pair: str) -> tuple[str, str, str]:
    """Target, draft and purpose. Raises EngineUnavailable with the names there are."""
    if pair not in PAIRS:
        raise EngineUnavailable(f"No pair is called {pair!r}. There are: {', '.join(PAIRS)}.")
    return PAIRS[pair]


def load(pair: str, folder: Path = FOLDER) -> Pair:
    """Target and draft, in float32 on the CPU, with their tokenizer. Raises EngineUnavailable."""
    import torch
    from transformers import PreTrainedTokenizerFast

    target, draft, about = named(pair)
    both = _model(folder, target), _model(folder, draft)
    spec = PairSpec(pair, f"the tiny pair {pair!r}", about, "this project's", 1.0)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder / target)
    numbers = arithmetic(*both, "float32", torch.device("cpu"))
    return Pair(spec, *both, tokenizer, numbers)


@lru_cache(maxsize=4)
def yardstick(pair: str, folder: Path = FOLDER) -> LanguageModel:
    """The pair's target read by whole passes, without a cache: what texts are compared with."""
    return WholePasses(_model(folder, named(pair)[0]).module, f"{pair}'s target")


def _model(folder: Path, name: str) -> TransformersModel:
    import torch
    from transformers import AutoModelForCausalLM

    if not (folder / name / "config.json").exists():
        raise EngineUnavailable(
            f"There is no model in {folder / name}: `python -m engines.conformance` makes it."
        )
    module = AutoModelForCausalLM.from_pretrained(folder / name, dtype=torch.float32)
    return TransformersModel(module, name, f"{name}/float32/cpu")
