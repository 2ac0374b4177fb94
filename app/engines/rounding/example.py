"""Two worked examples of "Rounding or bug?", recorded: python -m engines.rounding.example.

The shipped pair writes the default prompt greedily in bfloat16: plainly, with speculation, and with
a rule that accepts every draft. The first two texts part at a near-tie, the last one does not.
Writes assets/measurements/rounding_example.json.
"""

from datetime import UTC, datetime
from functools import lru_cache

import torch
from pydantic import BaseModel, ConfigDict

from engines.base import SampleRequest
from engines.own import Own
from engines.rounding.check import RoundingCheck, check
from engines.rounding.found import Rounding
from engines.rounding.scores import Precision
from environment import environment
from recordings.presets import presets
from speculation.pairs.assets import ASSETS
from speculation.pairs.pair import Pair
from speculation.pairs.shelf import Shelf
from speculation.run import Run
from speculation.settings import Settings
from speculation.text import encode, end_tokens, join, pieces

FILE = ASSETS / "measurements" / "rounding_example.json"
PRECISION: Precision = "bfloat16"
LENGTH, K = 40, 4
BROKEN = "accept-everything"


class Example(BaseModel):
    """One question and its answer.

    title     what the two texts are
    one, two  as a person reads them
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    prompt: str
    one: str
    two: str
    recorded_at: str
    found: Rounding


class Examples(BaseModel):
    """The file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    examples: list[Example]


@lru_cache(maxsize=1)
def rounding_examples() -> tuple[Example, ...]:
    """What was recorded; empty if the file is missing."""
    if not FILE.exists():
        return ()
    return tuple(Examples.model_validate_json(FILE.read_bytes()).examples)


def record(exact: Pair, coarse: Pair, settings: Settings) -> Examples:
    """Write the texts with the pair in `PRECISION`, and ask with the pair in float32."""
    prompt = encode(coarse.tokenizer, settings.prompt, settings.mode)
    plain = Run(coarse, settings, k=0)
    tokens = [x for cycle in plain for x in cycle.committed]
    request = SampleRequest(
        tuple(prompt), settings.sampling, settings.length, end_tokens(coarse.tokenizer), k=K, seed=1
    )
    titles = {
        "exact": "Plain and speculative",
        BROKEN: "Plain, and a rule that accepts every draft",
    }
    found = []
    for rule, title in titles.items():
        [other] = Own(coarse, rule).continuations(request, [0])
        question = RoundingCheck(
            settings.prompt,
            one=str(tokens),
            two=str(list(other.tokens)),
            mode=settings.mode,
            precision=PRECISION,
            k=K,
        )
        found.append(
            Example(
                title=title,
                prompt=settings.prompt,
                one=_read(coarse, tokens),
                two=_read(coarse, other.tokens),
                recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
                found=check(exact, question),
            )
        )
    return Examples(examples=found)


def _read(pair: Pair, tokens: list[int] | tuple[int, ...]) -> str:
    known = pieces(pair.tokenizer, tokens)
    return join(known[x] for x in tokens)


def main() -> None:
    """Record and write."""
    env = environment()
    torch.set_num_threads(env.threads or torch.get_num_threads())
    shelf = Shelf(env.cache_dir, env.device)
    preset = presets()[0].settings
    settings = preset.model_copy(
        update={"temperature": 0.0, "precision": PRECISION, "length": LENGTH, "k": K}
    )
    exact = shelf.pair(settings.pair, "float32")
    found = record(exact, shelf.pair(settings.pair, PRECISION), settings)
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    for example in found.examples:
        print(f"{example.title}: {example.found.verdict} after {example.found.common} tokens")
    print(f"wrote {FILE}")


if __name__ == "__main__":
    main()
