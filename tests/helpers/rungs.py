"""Every kind of draft in the catalog over a vocabulary of six tokens, for a tiny Llama."""

import numpy as np
import torch

from helpers.tables import Prefix, TableModel
from helpers.tiny_models import fresh_rows, tiny_llama
from speculation import dice
from speculation.decode import Decoder, Request
from speculation.dice import Purpose
from speculation.drafts.bigram import BigramModel
from speculation.drafts.early_exit import early_exit
from speculation.drafts.lookup import LookupModel
from speculation.drafts.short_head import ShortHeadModel
from speculation.models.language_model import LanguageModel, TransformersModel, over_vocabulary
from speculation.rule import Law
from speculation.sampling import Sampling, law

SIZE = 6
KINDS = ("layers", "bigram", "lookup", "early-exit", "target")


def tiny_target() -> TransformersModel:
    return TransformersModel(tiny_llama(3, SIZE), "target", "tiny-rung-target/float32/cpu")


def tiny_rung(kind: str, target: TransformersModel) -> LanguageModel:
    """A draft of this kind for the target."""
    if kind == "target":
        return target
    if kind == "lookup":
        return LookupModel(SIZE, target.max_length)
    if kind == "early-exit":
        return early_exit(target, 1)
    if kind == "bigram":
        return tiny_bigram()
    weights = {k: v for k, v in target.module.state_dict().items() if ".layers.0." in k}
    weights["model.norm.weight"] = target.module.state_dict()["model.norm.weight"]
    head = torch.tensor([0, 2, 3, 5])
    embedding = target.module.get_input_embeddings().weight.detach()
    weights |= {"head.token_ids": head, "head.weight": embedding[head]}
    return ShortHeadModel(target.module.config, weights, embedding, "layers", "tiny-layers")


def tiny_bigram() -> BigramModel:
    """Token 0 has two successors that were kept, token 1 one, the others none."""
    start = [0, 2, 3, 3, 3, 3, 3]
    single = np.arange(1.0, SIZE + 1)
    return BigramModel(start, [1, 4, 2], [0.5, 0.25, 0.75], single, "bigram", "tiny-bigram", 1000)


def whole(model: LanguageModel, logits: np.ndarray, size: int) -> np.ndarray:
    """Logits over the model's support as logits over the whole vocabulary."""
    return over_vocabulary(logits, model.support, size, -np.inf)


def as_table(model: LanguageModel) -> TableModel:
    """The same laws, each computed once from a fresh pass; zeros where nothing is proposed."""
    known: dict[Prefix, Law] = {}

    def law_after(prefix: Prefix) -> Law:
        if prefix not in known:
            logits = whole(model, fresh_rows(model, prefix)[0], SIZE)
            nothing = logits.max() == -np.inf
            known[prefix] = np.zeros(SIZE) if nothing else law(logits, Sampling())
        return known[prefix]

    return TableModel(law_after, SIZE, model.name)


def may_be_drawn(law: Law, token: int, u: float, rounding: float = 1e-6) -> bool:
    """Whether u draws the token, if every number of the law may be off by a little.

    The draw goes through 49,152 tokens by falling probability. So many lie so close together that
    rounding swaps neighbors, and decides for one u in seventy.
    """
    surely_before = law[law > law[token] + rounding].sum()
    up_to_it = law[law >= law[token] - rounding].sum()
    return bool(surely_before - rounding <= u < up_to_it + rounding)


def check_drafted_from_its_law(
    target: LanguageModel, draft: LanguageModel, request: Request, close: float = 1e-4
) -> int:
    """Each drafted token is the draw from the law after its own prefix; how many were looked at."""
    text, seen = list(request.prompt), 0
    for cycle, _ in Decoder(target, draft, request):
        drafted = [x.token for x in cycle.drafted]
        for i, x in enumerate(cycle.drafted):
            logits = fresh_rows(draft, text + drafted[:i])[0]
            own = law(whole(draft, logits, target.vocab_size), request.sampling)
            assert abs(own.sum() - 1.0) < 1e-12, f"q sums to {own.sum()!r}"
            assert abs(x.q - own[x.token]) < close, (
                f"q({x.token}) is recorded as {x.q}, the law after the prefix says {own[x.token]}"
            )
            u = dice.uniform(request.seed, Purpose.DRAFT, x.index)
            assert may_be_drawn(own, x.token, u), f"position {x.index}: drawn from another law"
            seen += 1
        text += cycle.committed
    return seen
