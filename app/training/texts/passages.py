"""Passages of prose from what the target wrote, to be quoted in the prompts of further texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from training.texts.prompts import Prompts
from training.texts.sample import Texts

PLAIN = re.compile(r"[A-Za-z0-9 ,.;:!?'\"()%$-]+")  # a line of prose, without markup
SENTENCE = re.compile(r"[A-Z][^.!?]{25,160}[.!?](?=\s|$)")
CUT = re.compile(r"<\|[^|]*\|>|\n+")  # lines, and the marks around a turn
LENGTHS = range(140, 361)  # characters


def cut_passages(text: str, rng: np.random.Generator) -> Iterator[str]:
    """Runs of two to four neighboring sentences of a text, none of them twice."""
    for line in CUT.split(text):
        if not PLAIN.fullmatch(line.strip()):
            continue
        sentences = SENTENCE.findall(line)
        size = int(rng.integers(2, 5))
        for start in range(0, len(sentences) - 1, size):
            passage = " ".join(sentences[start : start + size])
            if passage in line and len(passage) in LENGTHS:
                yield passage


def own_passages(
    shards: Iterable[Texts], prompts: Prompts, tokenizer: Any, seed: int = 0
) -> list[str]:
    """Every passage of prose in the samples, shuffled; quotations and code are left out."""
    rng = np.random.default_rng(seed)
    left_out = {"quote", "code", "code continuation"}
    found: set[str] = set()
    for texts in shards:
        for row, kind in enumerate(texts.kind):
            if texts.temperature[row] < 0.7 or prompts.kinds[kind] in left_out:
                continue
            written = texts.tokens[row, texts.prompt_length[row] : texts.length[row]]
            found.update(cut_passages(tokenizer.decode(written.astype(int)), rng))
    return [str(passage) for passage in rng.permutation(sorted(found))]
