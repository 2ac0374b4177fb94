"""Traces that ship with the app, and traces that a person brings.

A recorded run is a trace as JSON, compressed: assets/traces/<name>.json.gz. It opens without any
model. The same checks read a file that somebody uploads.
"""

import gzip
import zlib
from functools import lru_cache

from pydantic import ValidationError

from speculation.pairs.assets import ASSETS
from speculation.trace import SCHEMA_VERSION, Trace

MAX_UNPACKED_BYTES = 20_000_000


class BadTrace(ValueError):
    """A file that is no trace; the message says what and where."""


@lru_cache(maxsize=16)
def recorded(name: str) -> Trace | None:
    """A shipped recording by its name, or None if there is none."""
    file = ASSETS / "traces" / f"{name}.json.gz"
    return parse(file.read_bytes()) if file.exists() else None


def pack(trace: Trace) -> bytes:
    """A trace as compressed JSON; the same trace gives the same bytes."""
    return gzip.compress(trace.model_dump_json().encode(), mtime=0)


def parse(data: bytes) -> Trace:
    """A trace from JSON, compressed or not. Raises BadTrace, naming the field that is wrong."""
    if data[:2] == b"\x1f\x8b":
        data = _unpacked(data)
    try:
        return Trace.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        if first["loc"] == ("schema_version",):
            raise BadTrace(
                f"This trace has schema version {repr(first['input'])[:40]}; this app reads "
                f"version {SCHEMA_VERSION}."
            ) from error
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise BadTrace(f"Not a trace: {place}: {first['msg']}{more}") from error


def _unpacked(data: bytes) -> bytes:
    """Unpack, but never more than the limit: a small file can hold gigabytes of zeros."""
    stream = zlib.decompressobj(wbits=31)
    try:
        unpacked = stream.decompress(data, MAX_UNPACKED_BYTES)
    except zlib.error as error:
        raise BadTrace(f"Not a trace: the compressed file is damaged ({error})") from error
    if stream.unconsumed_tail:
        raise BadTrace(f"Not a trace: it unpacks to more than {MAX_UNPACKED_BYTES // 10**6} MB")
    if not stream.eof:  # its checksum is missing, so nothing vouches for the rest
        raise BadTrace("Not a trace: the compressed file is cut short")
    return unpacked
