"""A link as a picture that a phone's camera reads (QR code, ISO/IEC 18004)."""

import io
from functools import lru_cache

import segno


@lru_cache(maxsize=64)
def qr_svg(url: str) -> bytes:
    """The link as an SVG picture that scales: dark on light, with the quiet zone it needs."""
    picture = io.BytesIO()
    segno.make(url, error="m", micro=False).save(
        picture, kind="svg", border=4, dark="#000", light="#fff", omitsize=True, title=url
    )
    return picture.getvalue()
