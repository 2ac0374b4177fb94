"""How long a lesson takes, counted from what it holds: words, figures, predictions, questions.

The rates are stated, not wished: prose that is followed with a pencil is read at 200 words a
minute, and whoever looks at a figure, or answers a question, stops for it.
"""

import math
import re
from collections.abc import Iterable

from content.blocks import Block, GateBlock, Lesson, QuizBlock, Text, WidgetBlock
from content.quiz import Choice

WORDS_A_MINUTE = 200
FIGURE = 1.5
GATE = 1.0
CHOICE = 0.75
WORKED = 1.5  # a number to compute, or steps to put in order


def minutes_for(blocks: Iterable[Block]) -> float:
    """The time that these blocks take."""
    return sum(map(_minutes, blocks))


def minutes_of(lesson: Lesson) -> int:
    """The time of a whole lesson, rounded up."""
    return max(1, math.ceil(minutes_for(lesson.blocks)))


def _minutes(block: Block) -> float:
    if isinstance(block, Text):
        return len(re.findall(r"\w+", block.markdown)) / WORDS_A_MINUTE
    if isinstance(block, WidgetBlock):
        return FIGURE
    if isinstance(block, GateBlock):
        return GATE
    if isinstance(block, QuizBlock):
        return CHOICE if isinstance(block.quiz, Choice) else WORKED
    raise TypeError(f"how long does {type(block).__name__} take?")
