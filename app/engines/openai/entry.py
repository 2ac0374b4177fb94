"""How the endpoint engine is made from options: on the command line and on the page."""

from collections.abc import Mapping
from typing import cast

from engines.base import EngineUnavailable
from engines.openai.answers import END_OF_BYTES
from engines.openai.client import Patience
from engines.openai.engine import How, OpenAI
from speculation.pairs.pair import Pair


def endpoint(options: Mapping[str, str], pair: Pair | None) -> OpenAI:
    """The endpoint under test. Raises EngineUnavailable."""
    if not options["base-url"]:
        raise EngineUnavailable("Give the server's address: --base-url http://host:8000/v1.")
    return _made(options, options["base-url"], options["model"], pair)


def baseline(options: Mapping[str, str], pair: Pair | None) -> OpenAI | None:
    """The endpoint without speculation, if an address or a model is named for it."""
    if not options["baseline-url"] and not options["baseline-model"]:
        return None
    address = options["baseline-url"] or options["base-url"]
    return _made(options, address, options["baseline-model"], pair)


def byte_tokens(prompt: str) -> tuple[tuple[int, ...], frozenset[int]]:
    """Prompt and end where no tokenizer is at hand: bytes, and one number past them for the end.

    The prompt is sent as it stands, without a chat template.
    """
    if not prompt:
        raise EngineUnavailable("The prompt is empty.")
    return tuple(prompt.encode()), frozenset({END_OF_BYTES})


def _made(options: Mapping[str, str], address: str, model: str, pair: Pair | None) -> OpenAI:
    patience = Patience(
        timeout=_number(options, "timeout", least=0.1),
        tries=int(_number(options, "tries", least=1)),
        rate=_number(options, "rate", least=0),
        parallel=int(_number(options, "parallel", least=1)),
    )
    return OpenAI(
        address,
        model,
        tokenizer=None if pair is None else pair.tokenizer,
        can=options["can"],
        tokens=cast(How, options["tokens"]),
        patience=patience,
        batch=int(_number(options, "batch", least=1)),
    )


def _number(options: Mapping[str, str], name: str, least: float) -> float:
    try:
        value = float(options[name])
    except ValueError:
        value = float("nan")
    if not least <= value <= 1e6:
        raise EngineUnavailable(f"--{name} is {options[name]!r}: expected {least:g} or more.")
    return value
