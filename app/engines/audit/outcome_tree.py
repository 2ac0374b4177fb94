"""The joint law of the first tokens, over as many outcomes as so many runs can tell apart.

Texts form a tree. From the root on, a node is split into the children that are expected at least
five times among n texts, and one outcome for all its other children together (which joins the
others' if it is rarer than that). So the outcomes follow from the law alone, not from the samples:
chi-square over them is valid, and only likely prefixes need to be scored.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engines.audit.target_law import TargetLaw, Text, law_after
from engines.base import Continuation, SampleRequest
from speculation.exactness.counts import SMALLEST_BIN
from speculation.rule import Law

Outcome = tuple[Text, bool]
"""A prefix; and whether it stands for the texts that go on from it in rarer ways only."""

OTHER: Outcome = ((), True)


@dataclass(frozen=True)
class Tree:
    """Outcomes and their law; and the prefixes that were split."""

    law: Mapping[Outcome, float]
    split: frozenset[Text] = field(default_factory=frozenset)

    def outcome(self, text: Sequence[int]) -> Outcome:
        """The outcome that a text belongs to."""
        prefix: Text = ()
        while prefix in self.split:
            longer = (*prefix, *text[len(prefix) : len(prefix) + 1])
            if len(longer) == len(prefix) or not (
                longer in self.split or (longer, False) in self.law
            ):
                rest = (prefix, True)
                return rest if rest in self.law else OTHER
            prefix = longer
        return (prefix, False)

    def counts(self, texts: Iterable[Continuation]) -> dict[Outcome, int]:
        """How often each outcome came."""
        found = dict.fromkeys(self.law, 0)
        for text in texts:
            outcome = self.outcome(text.tokens)
            found[outcome] = found.get(outcome, 0) + 1
        return found


LawAfter = Callable[[SampleRequest, npt.ArrayLike, Text], Law]
"""From a request, the target's logits after a text, and the text: the law of the next token."""


def grow(
    target: TargetLaw, request: SampleRequest, runs: int, depth: int, law_of: LawAfter = law_after
) -> Tree:
    """The tree for so many runs, at most `depth` tokens deep.

    law_of  how settings make a law of logits, where an engine goes another way about it
    """
    least = SMALLEST_BIN / runs
    law: dict[Outcome, float] = {}
    split: set[Text] = set()
    other = 0.0
    frontier: dict[Text, float] = {(): 1.0}
    for _ in range(depth):
        following: dict[Text, float] = {}
        nodes = list(frontier)
        for node, logits in zip(nodes, target.next_logits(nodes), strict=True):
            mass = frontier[node]
            p = mass * law_of(request, logits, node)
            children = np.flatnonzero(p >= least)
            if not len(children) and node:
                law[node, False] = mass
                continue
            split.add(node)
            for child in children.tolist():
                longer = (*node, child)
                if child in request.end:
                    law[longer, False] = float(p[child])
                else:
                    following[longer] = float(p[child])
            rest = mass - float(p[children].sum())
            if rest >= least and node:
                law[node, True] = rest
            else:
                other += max(0.0, rest)
        frontier = following
    law |= {(node, False): mass for node, mass in frontier.items()}
    law[OTHER] = other
    return Tree(law, frozenset(split))
