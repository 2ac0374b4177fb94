"""Random numbers with addresses, and the one way a token is drawn from a law.

A run needs three kinds of random numbers: one to draw each drafted token, one to accept or
reject it, one to draw the token that ends a cycle. Taken in order from one generator, the first
change of k or temperature would shift every number after it. So each number has an address
instead: (seed, purpose, position). The number at position 17 stays the same whatever happened
before it, and two runs can be laid side by side.

The generator is Philox (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011):
a block cipher run over a counter. The seed is the key and the address is the counter.

Sharing a number between two purposes would break exactness, which is why `purpose` is part of
the address. Using one address again in a later cycle is exact as long as no verdict at a
position reads later drafts: whether a position is drafted again then depends only on earlier
positions. A rule that does read them must add the cycle number as `index`.
"""

from collections.abc import Iterator
from enum import IntEnum

import numpy as np
import numpy.typing as npt


class Purpose(IntEnum):
    """What a random number is used for; part of its address."""

    DRAFT = 0
    ACCEPT = 1
    REPLACE = 2


def uniform(seed: int, purpose: Purpose, position: int, index: int = 0) -> float:
    """The number in [0, 1) at an address; a multiple of 2**-53.

    seed      any non-negative integer below 2**64
    position  index of the token in the generated text, from 0
    index     for schemes that need several numbers at one position

    >>> uniform(0, Purpose.DRAFT, 3) == uniform(0, Purpose.DRAFT, 3)
    True
    >>> uniform(0, Purpose.DRAFT, 3) == uniform(0, Purpose.ACCEPT, 3)
    False
    """
    block = np.random.Philox(key=seed, counter=[position, int(purpose), index, 0])
    return int(block.random_raw() >> 11) * 2.0**-53


# Thresholds for the head of a law, tried in turn. All tokens above a threshold are the first of
# the falling order, so sorting them alone gives the same head, at a tenth of the cost of sorting
# a vocabulary of 49,152; only a draw from the far tail sorts everything.
_HEADS = (1e-3, 1e-5, 0.0)


def heads(law: npt.NDArray[np.float64]) -> Iterator[npt.NDArray[np.int64]]:
    """Ever longer beginnings of the tokens sorted by falling probability, ties by id.

    The last one holds every token of positive probability.
    """
    for threshold in _HEADS:
        tokens = np.flatnonzero(law > threshold)
        yield tokens[np.argsort(-law[tokens], kind="stable")]


def draw(law: npt.NDArray[np.float64], u: float) -> int:
    """The token at height u of the cumulative law: inverse CDF over tokens by falling probability.

    law [V], u in [0, 1). Never returns a token of probability zero, also when rounding leaves
    the law's sum a little below u. Raises ValueError for a law without mass.

    >>> draw(np.array([0.25, 0.5, 0.25]), 0.6), draw(np.array([0.25, 0.5, 0.25]), 0.8)
    (0, 2)
    """
    order = np.empty(0, dtype=np.int64)
    for order in heads(law):
        # A cumulative sum runs from left to right, so a head's sums are the whole order's sums.
        place = int(np.searchsorted(np.cumsum(law[order]), u, side="right"))
        if place < len(order):
            return int(order[place])
    if not len(order):
        raise ValueError("cannot draw from a distribution without mass")
    return int(order[-1])


def draw_intervals(
    law: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Every token `draw` can return, in order, and the interval of u that returns it.

    law [V] -> tokens [n], edges [n+1]: token i is drawn for u in [edges[i], edges[i+1]). The
    last edge is 1: what rounding leaves between the sum and 1 goes to the last token.

    >>> draw_intervals(np.array([0.25, 0.5, 0.25]))
    (array([1, 0, 2]), array([0.  , 0.5 , 0.75, 1.  ]))
    """
    *_, order = heads(law)
    edges = np.concatenate(([0.0], np.cumsum(law[order])))
    edges[-1] = 1.0
    return order, np.minimum(edges, 1.0)


def interval_of(law: npt.NDArray[np.float64], token: int) -> tuple[float, float] | None:
    """The interval of u for which `draw` returns this token; None if it never does.

    >>> interval_of(np.array([0.25, 0.5, 0.25]), 0)
    (0.5, 0.75)
    """
    tokens, edges = draw_intervals(law)
    place = np.flatnonzero(tokens == token)
    return (float(edges[place[0]]), float(edges[place[0] + 1])) if len(place) else None
