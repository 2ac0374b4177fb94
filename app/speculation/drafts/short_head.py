"""The shipped drafts: the first layers of the target, fine-tuned, with a short output head.

A draft must be cheap before it is good: its k steps are paid one after another in every cycle.
Two things make these cheap. They have few layers, and their output head scores only the most
frequent tokens (8,192 or 12,288 of 49,152; FR-Spec, arXiv 2502.14856): their law is 0 elsewhere,
which any verifier allows, since q may be any law.

They are read by the same lean pass as the target (`models/llama.py`). A test compares it with
transformers' Llama on the same weights.
"""

import torch
from transformers import LlamaConfig

from speculation.models.choice import Choice
from speculation.models.language_model import Tokens
from speculation.models.lean import layer_of, shape_of
from speculation.models.llama import Llama, LlamaContext, Norm
from speculation.models.matrices import matrix


class ShortHeadModel:
    """A Llama of few layers whose head scores the tokens in `support` only.

    weights    "model.layers.i.*" and "model.norm.weight" under their Llama names,
               "head.weight" [S, hidden] and "head.token_ids" [S], ascending
    embedding  [V, hidden], the target's own
    choice     how the matrices are laid out
    """

    def __init__(
        self,
        config: LlamaConfig,
        weights: dict[str, torch.Tensor],
        embedding: torch.Tensor,
        name: str,
        digest: str,
        choice: Choice | None = None,
    ) -> None:
        choice = choice or Choice()
        device, dtype = embedding.device, embedding.dtype
        ids = weights["head.token_ids"]
        self.weights = {
            key: value.to(device=device, dtype=dtype).contiguous()
            for key, value in weights.items()
            if key != "head.token_ids"
        }
        self.depth = 1 + max(int(x.split(".")[2]) for x in weights if x.startswith("model.layers"))
        self.embedding = embedding
        self.support: Tokens | None = ids.numpy().astype("int64")
        self.config = config
        self.name = name
        self.digest = digest
        self.vocab_size = int(config.vocab_size)
        self.max_length = int(config.max_position_embeddings)
        get, shape = self.weights.get, shape_of(config)
        with torch.inference_mode():
            self.llama = Llama(
                shape,
                embedding,
                tuple(
                    layer_of(f"model.layers.{i}", get, shape, choice.layout)
                    for i in range(self.depth)
                ),
                Norm(self.weights["model.norm.weight"], shape.eps),
                matrix(choice.layout, [self.head]),
                choice.widths,
            )

    @property
    def head(self) -> torch.Tensor:
        """The output head, [S, hidden]."""
        return self.weights["head.weight"]

    def start(self) -> LlamaContext:
        return LlamaContext(self.llama)
