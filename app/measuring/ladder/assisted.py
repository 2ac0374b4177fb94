"""This decoder beside transformers' assisted generation: the same pair, in turns, in one process.

Both read the prompt themselves, and that counts. The settings are the same: a constant number of
drafts, and none of generate's own filters.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from transformers import GenerationConfig

from measuring.intervals import ratio_of_sums
from measuring.ladder_file import AssistedCell
from speculation import text
from speculation.drafts.assistant import as_assistant
from speculation.drafts.short_head import ShortHeadModel
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.run import Run
from speculation.settings import Settings


@dataclass(frozen=True)
class Timed:
    """One text: its tokens, and the seconds it took."""

    tokens: list[int]
    seconds: float

    @property
    def pace(self) -> float:
        """Tokens/s."""
        return len(self.tokens) / self.seconds


def beside_transformers(
    pair: Pair, prompts: list[Settings], rung: str, kind: str
) -> Iterator[AssistedCell]:
    """Both ways on each prompt in turn, the first one changing; the ratio so far after each.

    The prompts' settings differ in prompt and seed only. The draft must be one with a short head.
    """
    if not isinstance(pair.draft, ShortHeadModel):
        raise TypeError(f"{pair.draft.name} cannot be transformers' assistant")
    assistant = as_assistant(pair.draft)
    short = prompts[0].model_copy(update={"length": 6})
    ours(pair, short)
    assisted(pair, short, assistant)  # first-time costs
    mine: list[Timed] = []
    theirs: list[Timed] = []
    for i, settings in enumerate(prompts):
        for turn in (i, i + 1):
            if turn % 2 == 0:
                mine.append(ours(pair, settings))
            else:
                theirs.append(assisted(pair, settings, assistant))
        first = prompts[0]
        paces = [a.pace / b.pace for a, b in zip(mine, theirs, strict=True)]
        yield AssistedCell(
            rung=rung,
            kind=kind,
            temperature=first.temperature,
            precision=first.precision,
            k=first.k,
            ratio=ratio_of_sums(paces, [1.0] * len(paces)),
            tokens_per_second=_pace(mine),
            assisted_tokens_per_second=_pace(theirs),
        )


def _pace(runs: list[Timed]) -> float:
    return sum(len(run.tokens) for run in runs) / sum(run.seconds for run in runs)


def ours(pair: Pair, settings: Settings) -> Timed:
    """This decoder, with its record and finished trace."""
    began = time.perf_counter()
    run = Run(pair, settings, PassStore())
    for _ in run:
        pass
    run.trace()
    return Timed(run.decoder.generated, time.perf_counter() - began)


def assisted(pair: Pair, settings: Settings, assistant: Any) -> Timed:
    """transformers' generate on the same weights, plain if there is no assistant.

    Nothing is padded, but without a mask of ones generate would guess one, since the filling token
    is also the end of text.
    """
    ends = sorted(text.end_tokens(pair.tokenizer))
    config = GenerationConfig(
        max_new_tokens=settings.length,
        eos_token_id=ends,
        pad_token_id=ends[0],
        **_sampling(settings),
    )
    if assistant is not None:
        constant = assistant.generation_config
        constant.num_assistant_tokens = settings.k
        constant.num_assistant_tokens_schedule = "constant"
        constant.assistant_confidence_threshold = 0.0
    module = pair.target.module  # type: ignore[attr-defined]
    began = time.perf_counter()
    prompt = torch.tensor([text.encode(pair.tokenizer, settings.prompt, settings.mode)])
    prompt = prompt.to(module.device)
    torch.manual_seed(settings.seed)
    whole = module.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        generation_config=config,
        assistant_model=assistant,
    )
    return Timed(whole[0, prompt.shape[1] :].tolist(), time.perf_counter() - began)


def _sampling(settings: Settings) -> dict[str, object]:
    """The same law; generate's own defaults (top-k 50) are switched off."""
    if settings.temperature == 0.0:
        return {"do_sample": False}
    return {
        "do_sample": True,
        "temperature": settings.temperature,
        "top_k": settings.top_k,
        "top_p": settings.top_p,
        "min_p": settings.min_p or None,
    }
