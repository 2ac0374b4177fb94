"""A decode function in another interpreter, asked over a pipe."""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engines.base import SampleRequest

ANSWER = Path(__file__).with_name("foreign_answer.py")
PATIENCE = 180.0
"""Seconds that an engine may take to load, or for one answer."""


class ForeignError(RuntimeError):
    """The engine failed; the message is its own."""


class Foreign:
    """One function of a file, running in an environment of its own until closed.

    one_by_one  the function takes one seed and gives one text; else a list of each
    patience    seconds that it may take to load, or for one answer
    counts      what the file counted so far in COUNTS, if it does: texts, drafted, accepted tokens

    Raises ForeignError: no such interpreter, file or function, or one that fails as it is loaded.
    """

    def __init__(
        self,
        python: Path,
        file: Path,
        function: str,
        options: Mapping[str, str],
        one_by_one: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        self.counts: dict[str, int] = {}
        self._patience = patience
        told = json.dumps({"one by one": one_by_one, "ready": dict(options)})
        command = [str(python), str(ANSWER), str(file), function, told]
        quiet = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**os.environ, **quiet}, text=True, bufsize=1, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise ForeignError(f"{python} does not run: {error.strerror}.") from error
        assert self._process.stderr is not None
        os.set_blocking(self._process.stderr.fileno(), False)
        self._hear()

    def texts(
        self, prompt: Sequence[int], settings: Mapping[str, Any], seeds: Sequence[int]
    ) -> list[tuple[int, ...]]:
        """One text a seed. Raises ForeignError."""
        assert self._process.stdin is not None
        asked = {"prompt": list(prompt), "settings": dict(settings), "seeds": list(seeds)}
        try:
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise ForeignError(f"The engine went away. {self._complaints()}") from None
        answer = self._hear()
        self.counts = answer["counts"]
        return [tuple(text) for text in answer["texts"]]

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        until = time.monotonic() + self._patience
        with selectors.DefaultSelector() as wait:
            wait.register(self._process.stdout, selectors.EVENT_READ)
            while not wait.select(1.0):
                self._complaints()
                if time.monotonic() > until:
                    self.close()
                    raise ForeignError(f"No answer within {self._patience:.0f} seconds.")
        line = self._process.stdout.readline()
        if not line:
            status = self._process.wait()
            raise ForeignError(f"The engine ended with status {status}. {self._complaints()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise ForeignError(answer["error"])
        return answer

    def _complaints(self) -> str:
        """The last line that it wrote to stderr; reading it also keeps the pipe from filling."""
        assert self._process.stderr is not None
        try:
            lines = (self._process.stderr.read() or "").strip().splitlines()
        except (TypeError, ValueError, OSError):
            lines = []
        return lines[-1][:300] if lines else ""

    def close(self) -> None:
        """End it, and what it started: both are in a session of their own."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def told(request: SampleRequest) -> dict[str, Any]:
    """The request as a function of another process gets it: names and numbers, ready for JSON.

    >>> from speculation.sampling import Sampling
    >>> told(SampleRequest((1, 2), Sampling(top_k=8), length=4, end=frozenset({9})))["top_k"]
    8
    """
    s = request.sampling
    return {
        "temperature": s.temperature,
        "top_k": s.top_k,
        "top_p": s.top_p,
        "min_p": s.min_p,
        "length": request.length,
        "k": request.k,
        "end": sorted(request.end),
        "logit_bias": [list(x) for x in request.logit_bias],
        "repetition_penalty": request.repetition_penalty,
        "presence_penalty": request.presence_penalty,
        "stop": list(request.stop),
    }
