"""Drafting one block by a scheme's hooks, whatever the draft is: a model or a lookup."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from speculation.rule import Law
from speculation.sampling import Sampling
from speculation.schemes.base import Scheme
from speculation.schemes.random_numbers import Turn


class Wanted(Protocol):
    """Draft length, sampling settings, and the tokens that end a text."""

    @property
    def k(self) -> int: ...

    @property
    def sampling(self) -> Sampling: ...

    @property
    def end(self) -> frozenset[int]: ...


class Drafts(NamedTuple):
    """n <= k drafted tokens, the laws they are compared with [n, V], and one law more if asked."""

    tokens: list[int]
    laws: Law
    beyond: Law | None


def draft_block(
    scheme: Scheme,
    wanted: Wanted,
    scores_after: Callable[[Sequence[int]], npt.NDArray[np.floating]],
    unread: Sequence[int],
    turn: Turn,
) -> Drafts:
    """Draft up to k tokens one by one.

    scores_after  reads tokens and gives the draft's scores [V] for the next one; all minus
                  infinity when it has nothing to propose
    unread        what the draft has to read first
    """
    k = wanted.k
    tokens: list[int] = []
    laws: list[Law] = []
    beyond = None
    while len(tokens) < k or (k > 0 and scheme.looks_beyond):
        scores = scores_after(unread)
        if scores.max() == -np.inf:
            break
        drawn, q = scheme.draft_laws(scores, wanted.sampling)
        token = scheme.propose(drawn, turn, len(tokens)) if len(tokens) < k else None
        if token is None:
            beyond = q
            break
        tokens.append(token)
        laws.append(q)
        unread = [token]
        if scheme.stops_at_end and token in wanted.end:
            break
    return Drafts(tokens, np.array(laws), beyond)
