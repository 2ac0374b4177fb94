"""Traces that ship with the app, and traces that a person brings.

A recorded run is a trace as JSON, compressed: assets/traces/<name>.json.gz. It opens without any
model. The same checks read a file that somebody uploads.
"""

from functools import lru_cache

from pydantic import ValidationError

from recordings.packed_json import BadFile, complaint, json_of, packed
from recordings.presets import Preset, presets
from speculation.pairs.assets import ASSETS
from speculation.trace import SCHEMA_VERSION, Trace


class BadTrace(ValueError):
    """A file that is no trace; the message says what and where."""


@lru_cache(maxsize=16)
def recorded(name: str) -> Trace | None:
    """A shipped recording by its name, or None if there is none."""
    file = ASSETS / "traces" / f"{name}.json.gz"
    return parse(file.read_bytes()) if file.exists() else None


def recorded_names() -> list[str]:
    """The names of all shipped recordings, in alphabetical order."""
    files = (ASSETS / "traces").glob("*.json.gz")
    return sorted(file.name.removesuffix(".json.gz") for file in files)


def recorded_presets() -> list[tuple[Preset, Trace]]:
    """The prompts on offer whose runs were recorded, in their order."""
    runs = [(preset, recorded(preset.name)) for preset in presets()]
    return [(preset, trace) for preset, trace in runs if trace is not None]


def pack(trace: Trace) -> bytes:
    """A trace as compressed JSON; the same trace gives the same bytes."""
    return packed(trace)


def parse(data: bytes) -> Trace:
    """A trace from JSON, compressed or not. Raises BadTrace, naming the field that is wrong."""
    try:
        return Trace.model_validate_json(json_of(data))
    except BadFile as error:
        raise BadTrace(f"Not a trace: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"] == ("schema_version",):
            raise BadTrace(
                f"This trace has schema version {repr(first['input'])[:40]}; this app reads "
                f"version {SCHEMA_VERSION}."
            ) from error
        raise BadTrace(f"Not a trace: {complaint(error)}") from error
