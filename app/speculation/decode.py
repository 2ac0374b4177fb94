"""Speculative decoding, one cycle at a time.

A cycle drafts k tokens with the draft model, reads them all in one pass of the target, lets the
rule decide, and commits n + 1 tokens. `decode` is a generator of cycles: whoever iterates can stop
between two of them, and go on later.

Rolling back, for a text of L tokens of which the last has not been read yet: after a cycle that
accepted n of k, the target has read L - 1 + k + 1 tokens and keeps L + n; the draft has read
L + k - 1 (its last proposal was drawn, not read) and keeps min(L + n, L + k - 1). So after a full
acceptance the draft is one token behind, and reads two at the next cycle's first step.

Plain decoding is the case k = 0: no draft, one row a pass, every token a bonus.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from speculation import dice
from speculation.cycle_records import positions_of, replacement_of
from speculation.dice import Purpose
from speculation.models.language_model import LanguageModel, over_vocabulary
from speculation.models.passes import PassStore, Reader
from speculation.rule import Law, count_accepted, verify
from speculation.sampling import Sampling, law
from speculation.text import PromptRefused
from speculation.trace import Cycle, CycleTiming

Finish = Literal["end", "length"]


@dataclass(frozen=True)
class Request:
    """What to decode: the text so far, how to sample, and when to stop.

    prompt  token ids, at least one
    k       draft length; 0 is plain decoding
    length  how many tokens to generate at most
    end     tokens that end the text
    """

    prompt: Sequence[int]
    sampling: Sampling
    k: int
    seed: int
    length: int
    end: frozenset[int] = frozenset()


class Decoder:
    """One run: iterate to get its cycles.

    >>> cycles = [cycle for cycle, timing in Decoder(target, draft, request)]  # doctest: +SKIP

    finish      why the text ended; None while it goes on
    generated   the committed tokens so far
    prefill_ms  the time both models took to read the prompt
    """

    def __init__(
        self,
        target: LanguageModel,
        draft: LanguageModel,
        request: Request,
        store: PassStore | None = None,
    ) -> None:
        refuse_if_too_long(request, target, draft)
        store = store or PassStore()
        self.request = request
        self.generated: list[int] = []
        self.finish: Finish | None = None
        self.prefill_ms: float | None = None
        self.vocab_size = max(target.vocab_size, draft.vocab_size)
        self._target = Reader(target, store)
        self._draft = Reader(draft, store)
        self._cycles = 0

    def __iter__(self) -> Iterator[tuple[Cycle, CycleTiming]]:
        while self.finish is None:
            yield self.cycle()
        self.close()

    def close(self) -> None:
        """Leave both texts to the store, for a later run to start from."""
        self._target.leave()
        self._draft.leave()

    def cycle(self) -> tuple[Cycle, CycleTiming]:
        """Run one cycle, commit what it decided, and say where the time went."""
        if self.prefill_ms is None:
            self._prefill()
        readers = (self._draft, self._target)
        before = [(reader.seconds, reader.calls, reader.asked) for reader in readers]
        began = time.perf_counter()
        cycle = self._cycle()
        total = time.perf_counter() - began
        spent, calls, asked = zip(
            *(
                (reader.seconds - s, reader.calls - c, reader.asked - a)
                for reader, (s, c, a) in zip(readers, before, strict=True)
            ),
            strict=True,
        )
        timing = CycleTiming(
            draft_ms=1000 * spent[0],
            target_ms=1000 * spent[1],
            total_ms=1000 * total,
            reused=calls != asked,
        )
        return cycle, timing

    def _cycle(self) -> Cycle:
        text = [*self.request.prompt, *self.generated]
        start = len(self.generated)
        drafted, draft_probs = self._propose(text, start)
        k = len(drafted)
        target_probs = self._read_by_target(text, drafted)
        uniforms = [self._uniform(Purpose.ACCEPT, start + i) for i in range(k)]
        n = count_accepted(target_probs, draft_probs, drafted, uniforms)
        u = self._uniform(Purpose.REPLACE, start + n)
        verification = verify(target_probs, draft_probs, drafted, uniforms, u)
        self._target.crop(len(text) + n)
        self._draft.crop(min(len(text) + n, self._draft.length))

        ended = n == k > 0 and drafted[-1] in self.request.end
        decided = drafted[:n] if ended else [*drafted[:n], verification.replacement]
        committed = self._commit(decided)
        self._cycles += 1
        return Cycle(
            index=self._cycles - 1,
            start=start,
            drafted=positions_of(start, drafted, uniforms, target_probs, draft_probs, verification),
            n_accepted=n,
            replacement=None if ended else replacement_of(start, u, target_probs, verification),
            committed=committed,
            cut="length" if len(committed) < len(decided) else "end" if ended else None,
        )

    def _commit(self, decided: list[int]) -> list[int]:
        """Add tokens to the text, as far as its length allows, and see whether it has ended."""
        committed = decided[: self.request.length - len(self.generated)]
        self.generated.extend(committed)
        if committed[-1] in self.request.end:
            self.finish = "end"
        elif len(self.generated) == self.request.length:
            self.finish = "length"
        return committed

    def _prefill(self) -> None:
        """Let both models read the prompt, all but its last token, which the first cycle feeds."""
        began = time.perf_counter()
        if len(self.request.prompt) > 1:
            self._target.extend(self.request.prompt[:-1])
            if self.request.k:
                self._draft.extend(self.request.prompt[:-1])
        self.prefill_ms = 1000 * (time.perf_counter() - began)

    def _propose(self, text: list[int], start: int) -> tuple[list[int], Law]:
        """Draft up to k tokens one by one -> the tokens, and the laws they were drawn from [k, V].

        Fewer than k when the draft has nothing to propose, or has just proposed an end of text:
        what would be drafted after it could never be committed.
        """
        drafted: list[int] = []
        probs = np.zeros((self.request.k, self.vocab_size))
        unread = text[self._draft.length :]
        for i in range(self.request.k):
            logits = self._draft.extend(unread)[-1]
            if logits.max() == -np.inf:
                break
            short = law(logits, self.request.sampling)
            token = dice.draw(short, self._uniform(Purpose.DRAFT, start + i))
            support = self._draft.model.support
            if support is None:
                probs[i, : len(short)] = short
            else:  # its order is that of the ids, so the draw is the same
                token = int(support[token])
                probs[i, support] = short
            drafted.append(token)
            unread = [token]
            if token in self.request.end:
                break
        return drafted, probs[: len(drafted)]

    def _read_by_target(self, text: list[int], drafted: list[int]) -> Law:
        """One target pass over the drafts -> its law at each and after the last, [k+1, V]."""
        rows = len(drafted) + 1
        logits = self._target.extend([*text[self._target.length :], *drafted], rows)
        laws, support = law(logits, self.request.sampling), self._target.model.support
        return over_vocabulary(laws, support, self.vocab_size, missing=0.0)

    def _uniform(self, purpose: Purpose, position: int) -> float:
        return dice.uniform(self.request.seed, purpose, position)


def refuse_if_too_long(request: Request, *models: LanguageModel) -> None:
    """Raise PromptRefused if a model cannot read the prompt and what may follow it."""
    needed = len(request.prompt) + request.length + request.k
    for model in models:
        if needed > model.max_length:
            raise PromptRefused(
                f"{model.name} reads at most {model.max_length} tokens; the prompt has "
                f"{len(request.prompt)}, and {request.length} more are to be written with "
                f"{request.k} drafted ahead"
            )
