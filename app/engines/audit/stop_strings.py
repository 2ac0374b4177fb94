"""A stop string that puts an engine to the test: one that completes in the middle of a block.

Servers look for stop strings after a block of accepted tokens has come. One that goes on past the
string leaks what follows it (vllm-project/vllm issue 47616); one that counts the block first may
call a text cut by its length that a stop had ended before (sgl-project/sglang issue 31599).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engines.base import Continuation

LONGEST = 3  # characters; short ones come in many texts, at many places
FIRST = 2  # the first place looked at: before it there is no block yet


@dataclass(frozen=True)
class StopAndLimit:
    """A stop string, and a number of tokens that most texts reach just after it is complete."""

    stop: str
    limit: int


def stop_and_limit(texts: Sequence[Continuation], length: int) -> StopAndLimit | None:
    """The string of up to three characters that comes inside most texts; None if none does.

    >>> from engines.base import Told
    >>> texts = [Continuation(0, (1, 2, 3), "length", told=Told(text="we are here"))] * 3
    >>> stop_and_limit(texts, 3).stop
    ' ar'
    """
    shown = [text for text in texts if text.told.text]
    often: Counter[str] = Counter()
    for text in shown:
        inside = (text.told.text or "")[FIRST:-1]
        pieces = {
            inside[i : i + size] for size in (2, LONGEST) for i in range(len(inside) - size + 1)
        }
        often.update(x for x in pieces if x.isprintable() and x.strip())
    if not often:
        return None
    # The longest of those that come nearly as often as the most common one; then by spelling.
    most = max(often.values())
    stop = min((x for x in often if often[x] >= 0.8 * most), key=lambda x: (-len(x), -often[x], x))
    places = sorted(place for text in shown if (place := tokens_until(text, stop)) is not None)
    limit = places[len(places) // 2] + 1 if places else length // 2
    return StopAndLimit(stop, max(1, min(length, limit)))


def tokens_until(text: Continuation, stop: str) -> int | None:
    """How many tokens it takes until the stop string is complete; None if it does not come, or if
    the engine did not say which tokens spell the text.

    >>> from engines.base import Told
    >>> text = Continuation(0, (1, 2), "length", told=Told(text="we are", ends=(2, 6)))
    >>> tokens_until(text, " ar")
    2
    """
    place = (text.told.text or "").find(stop)
    if place < 0:
        return None
    return next((i for i, x in enumerate(text.told.ends, 1) if x >= place + len(stop)), None)


def cut_at(text: str, stop: str) -> str | None:
    """The text up to the stop string; None if it does not come.

    >>> cut_at("we are here", " ar"), cut_at("we", " ar")
    ('we', None)
    """
    place = text.find(stop)
    return None if place < 0 else text[:place]
