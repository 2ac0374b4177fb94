"""A draft without weights: look up what followed the last tokens earlier in the text.

When a text repeats itself, or quotes its prompt, the best guess for the next token is what came
after the same words before. The guess is one token with q = 1, so the rule accepts it with
probability p(x), and a rejection draws from p without x: exact, as for any q.

Where nothing matches, nothing is proposed, and the cycle is one plain target step.

Known as prompt lookup decoding (Saxena 2023) and as n-gram speculation in engines.
"""

from collections.abc import Sequence

import numpy as np

from speculation.drafts.text_context import TextContext
from speculation.models.language_model import Logits, Tokens

LONGEST = 4  # tokens that must match, at most
SHORTEST = 2  # and at least: a single token matches nearly everywhere, and says little


class LookupModel:
    """Proposes the token that followed the latest earlier occurrence of the last few tokens."""

    name = "lookup"
    digest = f"lookup-{LONGEST}-{SHORTEST}"
    support: Tokens | None = None

    def __init__(self, vocab_size: int, max_length: int) -> None:
        self.vocab_size = vocab_size
        self.max_length = max_length

    def start(self) -> "LookupContext":
        return LookupContext(self.vocab_size)


class LookupContext(TextContext):
    """The text so far, in which short runs of tokens are looked up."""

    def __init__(self, vocab_size: int, text: Sequence[int] = ()) -> None:
        super().__init__(text)
        self._vocab_size = vocab_size

    def extend(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """One row a token asked for: 0 at the proposed token, minus infinity elsewhere."""
        logits = np.full((rows, self._vocab_size), -np.inf, dtype=np.float32)
        for i, token in enumerate(tokens):
            self._text.append(token)
            row = i - (len(tokens) - rows)
            if row >= 0:
                proposal = propose(self._text)
                if proposal is not None:
                    logits[row, proposal] = 0.0
        return logits

    def copy(self) -> "LookupContext":
        return LookupContext(self._vocab_size, self._text)


def propose(text: Sequence[int]) -> int | None:
    """What followed the longest suffix seen before, at its latest occurrence; None if none was.

    >>> propose([7, 8, 9, 7, 8])
    9
    >>> propose([1, 2, 3]) is None
    True
    """
    for size in range(LONGEST, SHORTEST - 1, -1):
        suffix = text[-size:]
        for end in range(len(text) - 1, size - 1, -1):
            if text[end - size : end] == suffix:
                return text[end]
    return None
