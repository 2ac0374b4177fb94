"""What an audit asks for: its settings, and the parts that its samples come in.

The main part is n continuations of one prompt. The others are short, and each puts one promise to
the test: that greedy text is greedy, that a seed repeats, that a text ends where it should (at an
end token, at a stop string), that a bias and a penalty are applied. What they ask for may depend on
the main part (which token to forbid), never on themselves, so a check of a part is a check of
samples it has not seen.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace

from engines.audit.stop_strings import stop_and_limit
from engines.base import Capabilities, Continuation, SampleRequest
from speculation.sampling import Sampling

FORBIDDING = -100.0
REPETITION, PRESENCE = 1.5, 1.5
APART = 1_000_003
"""How far the seeds of two parts lie apart."""


@dataclass(frozen=True)
class Plan:
    """One audit's settings.

    n         continuations of the main part
    length    tokens each; at least 2k + 2, so that every place of a cycle occurs and two meet
    controls  continuations of each part that tests a promise
    repeats   seeds that are asked for twice
    greedy    tokens of the greedy text
    depth     how many first tokens are compared jointly
    """

    prompt: tuple[int, ...]
    sampling: Sampling = field(default_factory=Sampling)
    end: frozenset[int] = frozenset()
    k: int = 4
    length: int = 12
    n: int = 50
    seed: int = 1
    controls: int = 16
    repeats: int = 4
    greedy: int = 24
    depth: int = 3

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k is {self.k}, expected at least 1")
        if self.n < 1:
            raise ValueError(f"n is {self.n}, expected at least 1")
        if self.length < 2 * self.k + 2:
            raise ValueError(
                f"length is {self.length}: with k = {self.k}, at least {2 * self.k + 2} tokens "
                "are needed for every place of a cycle to occur and for two cycles to meet"
            )

    @property
    def request(self) -> SampleRequest:
        """What the main part asks for."""
        return SampleRequest(
            self.prompt, self.sampling, self.length, self.end, k=self.k, seed=self.seed
        )

    def fingerprint(self, about: Mapping[str, str]) -> str:
        """A name for these settings and what else the samples depend on: 16 hex digits."""
        settings = asdict(self) | {"end": sorted(self.end), "n": None, "about": dict(about)}
        whole = json.dumps(settings, sort_keys=True).encode()
        return hashlib.sha256(whole).hexdigest()[:16]


@dataclass(frozen=True)
class Part:
    """Some continuations that are asked for alike.

    about  what they are for, in words for the progress line
    token  the token that the part is about: forbidden, or made an end of text
    by     who is asked: the engine under test, or the baseline it is compared with
    """

    name: str
    about: str
    request: SampleRequest
    count: int
    token: int | None = None
    by: str = "engine"


def main_part(plan: Plan) -> Part:
    """The n continuations that most checks look at."""
    return Part("main", "continuations", plan.request, plan.n)


def other_parts(
    plan: Plan, able: Capabilities, main: list[Continuation], baseline: bool = False
) -> Iterator[Part]:
    """The parts that follow, as far as the engine can do what they ask."""
    request, few = plan.request, plan.controls
    draws = plan.sampling.temperature > 0.0
    if baseline:
        yield Part("baseline", "continuations of the baseline", request, plan.n, by="baseline")
    greedy = replace(request, sampling=replace(plan.sampling, temperature=0.0), length=plan.greedy)
    yield Part("greedy", "greedy text", greedy, 1)
    if baseline:
        yield Part("greedy twin", "greedy text of the baseline", greedy, 1, by="baseline")
    if able.seeded and draws:
        yield Part("repeat", "the same seeds again", request, min(plan.repeats, plan.n))
    named = able.ids_known and draws
    if able.end_tokens and named and (token := likely_later(main, plan)) is not None:
        ends = replace(_moved(request, 1), end=plan.end | {token})
        yield Part("ends", "texts that end early", ends, few, token)
    if able.logit_bias and named and (token := likely_first(main)) is not None:
        biased = replace(_moved(request, 2), logit_bias=((token, FORBIDDING),))
        yield Part("bias", "texts with a forbidden token", biased, few, token)
    if able.repetition_penalty and draws:
        again = replace(_moved(request, 3), repetition_penalty=REPETITION)
        yield Part("repetition", "texts with a repetition penalty", again, few)
    if able.presence_penalty and draws:
        present = replace(_moved(request, 4), presence_penalty=PRESENCE)
        yield Part("presence", "texts with a presence penalty", present, few)
    if able.stop and draws and (found := stop_and_limit(main, plan.length)) is not None:
        # The seeds of the main part: an engine that takes them must write the same texts, cut.
        stopped = replace(request, stop=(found.stop,))
        yield Part("stop", "texts with a stop string", stopped, min(few, plan.n))
        short = replace(stopped, length=found.limit)
        yield Part("stop and limit", "a stop string just before the limit", short, min(few, plan.n))


def likely_first(texts: list[Continuation]) -> int | None:
    """The token that texts begin with most often: forbidding it must show."""
    return _most_common([text.tokens[:1] for text in texts])


def likely_later(texts: list[Continuation], plan: Plan) -> int | None:
    """The token that comes in most texts within the first cycle, not as an end yet."""
    near = [set(text.tokens[: plan.k]) - plan.end for text in texts]
    return _most_common([tuple(sorted(tokens)) for tokens in near])


def _most_common(texts: list[tuple[int, ...]]) -> int | None:
    counts = Counter(token for text in texts for token in text)
    return min(counts, key=lambda token: (-counts[token], token)) if counts else None


def _moved(request: SampleRequest, part: int) -> SampleRequest:
    """The same with seeds of its own."""
    assert request.seed is not None
    return replace(request, seed=request.seed + part * APART)
