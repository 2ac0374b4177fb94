"""One path against the exact distribution of its target, setting by setting."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from engines.audit.outcome_tree import grow
from engines.audit.target_law import TargetLaw
from engines.base import Continuation, SampleRequest
from engines.conformance.whole_passes import WholePasses
from engines.foreign import Foreign, told
from engines.wild.record import FINE, SURE, Measured, Outcome
from speculation.exactness.counts import pearson_of
from speculation.models.language_model import LanguageModel
from speculation.sampling import Sampling

PROMPT = (1, 2, 3, 1, 2, 3, 1, 2)
"""It repeats itself, so that drafts from the text itself have something to find."""
LENGTH = 4
K = 3
FEWEST = 200

SETTINGS: dict[str, Mapping[str, Any]] = {
    "temperature 1": {},
    "temperature 0.7, top-k 8": {"temperature": 0.7, "top_k": 8},
    "temperature 1.3, top-p 0.9": {"temperature": 1.3, "top_p": 0.9},
    "min-p 0.05": {"min_p": 0.05},
    "temperature 0.7": {"temperature": 0.7},
    "repetition penalty 1.3": {"repetition_penalty": 1.3},
    "two tokens biased": {"logit_bias": ((4, -1.5), (3, 2.0))},
}
SAMPLING = ("temperature", "top_k", "top_p", "min_p")


@dataclass(frozen=True)
class Amount:
    """How much is sampled for one setting: so many texts, or as many as come in so many seconds."""

    texts: int = 20_000
    seconds: float = 30.0


def request_of(setting: str, end: int) -> SampleRequest:
    """What a setting asks for."""
    asked = SETTINGS[setting]
    sampling = Sampling(**{name: asked[name] for name in SAMPLING if name in asked})
    rest = {name: value for name, value in asked.items() if name not in SAMPLING}
    return SampleRequest(PROMPT, sampling, LENGTH, frozenset({end}), K, 0, **rest)


@lru_cache(maxsize=2)
def target_of(folder: Path) -> WholePasses:
    """The target whose distribution is the measure, in float32."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)
    module = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return WholePasses(module, str(folder))


def measure(
    engine: Foreign,
    target: LanguageModel,
    settings: tuple[str, ...],
    amount: Amount,
    chunk: int,
    first_seed: int = 1,
) -> Outcome:
    """Every setting; one that is neither fine nor sure is drawn again, twice as long.

    The second set of texts, from new seeds, replaces the first. Raises ForeignError.
    """
    began = time.monotonic()
    tested = []
    for setting in settings:
        found = _one(engine, target, setting, amount, chunk, first_seed)
        if SURE / len(settings) <= found.p_value < FINE:
            more = Amount(2 * amount.texts, 2.0 * amount.seconds)
            found = _one(engine, target, setting, more, chunk, first_seed + 10_000_000)
        tested.append(found)
    counts = engine.counts
    return Outcome(
        tested=tuple(tested),
        seconds=round(time.monotonic() - began, 1),
        drafted=counts.get("drafted"),
        accepted=counts.get("accepted"),
    )


def _one(
    engine: Foreign, target: LanguageModel, setting: str, amount: Amount, chunk: int, seed: int
) -> Measured:
    request = request_of(setting, end=target.vocab_size - 1)
    asked, texts = told(request), list[tuple[int, ...]]()
    until = time.monotonic() + amount.seconds
    while len(texts) < amount.texts and (time.monotonic() < until or len(texts) < FEWEST):
        seeds = range(seed + len(texts), seed + len(texts) + chunk)
        texts += engine.texts(request.prompt, asked, seeds)
    tree = grow(TargetLaw(target, request.prompt), request, len(texts), request.length)
    counts = tree.counts(Continuation(i, text, "length") for i, text in enumerate(texts))
    found = pearson_of(counts, tree.law, np.random.default_rng(seed))
    law = np.array([*tree.law.values()])
    came = np.array([counts[outcome] for outcome in tree.law]) / len(texts)
    apart = 0.5 * float(np.abs(came - law).sum() + 1.0 - came.sum())
    by_chance = 0.5 * float(np.sqrt(2.0 * law * (1.0 - law) / (np.pi * len(texts))).sum())
    return Measured(
        setting=setting,
        texts=len(texts),
        outcomes=len(tree.law),
        effect=round(found.effect, 4),
        low=round(found.low, 4),
        high=round(found.high, 4),
        sees=round(found.sees, 4),
        p_value=found.p_value,
        apart=round(apart, 4),
        apart_by_chance=round(by_chance, 4),
    )
