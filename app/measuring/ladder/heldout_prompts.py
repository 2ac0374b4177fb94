"""The held-out prompts that every measured number is on: other topics and other templates than any
that a draft was trained with.

They are kept by kind in `assets/measurements/heldout.json`; the kinds that are measured are those
named here.
"""

import json
import random
from collections.abc import Callable, Iterable
from typing import Any

from speculation.pairs.assets import ASSETS

FILE = ASSETS / "measurements" / "heldout.json"
KINDS = ("code", "quote", "list", "story", "question")
STRIDE = 7  # successive prompts of a kind differ in template and in topic


def heldout_prompts(count: int) -> dict[str, list[str]]:
    """The first `count` prompts of every kind, each with another template and another topic."""
    return _of_kinds(_prompts, KINDS, count)


def many_prompts(count: int) -> dict[str, list[str]]:
    """So many prompts of every kind, drawn from all templates with all topics, by a fixed seed."""
    return _of_kinds(_many, KINDS, count)


def openings(count: int) -> list[str]:
    """Beginnings of texts that are to be continued as they stand."""
    return _of_kinds(_prompts, ("continuation",), count)["continuation"]


def _of_kinds(
    made: Callable[[dict[str, Any], list[str], int], list[str]], kinds: Iterable[str], count: int
) -> dict[str, list[str]]:
    found = json.loads(FILE.read_text(encoding="utf-8"))
    return {kind: made(found["kinds"][kind], found["topics"], count) for kind in kinds}


def _prompts(kind: dict[str, Any], topics: list[str], count: int) -> list[str]:
    templates, about = kind["templates"], kind.get("topics", topics)
    return [
        templates[i % len(templates)].format(topic=about[(STRIDE * i + 3) % len(about)])
        for i in range(count)
    ]


def _many(kind: dict[str, Any], topics: list[str], count: int) -> list[str]:
    about = kind.get("topics", topics)
    every = [template.format(topic=topic) for template in kind["templates"] for topic in about]
    return random.Random(0).sample(every, count)
