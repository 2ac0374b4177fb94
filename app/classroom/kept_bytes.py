"""What is sent many times, made once."""

import gzip
import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Kept:
    """Bytes that are sent many times: compressed once for all, and named so that a browser that
    has them already can say so."""

    data: bytes
    packed: bytes
    etag: str

    @classmethod
    def of(cls, data: bytes) -> "Kept":
        name = hashlib.sha256(data).hexdigest()[:24]
        return cls(data, gzip.compress(data, mtime=0), f'"{name}"')
