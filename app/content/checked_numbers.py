"""Numbers in the prose that come from a formula, each followed by that formula in a comment.

    A draft at alpha = 0.8 and k = 5 commits 3.69<!--= expected_tau(0.8, 5) --> tokens a cycle.

A comment is invisible wherever Markdown is rendered. It is cut out before a page is shown, and a
test evaluates it and compares the result with the digits printed before it.
"""

import re
from dataclasses import dataclass
from typing import Any

_MARK = re.compile(r"(?P<shown>\([^()\n]*\)|[^\s()]*)<!--=[ ]*(?P<formula>[^\n]*?)[ ]*-->")
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")


@dataclass(frozen=True)
class Check:
    """One printed number (or a law in parentheses), and the formula that it must agree with."""

    shown: str
    formula: str
    line: int

    def values(self) -> tuple[tuple[float, float], ...]:
        """Each printed value and half a unit of its last digit; a percentage becomes a share.

        >>> Check("59%", "", 1).values()
        ((0.59, 0.005),)
        >>> Check("(0.6, .25)", "", 1).values()
        ((0.6, 0.05), (0.25, 0.005))
        """
        text = _THOUSANDS.sub("", self.shown)
        scale = 0.01 if "%" in text else 1.0
        found = []
        for number in _NUMBER.findall(text):
            decimals = len(number.partition(".")[2])
            found.append((round(float(number) * scale, 12), 0.5 * 10.0**-decimals * scale))
        return tuple(found)

    def agrees(self, computed: Any) -> bool:
        """Whether `computed`, a number or a sequence of them, rounds to what is printed."""
        wanted = [computed] if not hasattr(computed, "__iter__") else list(computed)
        shown = self.values()
        return len(shown) == len(wanted) > 0 and all(
            abs(value - float(want)) <= half + 1e-9
            for (value, half), want in zip(shown, wanted, strict=True)
        )


def take_checks(source: str) -> tuple[str, tuple[Check, ...]]:
    """The text without its formulas, line for line, and the formulas.

    >>> take_checks("about 3.69<!--= expected_tau(0.8, 5) --> tokens")[0]
    'about 3.69 tokens'
    """
    checks = tuple(
        Check(match["shown"], match["formula"], source.count("\n", 0, match.start()) + 1)
        for match in _MARK.finditer(source)
    )
    return _MARK.sub(lambda match: match["shown"], source), checks
