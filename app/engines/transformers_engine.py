"""transformers' own generate(), on the pair that is at hand.

    assisted    generate(assistant_model=...), the draft as the assistant
    sampling    plain generate(): the control, which drafts nothing
    lookup      prompt_lookup_num_tokens: drafts from the text itself, by sample-and-match
    confidence  assisted, and the draft stops where it is unsure (assistant_confidence_threshold)
    early-exit  assistant_early_exit: the target's own first layers draft
    ensemble    assisted, verified against w p + (1 - w) q: biased by design, and to be found

Which of them there are depends on the release that is installed: one that it does not have is
refused, with the reason.
"""

import copy
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import torch

from engines.base import Capabilities, Continuation, Engine, EngineUnavailable, SampleRequest
from speculation.drafts.assistant import as_assistant
from speculation.drafts.short_head import ShortHeadModel
from speculation.models.language_model import LanguageModel, TransformersModel
from speculation.pairs.pair import Pair

CONFIDENCE = 0.4
ENSEMBLE = 0.5


@dataclass(frozen=True)
class Variant:
    """One way of generating.

    assisted  whether the draft goes in as the assistant
    settings  what the generation is told; "k" stands for the request's draft length
    threshold under which probability of its last draft the assistant stops; 0 never
    """

    assisted: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    threshold: float = 0.0


VARIANTS: dict[str, Variant] = {
    "assisted": Variant(assisted=True),
    "sampling": Variant(),
    "lookup": Variant(settings={"prompt_lookup_num_tokens": "k"}),
    "confidence": Variant(assisted=True, threshold=CONFIDENCE),
    "early-exit": Variant(settings={"assistant_early_exit": "half"}),
    "ensemble": Variant(assisted=True, settings={"assistant_ensemble_weight": ENSEMBLE}),
}


class TransformersEngine(Engine):
    """generate(), one continuation a call, as assisted generation takes no batch."""

    name = "transformers"

    def __init__(self, pair: Pair, variant: str = "assisted") -> None:
        if variant not in VARIANTS:
            raise EngineUnavailable(
                f"No variant is called {variant!r}. There are: {', '.join(VARIANTS)}."
            )
        if not isinstance(pair.target, TransformersModel):
            raise EngineUnavailable(f"{pair.target.name} is no transformers model.")
        self.variant = VARIANTS[variant]
        self._refuse_missing(variant)
        self._model = own_copy(pair.target.module)
        self._assistant = _assistant(pair.draft) if self.variant.assisted else None
        self.draft = pair.draft if self.variant.assisted else None
        self.capabilities = Capabilities(
            seeded=True, logit_bias=True, repetition_penalty=True, end_tokens=True
        )
        self.about = {
            "variant": variant,
            "pair": pair.spec.id,
            "precision": pair.arithmetic.dtype,
            "draft's weights": pair.arithmetic.draft_digest if self.variant.assisted else "none",
            "release": version("transformers"),
        }

    def continuations(
        self, request: SampleRequest, numbers: Iterable[int]
    ) -> Iterator[Continuation]:
        """One call after the other; torch's generator is seeded for it and put back after."""
        self.refuse(request)
        for number in numbers:
            seed = request.seed_of(number)
            tokens = self._generate(request, secrets.randbits(63) if seed is None else seed)
            ended = bool(tokens) and tokens[-1] in request.end
            yield Continuation(number, tokens, "end" if ended else "length")

    def _generate(self, request: SampleRequest, seed: int) -> tuple[int, ...]:
        device = self._model.device
        ids = torch.tensor([list(request.prompt)], device=device)
        options = self._options(request)
        self._set_draft_length(request.k)
        devices = [device] if device.type == "cuda" else []
        with torch.random.fork_rng(devices), _quiet():
            torch.manual_seed(seed)
            try:
                out = self._model.generate(ids, attention_mask=torch.ones_like(ids), **options)
            except (ValueError, TypeError, RuntimeError, NotImplementedError) as error:
                raise EngineUnavailable(
                    f"transformers {version('transformers')} could not generate: {error}"
                ) from error
        return tuple(out[0, len(request.prompt) :].tolist())

    def _options(self, request: SampleRequest) -> dict[str, Any]:
        """The request in generate()'s words; every default that could cut or change is set."""
        s = request.sampling
        options: dict[str, Any] = {
            "max_new_tokens": request.length,
            "do_sample": s.temperature > 0.0,
            "eos_token_id": sorted(request.end) or None,
            "pad_token_id": min(request.end, default=0),
            "repetition_penalty": request.repetition_penalty,
        }
        if s.temperature > 0.0:
            options |= {"temperature": s.temperature, "top_k": s.top_k, "top_p": s.top_p}
            options |= {"min_p": s.min_p} if s.min_p > 0.0 else {}
        if request.logit_bias:
            options["sequence_bias"] = {(token,): bias for token, bias in request.logit_bias}
        half = int(self._model.config.num_hidden_layers) // 2
        values = {"k": request.k, "half": half}
        for name, value in self.variant.settings.items():
            options[name] = values[value] if isinstance(value, str) else value
        if self._assistant is not None:
            options["assistant_model"] = self._assistant
        return options

    def _set_draft_length(self, k: int) -> None:
        """The same number of drafts in every cycle, where the release lets one say so."""
        for model in (self._assistant, self._model):
            if model is not None:
                model.generation_config.num_assistant_tokens = k
                model.generation_config.num_assistant_tokens_schedule = "constant"
                model.generation_config.assistant_confidence_threshold = self.variant.threshold

    def _refuse_missing(self, variant: str) -> None:
        """Raise EngineUnavailable if the installed release lacks what the variant needs."""
        from transformers import GenerationConfig

        config = GenerationConfig()
        needed = [*self.variant.settings]
        if self.variant.threshold:
            needed.append("assistant_confidence_threshold")
        for name in needed:
            if not hasattr(config, name):
                raise EngineUnavailable(
                    f"transformers {version('transformers')} has no {name}, which the variant "
                    f"{variant!r} needs. Another release may have it."
                )


def own_copy(module: Any) -> Any:
    """The same weights with configurations of one's own: generate() writes into them."""
    from transformers import GenerationConfig

    copied = _shallow(module)
    copied.config = copy.deepcopy(module.config)
    copied.generation_config = GenerationConfig()
    base = module.base_model_prefix
    inner = _shallow(getattr(module, base))
    inner.config = copied.config
    setattr(copied, base, inner)
    return copied


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the warnings that generate() gives about its own calls to itself."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)


def _shallow(module: Any) -> Any:
    other = copy.copy(module)
    other._modules = dict(module._modules)
    return other


def _assistant(draft: LanguageModel) -> Any:
    if isinstance(draft, ShortHeadModel):
        return as_assistant(draft)
    if isinstance(draft, TransformersModel):
        return own_copy(draft.module)
    raise EngineUnavailable(
        f"The draft {draft.name!r} has no weights, so it cannot be transformers' assistant."
    )
