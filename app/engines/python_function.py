"""A Python function as an engine: anybody's decoder, in anybody's environment.

    def decode(prompt, settings, seed):
        return [...]    # the new tokens, a list of ids

prompt    the prompt's token ids, a list
settings  a dict: temperature (0 is greedy), top_k (0 is off), top_p, min_p, length (new tokens at
          most), k (drafted tokens a cycle), end (ids that end a text; the one that came belongs to
          it), logit_bias, repetition_penalty, presence_penalty, stop; and what `--set` says, and in
          the conformance kit `target` and `draft`, the folders of its models
seed      a whole number: the same one is to give the same text, another one an independent one

If the file has a function `ready(options)`, it is called once before, with what `--set` says
and these folders. The file runs in a process of its own, by the interpreter that is named,
and imports nothing of this project: what it breaks, it breaks there.
"""

import hashlib
import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from engines.base import Capabilities, Continuation, Engine, EngineUnavailable, SampleRequest
from engines.foreign import PATIENCE, Foreign, ForeignError, told

ABILITIES = ("seed", "bias", "repetition", "presence", "end")
USUAL = "seed,end"
AT_ONCE = 16
"""Texts that are asked for in one line: few enough to stop soon."""


class PythonFunction(Engine):
    """One function of a file.

    where       FILE.py:NAME
    python      the interpreter that runs it; empty: this one
    options     what `ready` is told, and what is added to the settings
    vocabulary  the target's size: an id beyond it is refused; None: not known
    can         which of ABILITIES it has, with commas between them

    Raises EngineUnavailable, in words: no such file, function or interpreter, or code that fails.
    """

    name = "python"

    def __init__(
        self,
        where: str,
        python: str = "",
        options: Mapping[str, str] | None = None,
        vocabulary: int | None = None,
        can: str = USUAL,
        patience: float = PATIENCE,
    ) -> None:
        file, function = split(where)
        able = {word.strip() for word in can.split(",") if word.strip()}
        if unknown := able - set(ABILITIES):
            raise EngineUnavailable(
                f"A function's abilities are {', '.join(ABILITIES)}; not {sorted(unknown)[0]!r}."
            )
        self.options, self.vocabulary = dict(options or {}), vocabulary
        self.capabilities = Capabilities(
            seeded="seed" in able,
            logit_bias="bias" in able,
            repetition_penalty="repetition" in able,
            presence_penalty="presence" in able,
            end_tokens="end" in able,
            own_arithmetic=False,
        )
        self.about = {
            "function": where,
            "file's sha256": hashlib.sha256(file.read_bytes()).hexdigest()[:16],
            "python": python or sys.executable,
            **{f"set {name}": value for name, value in self.options.items()},
        }
        try:
            self._foreign = Foreign(
                Path(python or sys.executable), file, function, self.options, True, patience
            )
        except ForeignError as error:
            raise EngineUnavailable(f"{where}: {error}") from error

    def continuations(
        self, request: SampleRequest, numbers: Iterable[int]
    ) -> Iterator[Continuation]:
        """A few at a time, in order."""
        self.refuse(request)
        asked = told(request) | self.options
        waiting = iter(numbers)
        while group := list(islice(waiting, AT_ONCE)):
            given = (request.seed_of(number) for number in group)
            seeds = [secrets.randbits(31) if seed is None else seed for seed in given]
            try:
                texts = self._foreign.texts(request.prompt, asked, seeds)
            except ForeignError as error:
                raise EngineUnavailable(str(error)) from error
            for number, tokens in zip(group, texts, strict=True):
                self._check(request, tokens)
                ended = bool(tokens) and tokens[-1] in request.end
                yield Continuation(number, tokens, "end" if ended else "length")

    def close(self) -> None:
        self._foreign.close()

    def _check(self, request: SampleRequest, tokens: tuple[int, ...]) -> None:
        """What is no text at all is no deviation of a distribution: it is said at once."""
        if not tokens:
            raise EngineUnavailable("The function gave a text without tokens: expected at least 1.")
        if len(tokens) > request.length:
            whole = tokens[: len(request.prompt)] == request.prompt
            hint = " It begins with the prompt: only new tokens are expected." if whole else ""
            raise EngineUnavailable(
                f"The function gave {len(tokens)} tokens, asked for {request.length} at most.{hint}"
            )
        size = self.vocabulary
        if size is not None and (bad := [x for x in tokens if not 0 <= x < size]):
            raise EngineUnavailable(
                f"The function gave the token {bad[0]}: the target's ids are 0 to {size - 1}."
            )


def split(where: str) -> tuple[Path, str]:
    """FILE.py:NAME -> the file, which is there, and the name. Raises EngineUnavailable."""
    name, colon, function = where.rpartition(":")
    if not colon or not function.isidentifier():
        raise EngineUnavailable(f"The function is {where!r}: expected FILE.py:NAME.")
    file = Path(name)
    if not file.is_file():
        raise EngineUnavailable(f"There is no file {name}: it should hold the function {function}.")
    return file.resolve(), function


def pairs_of(text: str) -> dict[str, str]:
    """What `--set` says. Raises EngineUnavailable.

    >>> pairs_of("device=cpu, draft=/models/small")
    {'device': 'cpu', 'draft': '/models/small'}
    """
    found = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise EngineUnavailable(f"--set has {part!r}: expected name=value.")
        found[name.strip()] = value.strip()
    return found
