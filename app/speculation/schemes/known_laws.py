"""Cycles and texts of a scheme on laws that are known after every text, and their exact law.

`play` is one cycle, through the same four hooks as the decoder's, with a lookup in place of two
models. Enumerated (`cycle_law`, `text_law`) it says what a scheme commits before anything is
drawn; the tests put the same pairs through the decoder.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from speculation.rule import Law, overlap
from speculation.sampling import Sampling, law
from speculation.schemes.base import PLAIN, Block, Ruling, Scheme
from speculation.schemes.drafting import draft_block
from speculation.schemes.random_numbers import (
    Addressed,
    Numbers,
    Turn,
    enumerate_outcomes,
    every_way,
)

Text = tuple[int, ...]
Tree = Callable[[Text], npt.NDArray[np.float64]]
"""Scores of the next token after every text, [V]."""


@dataclass(frozen=True)
class KnownPair:
    """Two models as lookups.

    memory  how many last tokens the scores depend on, if that is known: what is enumerated once
            is then found again
    """

    target: Tree
    draft: Tree
    sampling: Sampling = PLAIN
    end: frozenset[int] = frozenset()
    memory: int | None = None
    _known: dict[tuple[str, Text], Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def constant(
        cls,
        p: npt.ArrayLike,
        q: npt.ArrayLike,
        sampling: Sampling = PLAIN,
        end: frozenset[int] = frozenset(),
    ) -> "KnownPair":
        """The same two laws after every text."""
        with np.errstate(divide="ignore"):
            scores, others = np.log(np.asarray(p)), np.log(np.asarray(q))
        return cls(lambda text: scores, lambda text: others, sampling, end, memory=0)

    def context(self, text: Text) -> Text:
        """What of a text the scores depend on."""
        return text if self.memory is None else text[len(text) - min(self.memory, len(text)) :]

    def law_after(self, text: Text) -> Law:
        """The law a token should follow."""
        key = "p", self.context(text)
        if key not in self._known:
            self._known[key] = law(self.target(key[1]), self.sampling)
        found: Law = self._known[key]
        return found

    def overlap_after(self, text: Text) -> float:
        """How much the two models overlap after a text that both have read."""
        key = "overlap", self.context(text)
        if key not in self._known:
            q = law(self.draft(key[1]), self.sampling)
            self._known[key] = float(overlap(self.law_after(text), q))
        return float(self._known[key])


class _Wanted(NamedTuple):
    k: int
    sampling: Sampling
    end: frozenset[int]


@dataclass(frozen=True)
class Played:
    """One cycle: what the verdict read, what it was, and the tokens that were kept."""

    block: Block
    ruling: Ruling
    tokens: Text

    @property
    def n_accepted(self) -> int:
        return self.ruling.n_accepted

    @property
    def overlaps(self) -> list[float]:
        """The overlap at every drafted position that was checked."""
        checked = min(self.n_accepted + 1, len(self.block.drafted))
        block = self.block
        return [float(overlap(block.target_probs[i], block.draft_probs[i])) for i in range(checked)]


def play(
    scheme: Scheme, pair: KnownPair, text: Text, k: int, turn: Turn, heard: Text | None = None
) -> Played:
    """One cycle after a text; `heard` is the text as the draft has read it."""
    heard = text if heard is None else heard
    read = heard

    def scores_after(tokens: Sequence[int]) -> npt.NDArray[np.float64]:
        nonlocal read
        read += tuple(tokens)
        return pair.draft(pair.context(read))

    wanted = _Wanted(k, pair.sampling, pair.end)
    drafts = draft_block(scheme, wanted, scores_after, (), turn)
    drafted = tuple(drafts.tokens)
    scores = [pair.target(pair.context(text + drafted[:i])) for i in range(len(drafted) + 1)]
    p = scheme.target_laws(np.stack(scores), pair.sampling)
    block = Block(p, drafts.laws.reshape(-1, p.shape[1]), drafted, drafts.beyond)
    ruling = scheme.verify(block, turn)
    return Played(block, ruling, tuple(scheme.commit(drafted, ruling, pair.end)))


def heard_after(scheme: Scheme, heard: Text, played_n: int, full: bool, tokens: Text) -> Text:
    """The text as the draft has read it after a cycle."""
    if scheme.forgets_last and full and played_n < len(tokens):
        return heard + tokens[: played_n - 1] + tokens[played_n:]
    return heard + tokens


def write(
    scheme: Scheme, pair: KnownPair, k: int, length: int, numbers: Numbers, text: Text = ()
) -> tuple[Text, list[Played]]:
    """Cycle after cycle, up to `length` new tokens or an end -> the tokens, and the cycles."""
    begun, heard = len(text), text
    cycles: list[Played] = []
    while len(text) - begun < length:
        turn = Turn(numbers, len(text) - begun, scheme.reads_later)
        played = play(scheme, pair, text, k, turn, heard)
        cycles.append(played)
        full = 0 < played.n_accepted == len(played.block.drafted)
        heard = heard_after(scheme, heard, played.n_accepted, full, played.tokens)
        text += played.tokens
        if text[-1] in pair.end:
            break
    return text[begun : begun + length], cycles


def write_seed(scheme: Scheme, pair: KnownPair, k: int, length: int, seed: int) -> Text:
    """The text of one seed, as the decoder would write it."""
    return write(scheme, pair, k, length, Addressed(seed))[0]


class CycleOutcome(NamedTuple):
    """What of a cycle its law is about: accepted count and tokens; and drafted and checked."""

    n_accepted: int
    tokens: Text
    drafted: int
    checked: int


def cycle_law(
    scheme: Scheme, pair: KnownPair, k: int, text: Text = (), heard: Text | None = None
) -> dict[CycleOutcome, float]:
    """The joint law of one cycle's accepted count and committed tokens, by enumeration.

    >>> pair = KnownPair.constant([0.6, 0.3, 0.1], [0.2, 0.3, 0.5])
    >>> joint = cycle_law(Scheme(), pair, k=1)
    >>> round(sum(chance for cycle, chance in joint.items() if cycle.n_accepted == 1), 3)
    0.6
    """
    joint: defaultdict[CycleOutcome, float] = defaultdict(float)
    for played, weight in every_way(
        lambda numbers: play(scheme, pair, text, k, Turn(numbers), heard)
    ):
        n, drafted = played.n_accepted, len(played.block.drafted)
        joint[CycleOutcome(n, played.tokens, drafted, min(n + 1, drafted))] += weight
    return dict(joint)


def cycles_of_texts(
    scheme: Scheme, pair: KnownPair, k: int, length: int
) -> Iterator[tuple[Text, CycleOutcome, float]]:
    """Every cycle of texts of `length` tokens: the text before it, the cycle, and its chance.

    Cycle by cycle, each with fresh numbers: right for every scheme whose cycles share none.
    """
    known: dict[tuple[Text, Text], dict[CycleOutcome, float]] = {}
    waiting: dict[tuple[Text, Text], float] = {((), ()): 1.0}
    while waiting:
        following: defaultdict[tuple[Text, Text], float] = defaultdict(float)
        for (text, heard), mass in waiting.items():
            contexts = pair.context(text), pair.context(heard)
            if contexts not in known:
                known[contexts] = cycle_law(scheme, pair, k, text, heard)
            for cycle, chance in known[contexts].items():
                yield text, cycle, mass * chance
                after = text + cycle.tokens
                if len(after) >= length or after[-1] in pair.end:
                    continue
                full = 0 < cycle.n_accepted == cycle.drafted
                new = heard_after(scheme, heard, cycle.n_accepted, full, cycle.tokens)
                following[after, pair.context(new)] += mass * chance
        waiting = dict(following)


def text_law(scheme: Scheme, pair: KnownPair, k: int, length: int) -> dict[Text, float]:
    """The joint law of the first `length` tokens, over as many cycles as they take.

    A scheme whose cycles share numbers is written out to the end for every way these can fall.
    """
    if scheme.reuses_numbers:
        return enumerate_outcomes(lambda numbers: write(scheme, pair, k, length, numbers)[0])
    done: defaultdict[Text, float] = defaultdict(float)
    for text, cycle, chance in cycles_of_texts(scheme, pair, k, length):
        after = text + cycle.tokens
        if len(after) >= length or after[-1] in pair.end:
            done[after[:length]] += chance
    return dict(done)


def target_law(pair: KnownPair, length: int) -> dict[Text, float]:
    """The joint law that the first `length` tokens should have: token by token from the target."""
    texts: dict[Text, float] = {(): 1.0}
    for _ in range(length):
        longer: dict[Text, float] = {}
        for text, mass in texts.items():
            if text and text[-1] in pair.end:
                longer[text] = mass
                continue
            p = pair.law_after(text)
            longer |= {(*text, int(x)): mass * float(p[x]) for x in np.flatnonzero(p)}
        texts = longer
    return texts


def total_variation(one: dict[Text, float], other: dict[Text, float]) -> float:
    """Half the sum of differences between two laws over texts."""
    return 0.5 * sum(abs(one.get(x, 0.0) - other.get(x, 0.0)) for x in one.keys() | other.keys())
