"""This project's own decoder as an engine: the reference, or any rule with its mistake."""

import secrets
from collections.abc import Iterable, Iterator

from engines.base import (
    Capabilities,
    Continuation,
    CycleCount,
    Engine,
    EngineUnavailable,
    SampleRequest,
)
from speculation.decode import Decoder, Request
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.schemes import EXACT, SCHEMES
from speculation.schemes.scheme_decode import SchemeDecoder
from speculation.text import PromptRefused
from speculation.trace import Cycle

STORE_BYTES = 400 * 1_000_000


class Own(Engine):
    """Decode by a scheme. Texts that begin alike share their passes, so many cost little more.

    rule   the scheme's name, as in `--rule NAME`
    store  where passes are kept; one of its own by default, so that people's runs stay in theirs
    """

    name = "own"

    def __init__(self, pair: Pair, rule: str = EXACT.name, store: PassStore | None = None) -> None:
        if rule not in SCHEMES:
            raise EngineUnavailable(
                f"No rule is called {rule!r}. There are: {', '.join(sorted(SCHEMES))}."
            )
        self.pair = pair
        self.draft = pair.draft
        self.scheme = SCHEMES[rule]
        self.capabilities = Capabilities(seeded=True, counts=True, end_tokens=True)
        self.about = {
            "rule": rule,
            "pair": pair.spec.id,
            "precision": pair.arithmetic.dtype,
            "draft's weights": pair.arithmetic.draft_digest,
        }
        self._store = store or PassStore(STORE_BYTES)

    def continuations(
        self, request: SampleRequest, numbers: Iterable[int]
    ) -> Iterator[Continuation]:
        """One run after the other, each with its own seed."""
        self.refuse(request)
        for number in numbers:
            seed = request.seed_of(number)
            decoder = self._decoder(request, secrets.randbits(63) if seed is None else seed)
            try:
                cycles = tuple(_count(cycle) for cycle, _ in decoder)
            finally:
                decoder.close()
            finish = decoder.finish or "length"
            yield Continuation(number, tuple(decoder.generated), finish, cycles)

    def _decoder(self, request: SampleRequest, seed: int) -> Decoder:
        run = Request(
            request.prompt, request.sampling, request.k, seed, request.length, request.end
        )
        target, draft = self.pair.target, self.pair.draft
        try:
            if self.scheme is EXACT:
                return Decoder(target, draft, run, self._store)
            return SchemeDecoder(target, draft, run, self.scheme, self._store)
        except PromptRefused as error:
            raise EngineUnavailable(str(error)) from error


def _count(cycle: Cycle) -> CycleCount:
    return CycleCount(len(cycle.drafted), cycle.n_accepted, len(cycle.committed))
