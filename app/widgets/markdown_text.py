"""Text made ready for Markdown: as it stands, on one line, not too long."""

import re

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    r"""Escape every mark that Markdown could read, so that a token stays a token.

    >>> plain("*a* <b>")
    '\\*a\\* \\<b\\>'
    """
    return _PUNCTUATION.sub(r"\\\1", text)


def one_line(text: str) -> str:
    """Text without the line breaks of its file or prompt.

    >>> one_line("one\\n  two")
    'one two'
    """
    return " ".join(text.split())


def shortened(text: str, most: int = 60) -> str:
    """The beginning of a text that is longer than so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
