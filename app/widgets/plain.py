"""Text that Streamlit must show as it stands."""

import re

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    r"""Escape every mark that Markdown could read, so that a token stays a token.

    >>> plain("*a* <b>")
    '\\*a\\* \\<b\\>'
    """
    return _PUNCTUATION.sub(r"\\\1", text)
