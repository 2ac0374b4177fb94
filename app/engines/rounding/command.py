"""Rounding or bug, from the command line.

    python -m engines rounding --prompt "..." --one plain.txt --two speculative.txt
    python -m engines rounding --prompt "..." --base-url http://a/v1 --other-url http://b/v1

Exit status: 0 the texts are equal, tied or cut; 1 not explained by rounding; 2 could not be said.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from engines.base import EngineUnavailable
from engines.rounding.check import RoundingCheck, Step
from engines.rounding.endpoints import EndpointsCheck
from engines.rounding.found import Rounding
from engines.rounding.scores import PRECISIONS
from engines.rounding.sentences import (
    HEADLINES,
    numbers_sentences,
    reach_sentence,
    verdict_sentence,
)
from speculation.models.language_model import ModelRefused
from speculation.pairs.pair import Pair
from speculation.pairs.weights import WeightsMissing
from speculation.settings import Settings, complaints
from speculation.text import PromptRefused

FINE = ("identical", "near-tie", "cut")
UNSAID = ("doubtful", "not-greedy")
REFUSALS = (EngineUnavailable, ModelRefused, PromptRefused, WeightsMissing, OSError, ValueError)


def add_rounding(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The subcommand's arguments."""
    one = verbs.add_parser(
        "rounding",
        help="two greedy texts differ: rounding, or a bug?",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument("--prompt", required=True, help="as both engines got it")
    one.add_argument("--mode", choices=("chat", "continue"), default="chat")
    one.add_argument(
        "--one", type=Path, metavar="FILE", help="text one, or its token ids as a list"
    )
    one.add_argument("--two", type=Path, metavar="FILE", help="text two")
    one.add_argument("--base-url", help="fetch text one from here: ADDRESS or ADDRESS|MODEL")
    one.add_argument("--other-url", help="fetch text two from this one")
    one.add_argument("--length", type=int, default=128, help="tokens to fetch (128)")
    one.add_argument("--precision", choices=PRECISIONS, default="bfloat16", help="of the engines")
    one.add_argument("--k", type=int, default=4, help="drafted tokens a cycle (4)")
    one.add_argument("--pair", help='target and draft, by name, or "hf:TARGET|TARGET"')
    one.add_argument("--json", type=Path, metavar="FILE", help="write what was found as JSON")


def run_rounding(options: argparse.Namespace, load: Callable[[Settings], Pair]) -> int:
    """Answer the question -> the exit status. The pair is always loaded in float32."""
    try:
        question = question_of(options)
        pair = load(Settings() if options.pair is None else Settings(pair=options.pair))
        found = _found(question, pair)
    except ValidationError as error:
        print("; ".join(f"{x}: {y}" for x, y in complaints(error).items()), file=sys.stderr)
        return 2
    except REFUSALS as error:
        print(error, file=sys.stderr)
        return 2
    print(as_text(found))
    if options.json is not None:
        options.json.write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return 0 if found.verdict in FINE else 2 if found.verdict in UNSAID else 1


def question_of(options: argparse.Namespace) -> RoundingCheck | EndpointsCheck:
    """The texts from files, or where to fetch them. Raises ValueError for neither, or both."""
    for name in ("k", "length"):
        if getattr(options, name) < 1:
            raise ValueError(f"{name} is {getattr(options, name)}: expected at least 1.")
    files, urls = (options.one, options.two), (options.base_url, options.other_url)
    how = {"mode": options.mode, "precision": options.precision, "k": options.k}
    if all(files) and not any(urls):
        one, two = (file.read_text(encoding="utf-8").removesuffix("\n") for file in files)
        return RoundingCheck(options.prompt, one, two, **how)
    if all(urls) and not any(files):
        return EndpointsCheck(options.prompt, *urls, length=options.length, **how)
    raise ValueError("Give two files (--one, --two), or two endpoints (--base-url, --other-url).")


def as_text(found: Rounding) -> str:
    """The verdict first, then the numbers."""
    lines = [HEADLINES[found.verdict], "", verdict_sentence(found)]
    if found.candidates:
        lines += ["", *(f"- {x}" for x in numbers_sentences(found)), reach_sentence(found)]
    return "\n".join([*lines, *(f"({note})" for note in found.notes)])


def _found(question: RoundingCheck | EndpointsCheck, pair: Pair) -> Rounding:
    result = None
    for step in question.states(pair):
        _show(step)
        result = step.result
    assert result is not None
    return result


def _show(step: Step) -> None:
    if sys.stderr.isatty():
        print(f"\r{step.done:4.0%} {step.doing:<60}", end="", file=sys.stderr, flush=True)
        if step.result is not None:
            print(file=sys.stderr)
