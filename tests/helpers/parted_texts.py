"""Greedy texts of a tiny target that are the same up to a place, and part there."""

from collections.abc import Sequence

from speculation.pairs.pair import Pair
from speculation.text import encode

PROMPT = "one"
LENGTH = 24


def greedy(pair: Pair, length: int = LENGTH) -> list[int]:
    """The target's greedy text, token by token."""
    context = pair.target.start()
    rows = context.extend(encode(pair.tokenizer, PROMPT, "chat"))
    tokens: list[int] = []
    for _ in range(length):
        tokens.append(int(rows[-1].argmax()))
        rows = context.extend(tokens[-1:])
    return tokens


def parted(pair: Pair, text: Sequence[int], place: int, token: int | None = None) -> list[int]:
    """The text up to a place, there this token (the last the target would take), greedily on."""
    context = pair.target.start()
    row = context.extend([*encode(pair.tokenizer, PROMPT, "chat"), *text[:place]])[-1]
    tokens = [*text[:place], int(row.argmin()) if token is None else token]
    while len(tokens) < len(text):
        tokens.append(int(context.extend(tokens[-1:])[-1].argmax()))
    return tokens
