"""Agreement against the length of the context, and what filters and rounding do to a law.

Both need long texts of the target's own, so they share them: several openings are continued at
once, at temperature 1, also beyond an end of text. Then every model reads the same texts, and its
laws are compared in a window around each length.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch
from pydantic import BaseModel, ConfigDict
from transformers import DynamicCache

from measuring.intervals import ratio_of_sums
from measuring.ladder_file import ContextCell, LawChange
from speculation.models.language_model import LanguageModel, over_one_vocabulary, over_vocabulary
from speculation.pairs.pair import Pair
from speculation.rule import overlap
from speculation.sampling import Sampling, law

WINDOW = 32  # positions on either side of a length
Floats = npt.NDArray[np.float64]

CUTS = {
    "top-k 50": ("only the 50 likeliest tokens, some libraries' default", Sampling(top_k=50)),
    "top-k 20": ("only the 20 likeliest tokens", Sampling(top_k=20)),
    "top-p .95": ("only the likeliest tokens that hold 95%", Sampling(top_p=0.95)),
    "top-p .9": ("only the likeliest tokens that hold 90%", Sampling(top_p=0.9)),
}
HALF = "bfloat16"


class Long(BaseModel):
    """What this stage found."""

    model_config = ConfigDict(frozen=True)

    context: list[ContextCell]
    changes: list[LawChange]


@torch.inference_mode()
def write_texts(
    pair: Pair, starts: Sequence[Sequence[int]], length: int, seed: int
) -> Iterator[list[list[int]]]:
    """The target continues these texts together to `length` tokens; yields the texts so far.

    All stand at the same position, and a text that is still inside its start takes the start's next
    token. So nothing is padded: a mask would cost several times the pass.
    """
    shortest = min(len(start) for start in starts)
    module = pair.target.module  # type: ignore[attr-defined]
    generator = torch.Generator().manual_seed(seed)
    cache = DynamicCache(config=module.config)
    found = [list(start[:shortest]) for start in starts]
    read = torch.tensor(found, device=module.device)
    while len(found[0]) < length:
        logits = module(read, cache=cache, use_cache=True, logits_to_keep=1).logits[:, -1]
        drawn = torch.multinomial(logits.float().softmax(-1).cpu(), 1, generator=generator)
        for text, start, token in zip(found, starts, drawn[:, 0].tolist(), strict=True):
            text.append(start[len(text)] if len(text) < len(start) else token)
        read = torch.tensor([text[-1:] for text in found], device=module.device)
        yield found


def windows(
    model: LanguageModel, text: Sequence[int], lengths: Sequence[int]
) -> Iterator[npt.NDArray[np.float32]]:
    """Logits of the next token around each length, [2 * WINDOW, V], minus infinity off support."""
    context = model.start()
    for length in lengths:
        if context.length < length - WINDOW:
            context.extend(text[context.length : length - WINDOW])
        found = context.extend(text[length - WINDOW : length + WINDOW], 2 * WINDOW)
        yield over_vocabulary(found, model.support, model.vocab_size)


def compare_laws(
    texts: Sequence[Sequence[int]],
    target: LanguageModel,
    half: LanguageModel | None,
    drafts: dict[str, LanguageModel],
    lengths: Sequence[int],
) -> Iterator[Long]:
    """Overlap of every draft with the target by length, and each change of law; after each text."""
    agree = {(name, n): np.zeros(len(texts)) for name in drafts for n in lengths}
    apart = {name: np.zeros(len(texts)) for name in (*CUTS, *([HALF] if half else []))}
    positions = 2 * WINDOW
    for i, text in enumerate(texts):
        laws = [law(logits, Sampling()) for logits in windows(target, text, lengths)]
        for name, draft in drafts.items():
            for n, p, logits in zip(lengths, laws, windows(draft, text, lengths), strict=True):
                agree[name, n][i] = _overlap(p, law(logits, Sampling()))
        for logits, p in zip(windows(target, text, lengths), laws, strict=True):
            for name, (_, cut) in CUTS.items():
                apart[name][i] += positions - _overlap(p, law(logits, cut))
        if half is not None:
            for logits, p in zip(windows(half, text, lengths), laws, strict=True):
                apart[HALF][i] += positions - _overlap(p, law(logits, Sampling()))
        yield _result(agree, apart, i + 1, len(lengths))


def _overlap(p: Floats, q: Floats) -> float:
    """Summed over the positions of a window."""
    return float(overlap(*over_one_vocabulary(p, q)).sum())


def _result(
    agree: dict[tuple[str, int], Floats], apart: dict[str, Floats], texts: int, lengths: int
) -> Long:
    window = [2.0 * WINDOW] * texts
    about = {name: text for name, (text, _) in CUTS.items()}
    about[HALF] = "the same weights, read in bfloat16 instead of float32"
    return Long(
        context=[
            ContextCell(rung=name, tokens=n, alpha=ratio_of_sums(sums[:texts].tolist(), window))
            for (name, n), sums in agree.items()
        ],
        changes=[
            LawChange(
                name=name,
                about=about[name],
                tv=ratio_of_sums(sums[:texts].tolist(), [x * lengths for x in window]),
            )
            for name, sums in apart.items()
        ],
    )
