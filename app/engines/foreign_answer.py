"""The other end of `engines.foreign`: run one function of a file, for as long as it is asked.

    python foreign_answer.py FILE NAME '{"one by one": true, "ready": {"model": "..."}}'

It needs nothing but Python, since it runs by the interpreter of somebody else's environment. A line
of JSON in: {"prompt", "settings", "seeds"}. A line out: {"texts", "counts"} or {"error"}. What is
printed meanwhile goes to stderr, so that it does not end up between the answers.
"""

import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn


class NotAsAgreed(Exception):
    """The function is not there, or gave something that is no text."""


def main() -> None:
    file, name, told = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def say(what: dict[str, Any]) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    try:
        module = _loaded(file)
        decode = getattr(module, name, None)
        if not callable(decode):
            there_are = ", ".join(x for x, y in vars(module).items() if _own(module, y))
            raise NotAsAgreed(f"{file} has no function {name!r}. It has: {there_are or 'none'}.")
        if hasattr(module, "ready"):
            module.ready(told["ready"])
        say({"ready": True})
        for line in sys.stdin:
            asked = json.loads(line)
            texts = _texts(decode, asked, told["one by one"])
            say({"texts": texts, "counts": getattr(module, "COUNTS", {})})
    except NotAsAgreed as error:
        say({"error": str(error)})
    except BaseException as error:  # also sys.exit() of a function: it is said, not swallowed
        traceback.print_exc()
        say({"error": _said(error)})


def _loaded(file: str) -> Any:
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    spec = importlib.util.spec_from_file_location("driver", file)
    if spec is None or spec.loader is None:
        raise NotAsAgreed(f"{file} is no Python file: its name should end in .py.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _own(module: Any, value: Any) -> bool:
    return callable(value) and getattr(value, "__module__", "") == module.__name__


def _texts(decode: Callable[..., Any], asked: dict[str, Any], one_by_one: bool) -> list[list[int]]:
    prompt, settings, seeds = asked["prompt"], asked["settings"], asked["seeds"]
    if one_by_one:
        found = [decode(list(prompt), dict(settings), seed) for seed in seeds]
    else:
        found = decode(prompt, settings, seeds)
    return [_ids(text) for text in found]


def _ids(text: Any) -> list[int]:
    """The token ids of one text: of a list, an array or a tensor, as Python's own integers."""
    try:
        given = list(text)
    except TypeError:
        _refuse(text)
    ids = [x.item() if hasattr(x, "item") else x for x in given]
    if not all(isinstance(x, int) and not isinstance(x, bool) for x in ids):
        _refuse(text)
    return ids


def _refuse(text: Any) -> NoReturn:
    shown = repr(text)
    raise NotAsAgreed(
        f"The function gave {shown[:80]}{'...' if len(shown) > 80 else ''}, a "
        f"{type(text).__name__}: expected the new tokens as a list of whole numbers."
    )


def _said(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "?"
    return f"{type(error).__name__}: {str(error).strip()[:600]} (at {where})"


if __name__ == "__main__":
    main()
