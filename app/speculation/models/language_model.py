"""A language model whose cache can be rolled back.

Speculative decoding needs one thing from a model that ordinary decoding does not: forgetting.
The target reads k drafted tokens in one pass and then keeps only those that were accepted; the
draft has read its own proposals and must drop the ones that were thrown away. A `Context` is one
text being read by one model: it can be extended by tokens and cut back to an earlier length.

The protocols here are all that the decoder knows about a model. A transformer meets them, and so
can anything that gives scores for the next token: a table of counts, or a search for the last
words earlier in the text.
"""

import copy
from collections.abc import Sequence
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

Logits = npt.NDArray[np.float32]
Tokens = npt.NDArray[np.int64]
Real = TypeVar("Real", np.float32, np.float64)


class ModelRefused(ValueError):
    """A model that cannot be used here; the message says why, for the person who chose it."""


class Context(Protocol):
    """One text, read by one model up to `length` tokens."""

    @property
    def length(self) -> int:
        """How many tokens have been read."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes; 0 if there is nothing worth counting."""

    def extend(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Read more tokens in one pass -> logits after each of the last `rows`, [rows, S].

        S is the size of the model's support. A row of minus infinity means that the model has
        nothing to propose there.
        """

    def crop(self, length: int) -> None:
        """Forget everything after the first `length` tokens."""

    def copy(self) -> Self:
        """An independent copy."""


class LanguageModel(Protocol):
    """Weights and what is needed to read with them.

    support     the token ids that the columns of the logits stand for, ascending, [S]; None if
                they stand for the whole vocabulary. The law is 0 elsewhere.
    max_length  the longest text the model can read, in tokens
    digest      a name for exactly these weights in this precision on this device
    """

    name: str
    digest: str
    vocab_size: int
    max_length: int
    support: Tokens | None

    def start(self) -> Context:
        """A context that has read nothing yet."""


def over_vocabulary(
    short: npt.NDArray[Real], support: Tokens | None, size: int, missing: float = -np.inf
) -> npt.NDArray[Real]:
    """Scores over a model's support [..., S] as scores over a whole vocabulary [..., size].

    A model without a support may still have a smaller vocabulary: its ids are the first ones.

    missing  what stands elsewhere: minus infinity for scores, 0 for laws

    Rows that fit already are given back as they are. Raises ValueError for a column beyond `size`:
    cutting it off would lose its mass without a word.

    >>> over_vocabulary(np.array([0.75, 0.25]), np.array([0, 3]), 4, missing=0.0)
    array([0.75, 0.  , 0.  , 0.25])
    """
    if support is None and short.shape[-1] == size:
        return short
    beyond = short.shape[-1] if support is None else int(support.max(initial=-1)) + 1
    if beyond > size:
        raise ValueError(f"the scores reach token {beyond - 1}, and only {size} are counted")
    whole = np.full((*short.shape[:-1], size), missing, dtype=short.dtype)
    whole[..., slice(short.shape[-1]) if support is None else support] = short
    return whole


def over_one_vocabulary(
    p: npt.NDArray[Real], q: npt.NDArray[Real]
) -> tuple[npt.NDArray[Real], npt.NDArray[Real]]:
    """Two models' laws [..., V] over the longer one's vocabulary: 0 where the other has no token.

    Families pad their output differently: the draft may have rows for ids that the target has not,
    or the other way about.

    >>> p, q = over_one_vocabulary(np.array([0.5, 0.5]), np.array([0.2, 0.3, 0.5]))
    >>> p, float(np.minimum(p, q).sum())
    (array([0.5, 0.5, 0. ]), 0.5)
    """
    size = max(p.shape[-1], q.shape[-1])
    return over_vocabulary(p, None, size, 0.0), over_vocabulary(q, None, size, 0.0)


class TransformersContext:
    """A text read by a Hugging Face causal language model."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._cache = DynamicCache(config=model.config)

    @property
    def length(self) -> int:
        return int(self._cache.get_seq_length())

    @property
    def nbytes(self) -> int:
        layers = [layer for layer in self._cache.layers if layer.is_initialized]
        return sum(layer.keys.nbytes + layer.values.nbytes for layer in layers)

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        # No attention mask: nothing is padded, and on the CPU a mask costs several times the pass.
        # A token beyond the vocabulary is another model's padding and is read as the last one: what
        # stands behind it is never kept, or is a guess of the draft's anyway.
        last = self._model.config.vocab_size - 1
        ids = torch.tensor([[min(token, last) for token in tokens]], device=self._model.device)
        out = self._model(ids, cache=self._cache, use_cache=True, logits_to_keep=rows)
        return to_numpy(out.logits[0])

    def crop(self, length: int) -> None:
        excess = self.length - length
        if excess < 0 or length < 0:
            raise ValueError(f"cannot crop a context of {self.length} tokens to {length}")
        if excess:
            self._cache.crop(-excess)

    def copy(self) -> "TransformersContext":
        other = copy.copy(self)
        # inference_mode tensors refuse deepcopy outside of it
        with torch.inference_mode():
            other._cache = copy.deepcopy(self._cache)
        return other


class TransformersModel:
    """A Hugging Face causal language model, from a folder or a hub name that is at hand."""

    support: Tokens | None = None

    def __init__(self, model: Any, name: str, digest: str) -> None:
        refuse_unless_croppable(model.config, name)
        self._module = model.eval()
        self._describe(model.config, name, digest)

    def _describe(self, config: Any, name: str, digest: str) -> None:
        self.config = config
        self.name = name
        self.digest = digest
        self.vocab_size = int(config.vocab_size)
        self.max_length = int(getattr(config, "max_position_embeddings", 1 << 20))

    @property
    def module(self) -> Any:
        """transformers' own model."""
        return self._module

    @property
    def embedding(self) -> torch.Tensor:
        """The input embedding, [V, hidden]."""
        weight: torch.Tensor = self._module.get_input_embeddings().weight
        return weight

    @property
    def dtype(self) -> torch.dtype:
        """The precision of the weights."""
        found: torch.dtype = self._module.dtype
        return found

    @property
    def read_by(self) -> str:
        """Whose code reads a text, in words."""
        return "transformers"

    def start(self) -> Context:
        return TransformersContext(self.module)


def refuse_unless_croppable(config: Any, name: str) -> None:
    """Raise ModelRefused unless every layer of the model keeps a cache that can be cut back."""
    try:
        layers = DynamicCache(config=config).layers
    except (ValueError, TypeError, AttributeError) as error:
        raise ModelRefused(f"{name}: its cache cannot be built ({error})") from error
    odd = {type(layer).__name__ for layer in layers if type(layer) is not DynamicLayer}
    if odd:
        raise ModelRefused(
            f"{name} keeps a state that cannot be rolled back after a rejection "
            f"({', '.join(sorted(odd))}): recurrent, hybrid and sliding-window layers are refused"
        )


def to_numpy(logits: torch.Tensor) -> Logits:
    """Logits as float32 on the CPU; exact for float32 and bfloat16 alike."""
    return logits.to(dtype=torch.float32, device="cpu").numpy()


def choose_device(wanted: str = "auto") -> torch.device:
    """The device to compute on: CUDA or MPS when present, else the CPU, unless told otherwise."""
    if wanted != "auto":
        return torch.device(wanted)
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")
