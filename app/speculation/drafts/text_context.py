"""What drafts that are no network have read: the text itself, and nothing else."""

from collections.abc import Sequence


class TextContext:
    """The text so far; a draft adds `extend` and `copy`."""

    def __init__(self, text: Sequence[int] = ()) -> None:
        self._text = list(text)

    @property
    def length(self) -> int:
        return len(self._text)

    @property
    def nbytes(self) -> int:
        return 8 * len(self._text)

    def crop(self, length: int) -> None:
        if not 0 <= length <= self.length:
            raise ValueError(f"cannot crop a context of {self.length} tokens to {length}")
        del self._text[length:]
