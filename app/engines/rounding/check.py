"""Rounding or bug? Two greedy texts that should be equal, and are not.

Greedy decoding writes the target's likeliest token, with speculation or without. Where two engines
part, the target is asked what it thinks of the two tokens: it reads the prompt and both texts
(teacher forcing), in the precision the engines ran in. If the two logits lie closer together than
rounding moves them, the difference is a *near-tie*: it says nothing about the rule. If one token
lies further behind than rounding can carry it, something else chose it.

What rounding can do, the `reach`, is the larger of two numbers: twice the spacing of the precision
at the logits' magnitude (each of two logits, each off by up to half a spacing, in both engines),
and the largest change of a gap that was measured when the text's rows were scored one by one and in
blocks of k + 1. A token up to `FAR` times that behind is called doubtful: other hardware may round
more than this machine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from engines.rounding.found import FAR, Candidate, Rounding, Side, judge
from engines.rounding.scores import BothWays, Forced, Precision, both_ways, forced, in_precision
from engines.rounding.scores import spacing as spacing_of
from engines.rounding.texts import Texts, read_texts
from speculation.machine import machine
from speculation.models.language_model import LanguageModel
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.text import PromptRefused, end_tokens, piece

Mode = Literal["chat", "continue"]

SHOWN, NEAR = 6, 8.0  # likeliest tokens in the picture; how many times the reach behind at most


@dataclass(frozen=True)
class Step:
    """How far the work is, 0 to 1, in words, and at the end what was found."""

    done: float
    doing: str
    result: Rounding | None = None


@dataclass(frozen=True)
class RoundingCheck:
    """The question, as work for whoever has the models. The pair's target must be in float32.

    prompt, mode  as it was put to the engines: a chat message, or a text to be continued
    one, two      the two texts, or their token ids as a JSON list
    precision     in which the engines ran
    k             drafted tokens a cycle
    """

    prompt: str
    one: str
    two: str
    mode: Mode = "chat"
    precision: Precision = "bfloat16"
    k: int = 4
    gives_way: ClassVar[bool] = False

    def states(self, pair: Pair, store: PassStore | None = None) -> Iterator[Step]:
        """Do it. Raises PromptRefused, with the reason, for texts that cannot be compared."""
        yield Step(0.0, "Splitting the texts into tokens")
        texts = read_texts(pair, self.prompt, self.mode, self.one, self.two)
        if texts.one == texts.two:
            yield Step(1.0, "Done", self._identical(pair, texts))
            return
        yield Step(0.02, f"Rounding the weights to {self.precision}")
        target = in_precision(pair.target, self.precision)
        found = _Parts(pair, texts, target or pair.target, self)
        for done, doing in found.work():
            yield Step(0.05 + 0.95 * done, doing)
        yield Step(1.0, "Done", found.result(computed=target is not None))

    def _identical(self, pair: Pair, texts: Texts) -> Rounding:
        sides = [Side(tokens=len(x), written=texts.written) for x in (texts.one, texts.two)]
        return Rounding(
            verdict="identical",
            precision=self.precision,
            k=self.k,
            common=len(texts.one),
            one=sides[0],
            two=sides[1],
            notes=list(texts.notes),
            model=pair.target.name,
            digest=pair.arithmetic.target_digest,
        )


class _Parts:
    """The work in its order, and what it leaves."""

    both: BothWays
    exact: Any  # [V], the row in float32

    def __init__(
        self, pair: Pair, texts: Texts, target: LanguageModel, check: RoundingCheck
    ) -> None:
        self.pair, self.texts, self.target, self.check = pair, texts, target, check
        self.common = texts.common
        self.prefix = [*texts.prompt, *texts.one[: self.common]]
        self.forced: list[Forced] = []

    def work(self) -> Iterator[tuple[float, str]]:
        """-> share done, and what is being done."""
        texts, block = self.texts, self.check.k + 1
        parts = block + 4
        for i, text in enumerate((texts.one, texts.two)):
            yield i / parts, f"Reading text {'one' if i == 0 else 'two'}"
            self.forced.append(forced(self.target, texts.prompt, text))
        longer = max(texts.one, texts.two, key=len)
        for done, both in both_ways(self.target, self.prefix, block, longer[self.common :]):
            yield (2 + done) / parts, f"Scoring rows one by one and in blocks of {block}"
            if both is not None:
                self.both = both
        yield (parts - 1) / parts, "Scoring the place in float32"
        self.exact = self.pair.target.start().extend(self.prefix)[-1].astype(np.float64)

    def result(self, computed: bool) -> Rounding:
        """Put together what was measured."""
        plain, blocks = self.both.plain, self.both.blocks
        one, two = (self._token(x) for x in (self.texts.one, self.texts.two))
        top = float(plain.max())
        step = spacing_of(max(abs(plain[one]), abs(plain[two]), abs(top)), self.check.precision)
        reach = max(2.0 * step, self.both.moved if computed else 0.0)
        sides = [
            self._side(i, token, top - float(plain[token]), reach)
            for i, token in enumerate((one, two))
        ]
        gap = float(plain[one] - plain[two])
        result = Rounding(
            verdict="past-end"
            if self.texts.past_the_end
            else judge(sides[0], sides[1], self.common, reach),
            precision=self.check.precision,
            k=self.check.k,
            common=self.common,
            one=sides[0],
            two=sides[1],
            context=[piece(self.pair.tokenizer, x) for x in self.prefix[-12:]],
            gap=gap,
            gap_here=float(np.abs(blocks[:, one] - blocks[:, two] - gap).max()),
            gap32=float(self.exact[one] - self.exact[two]),
            spacing=step,
            moved=self.both.moved,
            rows=self.both.rows,
            reach=reach,
            flips=int((blocks.argmax(axis=1) != plain.argmax()).sum()),
            best=int(plain.argmax()),
            candidates=self._candidates(one, two, reach),
            computed=computed,
            notes=[*self.texts.notes, *self._doubts(sides)],
            model=self.pair.target.name,
            digest=self.pair.arithmetic.target_digest,
            machine=machine(),
        )
        return result

    def _token(self, text: Sequence[int]) -> int:
        """The text's token at the difference; of one that is over, the likelier end token."""
        if self.common < len(text):
            return text[self.common]
        ends = sorted(end_tokens(self.pair.tokenizer)) or [int(self.both.plain.argmin())]
        return max(ends, key=lambda token: float(self.both.plain[token]))

    def _side(self, i: int, token: int, behind: float, reach: float) -> Side:
        text = (self.texts.one, self.texts.two)[i]
        far = [int(x) for x in np.flatnonzero(self.forced[i].behind > FAR * reach)]
        return Side(
            tokens=len(text),
            token=token,
            piece=piece(self.pair.tokenizer, token),
            ended=self.common >= len(text),
            behind=behind,
            far=far,
            far_off=piece(self.pair.tokenizer, text[far[0]]) if far else "",
            written=self.texts.written,
        )

    def _candidates(self, one: int, two: int, reach: float) -> list[Candidate]:
        plain, blocks = self.both.plain, self.both.blocks
        best = np.argsort(-plain, kind="stable")[:SHOWN].tolist()
        # Tokens far behind would only squeeze the picture.
        lowest = plain.max() - max(NEAR * reach, 1.5 * (plain.max() - plain[[one, two]].min()))
        near = [token for i, token in enumerate(best) if i < 3 or plain[token] >= lowest]
        shown = dict.fromkeys([*near, one, two])
        return [
            Candidate(
                token=token,
                piece=piece(self.pair.tokenizer, token),
                plain=float(plain[token]),
                low=float(min(plain[token], blocks[:, token].min())),
                high=float(max(plain[token], blocks[:, token].max())),
                float32=float(self.exact[token]),
            )
            for token in sorted(shown, key=lambda token: -plain[token])
        ]

    def _doubts(self, sides: Sequence[Side]) -> list[str]:
        """Where the tokenizer may have split a text otherwise than the engine did."""
        for i, (name, side) in enumerate(zip(("one", "two"), sides, strict=True)):
            text = (self.texts.one, self.texts.two)[i]
            for place in [] if side.written else side.far:
                own, best = (
                    str(piece(self.pair.tokenizer, int(x)))
                    for x in (text[place], self.forced[i].best[place])
                )
                if own != best and (own.startswith(best) or best.startswith(own)):
                    return [
                        f"Text {name} may have been split into other tokens by its "
                        f"engine ({best!r} where the tokenizer has {own!r}): its ids would tell."
                    ]
        return []


def check(pair: Pair, question: RoundingCheck) -> Rounding:
    """Do it at once. Raises PromptRefused."""
    result = None
    for step in question.states(pair):
        result = step.result
    if result is None:  # a generator that ended early
        raise PromptRefused("the comparison did not finish")
    return result
