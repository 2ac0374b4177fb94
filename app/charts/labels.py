"""How a token is written in a sentence or on an axis: visible spaces, not too long, no markup."""

from html import escape

from speculation.trace import Piece

_VISIBLE = {" ": "·", "\n": "↵", "\t": "⇥", "\r": "␍"}
_LONGEST = 14


def token_label(piece: Piece) -> str:
    """A token in a sentence: plain text.

    >>> token_label(" the"), token_label("<b>"), token_label([0xE2, 0x82])
    ('·the', '<b>', 'E2 82')
    """
    if not isinstance(piece, str):
        return " ".join(f"{byte:02X}" for byte in piece)
    shown = "".join(_visible(character) for character in piece)
    if len(shown) > _LONGEST:
        shown = shown[: _LONGEST - 1] + "…"
    return shown


def axis_label(piece: Piece) -> str:
    """A token in a Plotly label: escaped, since Plotly reads some HTML.

    >>> axis_label("<b>")
    '&lt;b&gt;'
    """
    return escape(token_label(piece), quote=False)


def _visible(character: str) -> str:
    """Spaces as marks; a control or formatting character, which has no shape, by its code point."""
    if character in _VISIBLE:
        return _VISIBLE[character]
    return character if character.isprintable() else f"U+{ord(character):04X}"
