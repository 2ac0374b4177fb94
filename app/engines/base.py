"""What an engine is: something that continues a prompt, many times, by given settings.

An engine may be this project's decoder, a library in this process, or a server far away. The audit
asks nothing of it but tokens. What else it can do (take a seed, say how many drafts it kept, bias
tokens) it declares in `Capabilities`; a check that needs what an engine lacks is left out, and the
report says so.

To add one: a subclass of `Engine` with `continuations`, and one entry in `engines.table`.

    class Constant(Engine):
        name = "constant"
        capabilities = Capabilities(seeded=True)

        def continuations(self, request, numbers):
            for number in numbers:
                yield Continuation(number, (7,) * request.length, "length")
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

from speculation.models.language_model import LanguageModel
from speculation.sampling import Sampling

Finish = Literal["end", "length"]


class EngineUnavailable(RuntimeError):
    """The engine cannot do what is asked: not installed, not reachable, a setting it lacks.

    The message is a whole sentence for the person who asked. It may be raised before the first
    continuation or between two of them; what was yielded before it stays good.
    """


@dataclass(frozen=True)
class SampleRequest:
    """What every continuation is asked for.

    prompt              token ids, at least one
    sampling            temperature, top-k, top-p, min-p
    length              tokens to generate at most, the end of text included
    end                 tokens that end a text
    k                   drafted tokens a cycle, for engines that can be told
    seed                the first continuation's seed; None: the engine's own chance
    logit_bias          (token, number added to its logit before the temperature), each token once
    repetition_penalty  a logit above 0 of a token in the prompt or the text so far is divided by
                        this, one below 0 multiplied; 1 is off (Keskar et al., arXiv 1909.05858;
                        transformers, vLLM)
    presence_penalty    taken from the logit of every token of the text so far, the prompt left
                        out; 0 is off (the OpenAI API)
    stop                strings that end a text where they first stand; they are not part of it

    The bias is added first, then the penalties, then come temperature and filters.

    >>> SampleRequest((1, 2), Sampling(), length=8, seed=40).seed_of(2)
    42
    """

    prompt: tuple[int, ...]
    sampling: Sampling
    length: int
    end: frozenset[int] = frozenset()
    k: int = 4
    seed: int | None = None
    logit_bias: tuple[tuple[int, float], ...] = ()
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.prompt:
            raise ValueError("the prompt has no tokens: at least one is needed")
        if self.length < 1:
            raise ValueError(f"length is {self.length}, expected at least 1")
        if self.repetition_penalty <= 0.0:
            raise ValueError(f"repetition_penalty is {self.repetition_penalty}, expected above 0")

    def seed_of(self, number: int) -> int | None:
        """The seed of the continuation with this number: neighbors get neighboring seeds."""
        return None if self.seed is None else self.seed + number


@dataclass(frozen=True)
class CycleCount:
    """One cycle, as far as the engine tells: tokens drafted, kept, and added to the text."""

    drafted: int
    accepted: int
    committed: int


Top = tuple[tuple[int, float], ...]
"""The likeliest tokens at one place as an engine reports them, each with its log-probability."""


@dataclass(frozen=True)
class Told:
    """What an engine tells about a text besides its tokens; each part may be missing.

    text      the text as it was sent
    ends      how many of its characters each token completes, where the tokens spell it
    counted   how many tokens it counts (and bills) for it
    drafted, accepted  drafts made and kept while it was written, as a sum over its cycles
    logprobs  the reported log-probability of each token, from the first one on
    top       the reported top list at each of these places
    """

    text: str | None = None
    ends: tuple[int, ...] = ()
    counted: int | None = None
    drafted: int | None = None
    accepted: int | None = None
    logprobs: tuple[float, ...] = ()
    top: tuple[Top, ...] = ()


@dataclass(frozen=True)
class Continuation:
    """One text that the engine wrote.

    number  which of the request's continuations it is, from 0
    tokens  what was generated, without the prompt; an end token, if one came, is included
    finish  "end" if the engine says that an end token came, "length" if it was cut
    cycles  its cycles in order, if the engine says; their committed counts add up to the tokens
    told    what else the engine says
    """

    number: int
    tokens: tuple[int, ...]
    finish: Finish
    cycles: tuple[CycleCount, ...] | None = None
    told: Told = Told()


@dataclass(frozen=True)
class Capabilities:
    """What an engine can do besides writing texts.

    seeded              a request with a seed repeats, and another seed gives another text
    counts              continuations carry their cycles
    logit_bias          the request's biases are applied
    repetition_penalty  so is this
    presence_penalty    and this
    end_tokens          the request's own end tokens end a text, whichever they are
    token_ids           continuations hold the tokens that were drawn; if not, a splitting of the
                        text, which may have more or fewer
    ids_known           the ids that its vocabulary gives to tokens are known here; if not, nothing
                        is asked that names a token (a bias, an end token of one's own)
    stop                the request's stop strings end a text
    own_arithmetic      it computes in this process, with the target's own weights and precision; if
                        not, its logits are somebody else's (`audit.arithmetic`)
    parallel            several requests are in work at once, so they may come out of order and
                        share a server's state: independence between them is worth a test
    """

    seeded: bool = False
    counts: bool = False
    logit_bias: bool = False
    repetition_penalty: bool = False
    presence_penalty: bool = False
    end_tokens: bool = False
    token_ids: bool = True
    ids_known: bool = True
    stop: bool = False
    own_arithmetic: bool = True
    parallel: bool = False


class Engine(ABC):
    """One implementation, ready to be asked.

    name   as on the command line
    about  what the texts depend on besides the request (rule, variant, model, versions, weights'
           digests, address): shown in the report, and compared when an audit is resumed. No
           passwords or keys: it is written to files
    draft  the draft model, if it is at hand: then the tokens that it favors are looked at, and, if
           the counts are given, the accepted share is compared with the overlap
    """

    name: ClassVar[str]
    draft: LanguageModel | None = None
    capabilities: Capabilities = Capabilities()
    about: Mapping[str, str] = MappingProxyType({})

    @abstractmethod
    def continuations(
        self, request: SampleRequest, numbers: Iterable[int]
    ) -> Iterator[Continuation]:
        """Write the continuations with these numbers, yielding each as soon as it is there.

        The order is free; number i uses `request.seed_of(i)` if the engine takes seeds. Closing
        the iterator stops the work. Raises EngineUnavailable.
        """

    def refuse(self, request: SampleRequest) -> None:
        """Raise EngineUnavailable, before anything is sampled, if the request cannot be met.

        The default compares the request's biases and penalties with the capabilities.
        """
        able, who = self.capabilities, f"The engine {self.name!r}"
        if request.logit_bias and not able.logit_bias:
            raise EngineUnavailable(f"{who} cannot bias tokens.")
        if request.repetition_penalty != 1.0 and not able.repetition_penalty:
            raise EngineUnavailable(f"{who} has no repetition penalty.")
        if request.stop and not able.stop:
            raise EngineUnavailable(f"{who} takes no stop strings.")
        if request.presence_penalty != 0.0 and not able.presence_penalty:
            raise EngineUnavailable(f"{who} has no presence penalty.")

    def close(self) -> None:  # noqa: B027 - most have nothing to close
        """Let go of connections and memory; nothing by default."""
