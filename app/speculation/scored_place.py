"""One place of a run, scored by both models over the whole vocabulary.

A trace keeps the top tokens of each law and the sums of what is left; for whole laws the models
must read the text once more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from speculation.models.language_model import LanguageModel, over_vocabulary
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.run import Run
from speculation.sampling import law
from speculation.settings import Settings
from speculation.text import PromptRefused
from speculation.trace import Piece

NAMED = 60
"""How many of the likeliest tokens under each law get their names."""


@dataclass(frozen=True)
class Scored:
    """The next token's scores after a text, [V] each, before temperature and filters.

    text    what had been generated, token by token
    pieces  the likeliest tokens' texts
    """

    settings: Settings
    text: list[Piece]
    target_logits: npt.NDArray[np.float64]
    draft_logits: npt.NDArray[np.float64]
    pieces: dict[int, Piece]


def score_place(pair: Pair, settings: Settings, store: PassStore) -> Iterator[Scored | None]:
    """Run to `settings.length` tokens, then let both models score the next one.

    Yields None after each cycle, so that it can be stopped between two; the scores at the end.
    An end of text is left out: nothing follows it.
    """
    run = Run(pair, settings, store)
    for _ in run:
        yield None
    tokens = list(run.decoder.generated)
    if run.decoder.finish == "end":
        tokens = tokens[:-1]
    size = run.decoder.vocab_size
    whole = [*run.prompt_ids, *tokens]
    target, draft = (_next_scores(model, whole, size) for model in (pair.target, pair.draft))
    if not np.isfinite(draft).any():
        raise PromptRefused("The draft has nothing to propose at this place. Choose another one.")
    likely: set[int] = set()
    for scores in (target, draft):
        likely |= set(np.argsort(-law(scores, settings.sampling), kind="stable")[:NAMED].tolist())
    pieces = run.pieces(likely | set(tokens))
    yield Scored(settings, [pieces[token] for token in tokens], target, draft, pieces)


def _next_scores(model: LanguageModel, tokens: Sequence[int], size: int) -> npt.NDArray[np.float64]:
    """One model's scores over the whole vocabulary; minus infinity where it proposes nothing."""
    short = model.start().extend(tokens)[-1].astype(np.float64)
    return over_vocabulary(short, model.support, size)
