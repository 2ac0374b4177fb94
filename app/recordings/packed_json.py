"""Packed JSON files: written, and unpacked within bounds, with a line on what is wrong with one."""

import gzip
import zlib

from pydantic import BaseModel, ValidationError

MAX_UNPACKED_BYTES = 20_000_000


class BadFile(ValueError):
    """A file that cannot be unpacked; the message says why."""


def packed(content: BaseModel) -> bytes:
    """Compressed JSON; the same content gives the same bytes."""
    return gzip.compress(content.model_dump_json().encode(), mtime=0)


def json_of(data: bytes) -> bytes:
    """The JSON of a file, compressed or not. Raises BadFile.

    Never more than the limit: a small file can hold gigabytes of zeros.
    """
    if data[:2] != b"\x1f\x8b":
        return data
    stream = zlib.decompressobj(wbits=31)
    try:
        unpacked = stream.decompress(data, MAX_UNPACKED_BYTES)
    except zlib.error as error:
        raise BadFile(f"the compressed file is damaged ({error})") from error
    if stream.unconsumed_tail:
        raise BadFile(f"it unpacks to more than {MAX_UNPACKED_BYTES // 10**6} MB")
    if not stream.eof:  # its checksum is missing, so nothing vouches for the rest
        raise BadFile("the compressed file is cut short")
    return unpacked


def complaint(error: ValidationError) -> str:
    """The first field that is wrong and why, and how many more there are."""
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"])) or "the file"
    message = first["msg"].removeprefix("Value error, ")
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{place}: {message}{more}"
