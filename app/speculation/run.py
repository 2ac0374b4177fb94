"""One run of a pair on a person's settings, from prompt to trace."""

from collections.abc import Iterator
from datetime import UTC, datetime

from speculation import text
from speculation.decode import Decoder, Request
from speculation.machine import machine
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.settings import Settings
from speculation.trace import Cycle, CycleTiming, Piece, Timings, Trace, tokens_of


class Run:
    """Iterate to get its cycles; ask for the trace at any time.

    settings.k may be overridden by `k`: 0 is plain decoding, the baseline.
    """

    def __init__(
        self, pair: Pair, settings: Settings, store: PassStore | None = None, k: int | None = None
    ) -> None:
        self.pair = pair
        self.settings = settings
        self.prompt_ids = text.encode(pair.tokenizer, settings.prompt, settings.mode)
        request = Request(
            prompt=self.prompt_ids,
            sampling=settings.sampling,
            k=settings.k if k is None else k,
            seed=settings.seed,
            length=settings.length,
            end=text.end_tokens(pair.tokenizer),
        )
        self.decoder = Decoder(pair.target, pair.draft, request, store)
        self.cycles: list[Cycle] = []
        self.timings: list[CycleTiming] = []

    def __iter__(self) -> Iterator[Cycle]:
        try:
            while self.decoder.finish is None:
                cycle, timing = self.decoder.cycle()
                self.cycles.append(cycle)
                self.timings.append(timing)
                yield cycle
        finally:
            self.decoder.close()

    def pieces(self, tokens: set[int]) -> dict[int, Piece]:
        """The text of some tokens."""
        return text.pieces(self.pair.tokenizer, tokens)

    def trace(self) -> Trace:
        """The record of what has been done so far."""
        used = {token for cycle in self.cycles for token in tokens_of(cycle)}
        return Trace(
            settings=self.settings,
            arithmetic=self.pair.arithmetic,
            vocab_size=self.decoder.vocab_size,
            prompt_ids=self.prompt_ids,
            cycles=self.cycles,
            pieces=self.pieces(used | set(self.prompt_ids)),
            finish=self.decoder.finish or "stopped",
            timings=Timings(
                machine=machine(),
                recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
                prefill_ms=self.decoder.prefill_ms or 0.0,
                cycles=self.timings,
            ),
        )


def run(pair: Pair, settings: Settings, store: PassStore | None = None) -> Trace:
    """Run to the end at once."""
    whole = Run(pair, settings, store)
    for _ in whole:
        pass
    return whole.trace()
