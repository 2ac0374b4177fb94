"""Small laws and table models: pairs whose every probability is known by hand."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from speculation.rule import Law

Prefix = tuple[int, ...]
Tree = Callable[[Prefix], Law]
"""A language model in miniature: the law of the next token after every prefix."""


def random_law(rng: np.random.Generator, size: int, zeros: int = 0, peak: float = 1.0) -> Law:
    """A law over `size` tokens, `zeros` of them impossible; a larger peak is less even."""
    law = rng.dirichlet(np.full(size, 1.0 / peak)) + 1e-9
    law[rng.permutation(size)[:zeros]] = 0.0
    return law / law.sum()


def random_tree(seed: int, size: int, zeros: int = 0, peak: float = 1.0) -> Tree:
    """A different random law after every prefix, the same ones for the same seed."""
    known: dict[Prefix, Law] = {}

    def law_after(prefix: Prefix) -> Law:
        if prefix not in known:
            rng = np.random.default_rng([seed, len(prefix), *prefix])
            known[prefix] = random_law(rng, size, zeros, peak)
        return known[prefix]

    return law_after


def one_hot(size: int, token: int) -> Law:
    """All mass on one token."""
    law = np.zeros(size)
    law[token] = 1.0
    return law


def joint_law(tree: Tree, size: int, length: int) -> dict[Prefix, float]:
    """The probability of every sequence of `length` tokens, drawn one by one from the tree."""
    joint = {}
    for sequence in product(range(size), repeat=length):
        joint[sequence] = float(
            np.prod([tree(sequence[:i])[token] for i, token in enumerate(sequence)])
        )
    return joint


class TableContext:
    """A text read by a TableModel: the tokens themselves."""

    nbytes = 0

    def __init__(self, model: "TableModel", text: Prefix = ()) -> None:
        self.model, self.text = model, text

    @property
    def length(self) -> int:
        return len(self.text)

    def extend(self, tokens: Sequence[int], rows: int = 1) -> npt.NDArray[np.float32]:
        self.text += tuple(tokens)
        self.model.passes += 1
        ends = range(len(self.text) - rows + 1, len(self.text) + 1)
        with np.errstate(divide="ignore"):
            return np.log(np.stack([self.model.law_after(self.text[:end]) for end in ends]))

    def crop(self, length: int) -> None:
        assert 0 <= length <= self.length, f"crop to {length} of {self.length}"
        self.text = self.text[:length]

    def copy(self) -> "TableContext":
        return TableContext(self.model, self.text)


class TableModel:
    """A language model whose laws are looked up in a tree; it counts its forward passes.

    A law of zeros stands for a model that has nothing to propose.
    """

    def __init__(
        self,
        law_after: Tree,
        size: int,
        name: str = "table",
        support: Sequence[int] | None = None,
        max_length: int = 1000,
    ) -> None:
        self.law_after = law_after
        self.name = self.digest = name
        self.vocab_size = size
        self.max_length = max_length
        self.support = None if support is None else np.array(support, dtype=np.int64)
        self.passes = 0

    def start(self) -> TableContext:
        return TableContext(self)


def spell(tokens: Sequence[int]) -> Tree:
    """A model sure of one text: token i comes after i tokens, the last one again and again."""
    size = max(tokens) + 1
    return lambda prefix: one_hot(size, tokens[min(len(prefix), len(tokens) - 1)])
