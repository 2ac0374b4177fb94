"""The two texts of "Rounding or bug?" as tokens, and what is doubtful about that."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from speculation.pairs.pair import Pair
from speculation.text import PromptRefused, encode, end_tokens, join, pieces

MAX_TOKENS = 2_000


@dataclass(frozen=True)
class Texts:
    """What is compared, in token ids.

    written  whether both texts were given as ids: then they are what the engines wrote
    notes    what the person should know about the splitting
    end      the tokens that end a text
    """

    prompt: tuple[int, ...]
    one: tuple[int, ...]
    two: tuple[int, ...]
    written: bool
    notes: tuple[str, ...]
    end: frozenset[int] = frozenset()

    @property
    def common(self) -> int:
        """How many tokens the two have in common from the start on.

        >>> Texts((0,), (1, 2, 3), (1, 2, 4, 5), True, ()).common
        2
        """
        pairs = enumerate(zip(self.one, self.two, strict=False))
        shorter = min(len(self.one), len(self.two))
        return next((i for i, (a, b) in pairs if a != b), shorter)

    @property
    def past_the_end(self) -> bool:
        """Whether one text ended with an end token, and the other goes on after it."""
        shorter = min(self.one, self.two, key=len)
        return 0 < len(shorter) == self.common and shorter[-1] in self.end


def read_texts(pair: Pair, prompt: str, mode: str, one: str, two: str) -> Texts:
    """Split prompt and texts.

    Raises PromptRefused for two empty texts, ids outside the vocabulary, or too many tokens.
    """
    if not one.strip() and not two.strip():
        raise PromptRefused("Both texts are empty: paste what the two engines wrote.")
    read = encode(pair.tokenizer, prompt, mode)
    given = [as_ids(text, pair.target.vocab_size) for text in (one, two)]
    if (given[0] is None) != (given[1] is None) and one.strip() and two.strip():
        raise PromptRefused(
            "One text is a list of token ids and the other is not: give both in the same way."
        )
    written = any(ids is not None for ids in given)
    tokens = [
        ids if ids is not None else _split(pair.tokenizer, text)
        for ids, text in zip(given, (one, two), strict=True)
    ]
    longest = min(MAX_TOKENS, pair.target.max_length - 64)
    if len(read) + max(map(len, tokens)) > longest:
        raise PromptRefused(
            f"Prompt and text have {len(read) + max(map(len, tokens)):,} tokens; at most "
            f"{longest:,} are compared. Cut both texts a little after the first difference."
        )
    notes = [] if written else _notes(pair.tokenizer, tokens, (one, two))
    end = end_tokens(pair.tokenizer)
    for name, ids in zip(("one", "two"), tokens, strict=True):
        place = next((i for i, token in enumerate(ids) if token in end), len(ids))
        if place < len(ids) - 1:
            notes.append(f"Text {name} goes on after an end token, its token {place + 1}.")
    one_ids, two_ids = (tuple(ids) for ids in tokens)
    if (
        written
        and one_ids != two_ids
        and (_joined(pair.tokenizer, one_ids) == _joined(pair.tokenizer, two_ids))
    ):
        notes.append("Both read alike: the same characters, from different tokens.")
    return Texts(tuple(read), one_ids, two_ids, written, tuple(notes), end)


def as_ids(text: str, vocabulary: int) -> list[int] | None:
    """Token ids if the text is a JSON list of integers, else None.

    Raises PromptRefused for an id outside the vocabulary.

    >>> as_ids("[5, 7]", 10), as_ids("[5, seven]", 10)
    ([5, 7], None)
    """
    if not text.strip().startswith("["):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or not found or not all(type(x) is int for x in found):
        return None
    outside = [x for x in found if not 0 <= x < vocabulary]
    if outside:
        raise PromptRefused(
            f"{outside[0]} is no token: the target's vocabulary has {vocabulary:,} tokens, from 0."
        )
    return found


def _split(tokenizer: Any, text: str) -> list[int]:
    return [int(x) for x in tokenizer(text, add_special_tokens=False)["input_ids"]]


def _joined(tokenizer: Any, ids: Sequence[int]) -> str:
    known = pieces(tokenizer, ids)
    return join(known[x] for x in ids)


def _notes(tokenizer: Any, tokens: list[list[int]], texts: tuple[str, str]) -> list[str]:
    notes = [
        "The texts were split by the target's tokenizer; an engine may have written the same "
        "characters with other tokens. Token ids, as a list [12, 345, ...], leave no doubt."
    ]
    for name, ids, text in zip(("one", "two"), tokens, texts, strict=True):
        if _joined(tokenizer, ids) != text:
            notes.append(f"Split and joined again, text {name} is not quite the same characters.")
    return notes
