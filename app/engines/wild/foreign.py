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

ANSWER = Path(__file__).parent / "drivers" / "answer.py"
PATIENCE = 180.0
"""Seconds that an engine may take to load, or for one answer."""


class ForeignError(RuntimeError):
    """The engine failed; the message is its own."""


class Foreign:
    """One function of a driver, running in its engine's environment until closed.

    counts  what the driver counted so far, if it counts: texts, drafted and accepted tokens
    """

    def __init__(
        self, python: Path, driver: Path, function: str, options: Mapping[str, str]
    ) -> None:
        self.counts: dict[str, int] = {}
        command = [str(python), str(ANSWER), str(driver), function, json.dumps(dict(options))]
        quiet = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **quiet}, text=True, bufsize=1, start_new_session=True,
        )  # fmt: skip
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
        until = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as wait:
            wait.register(self._process.stdout, selectors.EVENT_READ)
            while not wait.select(1.0):
                self._complaints()
                if time.monotonic() > until:
                    self.close()
                    raise ForeignError(f"No answer within {PATIENCE:.0f} seconds.")
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
