"""What is asked of an engine, setting by setting, and the exact distribution of each answer.

A row is a request and a way of reading outcomes off the texts. Its distribution is enumerated from
the target, read by whole passes: no cache, no speculation, another way of computing than any engine
under test has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import numpy as np

from engines.audit.outcome_tree import LawAfter, Tree, grow
from engines.audit.target_law import TargetLaw, law_after
from engines.base import Capabilities, Continuation, SampleRequest
from speculation.models.language_model import LanguageModel
from speculation.sampling import Sampling

PROMPT = (1, 2, 3, 1, 2, 3, 1, 2)
"""It repeats itself, so that drafts copied from the text find something."""
LENGTH = 4
K = 2
"""A whole cycle and the beginning of the next within a text: both ends of a cycle are looked at."""
TREE = 800
"""As many texts as the outcomes are made for: those expected five times among them stand alone."""

Read = Literal["text", "neighbors", "repeat", "stop"]


@dataclass(frozen=True)
class Row:
    """One setting.

    name     as it is shown, and chosen by --only
    asks     what differs from a plain request: fields of Sampling and of SampleRequest
    needs    the engine's ability without which the row is left out; "" for none
    read     how outcomes are read: each text; two neighboring ones together; a text and the same
             seed again; the text as a string, cut where a stop string stands
    """

    name: str
    asks: Mapping[str, Any]
    needs: str = ""
    read: Read = "text"


ROWS: tuple[Row, ...] = (
    Row("temperature 1", {}),
    Row("temperature 0.5", {"temperature": 0.5}),
    Row("temperature 1.6", {"temperature": 1.6}),
    Row("greedy", {"temperature": 0.0}),
    Row("top-k 4", {"top_k": 4}),
    Row("top-p 0.8", {"top_p": 0.8}),
    Row("min-p 0.1", {"min_p": 0.1}),
    Row("temperature 0.8, top-k 8, top-p 0.9", {"temperature": 0.8, "top_k": 8, "top_p": 0.9}),
    Row("one drafted token", {"k": 1}),
    Row("more drafts than text", {"k": 7}),
    Row("one token", {"length": 1}),
    Row("repetition penalty 1.4", {"repetition_penalty": 1.4}, "repetition_penalty"),
    Row("presence penalty 0.9", {"presence_penalty": 0.9}, "presence_penalty"),
    Row("two tokens biased", {"logit_bias": ((4, -1.5), (3, 2.0))}, "logit_bias"),
    Row("a token forbidden", {"logit_bias": ((7, -100.0),)}, "logit_bias"),
    Row("two ends of text", {"end": frozenset({11})}, "end_tokens"),
    Row("a stop string", {"stop": ("HL",), "length": 3}, "stop", "stop"),
    Row("neighbors in a batch", {"length": 2}, "", "neighbors"),
    Row("the same seed again", {}, "seeded", "repeat"),
)
SAMPLING = ("temperature", "top_k", "top_p", "min_p")
SECOND = 1_000_003
"""How far apart the seeds of two rows lie."""


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of a row with their exact probabilities, and how a text finds its own.

    per_observation  texts that make one observation: 1, or 2 for pairs
    """

    law: Mapping[Any, float]
    of: Any
    per_observation: int = 1

    @property
    def probabilities(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """In the order of `law`."""
        return np.array([*self.law.values()])

    def counts(self, texts: Sequence[Continuation]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """How often each came, [m + 1]; the last for what cannot be."""
        places = {outcome: i for i, outcome in enumerate(self.law)}
        found = np.zeros(len(places) + 1, dtype=np.int64)
        step = self.per_observation
        for i in range(0, len(texts) - step + 1, step):
            found[places.get(self.of(*texts[i : i + step]), -1)] += 1
        return found


def request_of(row: Row, end: int, seed: int = 1) -> SampleRequest:
    """What the engine is asked for; `end` is the target's own end of text.

    >>> request_of(ROWS[15], end=15).end == frozenset({11, 15})
    True
    """
    asks = dict(row.asks)
    sampling = Sampling(**{name: asks.pop(name) for name in SAMPLING if name in asks})
    ends = frozenset({end}) | asks.pop("end", frozenset())
    plain = SampleRequest(PROMPT, sampling, LENGTH, ends, K, seed)
    return replace(plain, **asks)


def lacking(row: Row, able: Capabilities) -> str:
    """Why an engine cannot be asked this; "" if it can."""
    names = {
        "repetition_penalty": "repetition penalty", "presence_penalty": "presence penalty",
        "logit_bias": "biases", "end_tokens": "further ends of text", "stop": "stop strings",
        "seeded": "seeds that repeat a text",
    }  # fmt: skip
    if row.needs and not getattr(able, row.needs):
        return f"The engine has no {names[row.needs]}, as far as it is told."
    return ""


def outcomes_of(
    row: Row,
    request: SampleRequest,
    target: LanguageModel,
    letters: Sequence[str],
    law_of: LawAfter = law_after,
) -> Outcomes:
    """The exact distribution of the row's outcomes, by one convention of what settings mean."""
    law = TargetLaw(target, request.prompt)
    if row.read == "stop":
        return _strings(request, law, letters, law_of)
    tree = grow(law, request, 150 if row.read == "neighbors" else TREE, request.length, law_of)
    if row.read == "neighbors":
        both = {(a, b): p * q for (a, p), (b, q) in product(tree.law.items(), repeat=2)}
        return Outcomes(both, lambda *two: tuple(_outcome(tree, x.tokens, request) for x in two), 2)
    if row.read == "repeat":
        return Outcomes({True: 1.0}, lambda a, b: a.tokens == b.tokens, 2)
    return Outcomes(tree.law, lambda text: _outcome(tree, text.tokens, request))


def _outcome(tree: Tree, tokens: tuple[int, ...], request: SampleRequest) -> object:
    """Where a text falls; one that goes on after an end of text is none that there can be."""
    return "impossible" if request.end & set(tokens[:-1]) else tree.outcome(tokens)


def _strings(
    request: SampleRequest, law: TargetLaw, letters: Sequence[str], law_of: LawAfter
) -> Outcomes:
    """Every text as the string that is sent, cut before a stop string; rare ones share a place."""
    whole: dict[str, float] = {}
    frontier: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(request.length):
        following: dict[tuple[int, ...], float] = {}
        nodes = list(frontier)
        for node, logits in zip(nodes, law.next_logits(nodes), strict=True):
            for token, p in enumerate(law_of(request, logits, node).tolist()):
                longer, mass = (*node, token), frontier[node] * p
                said = cut("".join(letters[x] for x in longer if x not in request.end), request)
                ended = token in request.end or len(longer) == request.length
                if ended or len(said) < len(longer):
                    whole[said] = whole.get(said, 0.0) + mass
                elif mass > 0.0:
                    following[longer] = mass
        frontier = following
    common = {text: p for text, p in whole.items() if p * TREE >= 5.0}
    rest = sum(p for text, p in whole.items() if text not in common)
    kept: dict[str | None, float] = {None: rest}
    kept.update(common)

    ends = "".join(letters[x] for x in sorted(request.end))

    def of(text: Continuation) -> str | None:
        said = text.told.text
        if said is None:
            said = "".join(letters[x] for x in text.tokens)
        said = said.rstrip(ends)  # whether the end of a text is spelled is the engine's own choice
        return said if said in common else None if said in whole else "impossible"

    return Outcomes(kept, of)


def cut(text: str, request: SampleRequest) -> str:
    """A text up to the first of the request's stop strings.

    >>> cut("ABHLC", SampleRequest((1,), Sampling(), 5, stop=("HL",)))
    'AB'
    """
    places = [place for stop in request.stop if (place := text.find(stop)) >= 0]
    return text[: min(places)] if places else text
