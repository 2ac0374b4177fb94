"""The engines there are, by name, and the options of each: for the command line and for a page.

A new engine is one `Entry` in `ENTRIES`. Its module is imported when it is built, not before.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engines.base import Engine, EngineUnavailable
from speculation.pairs.pair import Pair

Build = Callable[[Mapping[str, str], Pair | None], Engine]
Tokens = Callable[[Mapping[str, str], str, str], tuple[tuple[int, ...], frozenset[int]]]


@dataclass(frozen=True)
class Option:
    """One option of an engine: `--name VALUE` on the command line.

    choices  the values there are, if they can be listed
    """

    name: str
    help: str
    default: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One engine: how it is called, what it can be told, and how it is made.

    build       options, pair -> the engine; raises EngineUnavailable
    needs_pair  whether it runs the pair's own models. One that does not can be audited without the
                target at hand: then nothing is known of the law, and `baseline` is compared with
    tokens      options, prompt, mode ("chat" or "continue") -> the prompt's tokens and those that
                end a text, for an engine that is audited without the pair
    baseline    options, pair -> a second engine, known to be plain, whose texts are compared with
                this one's; None if the options name none
    """

    name: str
    about: str
    options: tuple[Option, ...]
    build: Build
    needs_pair: bool = True
    tokens: Tokens | None = None
    baseline: Callable[[Mapping[str, str], Pair | None], Engine | None] | None = None

    def complete(self, options: Mapping[str, str]) -> dict[str, str]:
        """The options with defaults filled in; EngineUnavailable names one that is not known."""
        known = {option.name: option for option in self.options}
        for name, value in options.items():
            if name not in known:
                raise EngineUnavailable(f"The engine {self.name!r} has no option {name!r}.")
            if known[name].choices and value not in known[name].choices:
                there_are = ", ".join(known[name].choices)
                raise EngineUnavailable(
                    f"{name} is {value!r}; the engine {self.name!r} knows: {there_are}."
                )
        return {option.name: options.get(option.name, option.default) for option in self.options}


def _own(options: Mapping[str, str], pair: Pair | None) -> Engine:
    from engines.own import Own

    return Own(_needed(pair), options["rule"])


def _transformers(options: Mapping[str, str], pair: Pair | None) -> Engine:
    from engines.transformers_engine import TransformersEngine

    return TransformersEngine(_needed(pair), options["variant"])


def _endpoint(options: Mapping[str, str], pair: Pair | None) -> Engine:
    from engines.openai.entry import endpoint

    return endpoint(options, pair)


def _endpoint_baseline(options: Mapping[str, str], pair: Pair | None) -> Engine | None:
    from engines.openai.entry import baseline

    return baseline(options, pair)


def _endpoint_tokens(
    options: Mapping[str, str], prompt: str, mode: str
) -> tuple[tuple[int, ...], frozenset[int]]:
    from engines.openai.entry import byte_tokens

    return byte_tokens(prompt)


def _function(options: Mapping[str, str], pair: Pair | None) -> Engine:
    from engines.python_function import PythonFunction, pairs_of

    if not options["function"]:
        raise EngineUnavailable("Name the function: --function FILE.py:NAME.")
    try:
        patience = float(options["timeout"])
    except ValueError:
        raise EngineUnavailable(f"--timeout is {options['timeout']!r}: expected seconds.") from None
    return PythonFunction(
        options["function"],
        options["python"],
        pairs_of(options["set"]),
        _needed(pair).target.vocab_size,
        options["can"],
        patience,
    )


def _needed(pair: Pair | None) -> Pair:
    if pair is None:
        raise EngineUnavailable("This engine runs the pair's own models, and there is no pair.")
    return pair


ENGINE_PRECISION = Option(
    "engine-precision",
    "what it computes in: says which gaps are ties; unknown: read off the probabilities it reports",
    "unknown",
    ("unknown", "float32", "float16", "bfloat16", "q8", "q4"),
)

ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "own",
            "this project's decoder, by the exact rule or another",
            (Option("rule", "the scheme to decode by: exact, or one that is broken", "exact"),),
            _own,
        ),
        Entry(
            "transformers",
            "generate() of the installed transformers, on the same pair",
            (
                Option(
                    "variant",
                    "assisted, sampling (plain: the control), lookup, confidence, early-exit, "
                    "or ensemble (biased by design)",
                    "assisted",
                ),
            ),
            _transformers,
        ),
        Entry(
            "python",
            "a Python function: decode(prompt ids, settings, seed) -> new ids",
            (
                Option("function", "where it is, FILE.py:NAME"),
                Option("python", "the interpreter of its environment; empty: this one"),
                Option("set", "name=value, with commas: what its ready() and settings are told"),
                Option("can", "of seed, bias, repetition, presence, end", "seed,end"),
                ENGINE_PRECISION,
                Option("timeout", "seconds to load, or for sixteen texts", "180"),
            ),
            _function,
        ),
        Entry(
            "openai",
            "a server with the OpenAI API for completions (vLLM, SGLang, llama.cpp's server)",
            (
                Option("base-url", "its address, http://host:8000/v1"),
                Option("model", "its model; empty: the only one it has"),
                Option("baseline-url", "a second address, without speculation, to compare with"),
                Option("baseline-model", "the model there, or another model at the same address"),
                Option("tokens", "how texts become tokens", "auto", ("auto", "ids", "text")),
                Option(
                    "can", "of seed, bias, repetition, presence, end, stop", "bias,presence,stop"
                ),
                ENGINE_PRECISION,
                Option("parallel", "requests in work at once", "4"),
                Option("batch", "texts a request, where none has a seed", "1"),
                Option("rate", "requests a second at most; 0: no limit", "0"),
                Option("timeout", "seconds for one answer", "120"),
                Option("tries", "how often a request is made before giving up", "5"),
            ),
            _endpoint,
            needs_pair=False,
            tokens=_endpoint_tokens,
            baseline=_endpoint_baseline,
        ),
    )
}
"""Every engine by its name."""
