"""Decoding by another scheme: the same cycle, with a scheme's hooks in place of the exact rule.

`decode.Decoder` is what the project is about and stays free of this. Here are the hooks, and what
some broken schemes do to the bookkeeping: a draft that never reads the bonus, or drafts that are
kept behind a rejection.
"""

from collections.abc import Sequence

import numpy as np

from speculation import dice
from speculation.cycle_records import positions_of, replacement_of
from speculation.decode import Decoder, Request
from speculation.dice import Purpose
from speculation.models.language_model import LanguageModel, over_vocabulary
from speculation.models.passes import PassStore
from speculation.rule import Law, overlap
from speculation.schemes import Addressed, Block, Ruling, Scheme, Turn, draft_block
from speculation.trace import Cycle, Position, make_table


class SchemeDecoder(Decoder):
    """One run by `scheme`; iterate to get its cycles."""

    def __init__(
        self,
        target: LanguageModel,
        draft: LanguageModel,
        request: Request,
        scheme: Scheme,
        store: PassStore | None = None,
    ) -> None:
        super().__init__(target, draft, request, store)
        self.scheme = scheme
        self._beyond: Law | None = None  # the draft's law after its last draft, if asked for
        self._forgotten = 0  # tokens of the text that a forgetful draft has never read
        self._later: list[Position] = []  # drafts to be kept behind a replacement, wrongly

    def _cycle(self) -> Cycle:
        if self._later:
            return self._keep_later()
        text = [*self.request.prompt, *self.generated]
        start = len(self.generated)
        drafted, draft_probs = self._propose(text, start)
        k = len(drafted)
        target_probs = self._read_by_target(text, drafted)
        block = Block(target_probs, draft_probs, drafted, self._beyond)
        turn = self._turn(start)
        ruling = self.scheme.verify(block, turn)
        n = ruling.n_accepted
        source = Purpose.REPLACE if n == k else self.scheme.replaces_with
        places = [(Purpose.ACCEPT, i) for i in range(k)] + [(source, n)]
        *uniforms, u = (dice.uniform(self.request.seed, *turn.address(*x)) for x in places)

        decided = self.scheme.commit(drafted, ruling, self.request.end)
        ended = len(decided) == n and decided[-1] in self.request.end
        # The last token of the text stays unread, also where a scheme ends a cycle with a draft.
        kept = n if ended or len(decided) > n else n - 1
        self._target.crop(len(text) + kept)
        self._draft.crop(min(len(text) + kept - self._forgotten, self._draft.length))
        positions = self._positions(start, uniforms, block, ruling)
        replaced = None
        if len(decided) > n:
            replaced = replacement_of(start, u, target_probs, ruling)
            if ruling.drawn_from is not None:
                r = float(ruling.drawn_from[ruling.replacement])
                replaced = replaced.model_copy(update={"r": r})
        committed = self._commit(decided[: n + 1])
        self._later = [] if self.finish else positions[n + 1 : len(decided)]
        self._cycles += 1
        return Cycle(
            index=self._cycles - 1,
            start=start,
            drafted=positions,
            n_accepted=n,
            replacement=replaced,
            committed=committed,
            cut="length" if len(committed) < len(decided[: n + 1]) else "end" if ended else None,
        )

    def _positions(
        self, start: int, uniforms: list[float], block: Block, ruling: Ruling
    ) -> list[Position]:
        """The usual records, with this scheme's own chance of acceptance.

        A later draft that is kept counts as checked: it has a table, for the cycle of its own.
        """
        p, q = block.target_probs, block.draft_probs
        records = positions_of(start, block.drafted, uniforms, p, q, ruling)
        for i, x in enumerate(records):
            update: dict[str, object] = {"a": float(self.scheme.chance(p[i], q[i])[x.token])}
            if ruling.n_accepted < i <= ruling.n_accepted + len(ruling.later):
                update["overlap"] = float(overlap(p[i], q[i]))
                update["table"] = make_table(p[i], q[i], [x.token])
            records[i] = x.model_copy(update=update)
        return records

    def _keep_later(self) -> Cycle:
        """Drafts that a broken scheme keeps behind a replacement, as a cycle of their own."""
        start, decided = len(self.generated), [x.token for x in self._later]
        kept = [x.model_copy(update={"verdict": "accepted"}) for x in self._later]
        committed = self._commit(decided)
        self._later = []
        self._cycles += 1
        return Cycle(
            index=self._cycles - 1,
            start=start,
            drafted=kept,
            n_accepted=len(kept),
            replacement=None,
            committed=committed,
            cut="length" if len(committed) < len(decided) else None,
        )

    def _propose(self, text: list[int], start: int) -> tuple[list[int], Law]:
        unread = text[self._draft.length + self._forgotten :]
        if self.scheme.forgets_last and self._cycles:
            self._forgotten += len(unread) - 1
            unread = unread[-1:]
        turn = self._turn(start)
        drafts = draft_block(self.scheme, self.request, self._draft_scores, unread, turn)
        self._beyond = drafts.beyond
        return drafts.tokens, drafts.laws.reshape(-1, self.vocab_size)

    def _draft_scores(self, tokens: Sequence[int]) -> Law:
        """The draft's scores for the next token over the whole vocabulary, [V]."""
        short = self._draft.extend(tokens)[-1].astype(np.float64)
        return over_vocabulary(short, self._draft.model.support, self.vocab_size)

    def _read_by_target(self, text: list[int], drafted: list[int]) -> Law:
        logits = self._target.extend([*text[self._target.length :], *drafted], len(drafted) + 1)
        laws = self.scheme.target_laws(logits, self.request.sampling)
        return over_vocabulary(laws, self._target.model.support, self.vocab_size, missing=0.0)

    def _turn(self, start: int) -> Turn:
        """The numbers of the current cycle."""
        return Turn(Addressed(self.request.seed), start, self.scheme.reads_later)
