"""Two greedy texts from two endpoints, for "Rounding or bug?"."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from engines.base import EngineUnavailable, SampleRequest
from engines.openai.client import Patience
from engines.openai.engine import NO_IDS, How, OpenAI
from engines.rounding.check import Mode, RoundingCheck, Step
from engines.rounding.scores import Precision
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.sampling import Sampling
from speculation.text import encode, end_tokens, join, pieces

PATIENCE = Patience(timeout=60.0, tries=3, parallel=1)


@dataclass(frozen=True)
class EndpointsCheck:
    """The question, with the texts still to be fetched; as work for whoever has the models.

    one, two  ADDRESS or ADDRESS|MODEL
    length    tokens to ask for
    """

    prompt: str
    one: str
    two: str
    mode: Mode = "chat"
    precision: Precision = "bfloat16"
    k: int = 4
    length: int = 128
    gives_way: ClassVar[bool] = False

    def states(self, pair: Pair, store: PassStore | None = None) -> Iterator[Step]:
        """Fetch both, then compare. Raises EngineUnavailable, PromptRefused."""
        yield Step(0.0, "Asking the first endpoint")
        one = greedy_text(self.one, pair, self.prompt, self.mode, self.length)
        yield Step(0.0, "Asking the second endpoint")
        two = greedy_text(self.two, pair, self.prompt, self.mode, self.length)
        texts = [as_question(x) for x in (one, two)] if one[1] and two[1] else [one[0], two[0]]
        question = RoundingCheck(self.prompt, texts[0], texts[1], self.mode, self.precision, self.k)
        yield from question.states(pair, store)


def greedy_text(
    endpoint: str, pair: Pair, prompt: str, mode: str, length: int, patience: Patience = PATIENCE
) -> tuple[str, tuple[int, ...] | None]:
    """What an endpoint writes greedily, and its token ids if the server gives them.

    Raises EngineUnavailable, PromptRefused.
    """
    address, _, model = endpoint.partition("|")
    end = end_tokens(pair.tokenizer)
    ids = tuple(encode(pair.tokenizer, prompt, mode))
    request = SampleRequest(ids, Sampling(temperature=0.0), length, end)
    ways: tuple[How, ...] = ("ids", "text")
    for way in ways:
        engine = OpenAI(address, model, pair.tokenizer, can="", tokens=way, patience=patience)
        try:
            [text] = engine.continuations(request, [0])
        except EngineUnavailable as error:
            if way == "text" or str(error) != NO_IDS:
                raise
            continue
        finally:
            engine.close()
        known = pieces(pair.tokenizer, text.tokens)
        read = join(known[x] for x in text.tokens)
        return read, text.tokens if way == "ids" else None
    raise AssertionError("one of the ways returns or raises")


def as_question(found: tuple[str, tuple[int, ...] | None]) -> str:
    """Token ids as the question takes them."""
    return str(list(found[1] or ()))
