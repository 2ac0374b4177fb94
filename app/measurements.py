"""Measurements that ship with the app, for machines without live models."""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict
from speculation.catalog import ASSETS
from speculation.measure import Measurement

FILE = ASSETS / "measurements" / "lessons.json"


class Temperatures(BaseModel):
    """Overlap of the default pair against temperature, at the places of a recorded run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: str
    grid: list[float]
    curves: list[list[float]]


class Recorded(BaseModel):
    """The file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    measurements: list[Measurement]
    temperatures: Temperatures


@lru_cache(maxsize=1)
def recorded_measurements() -> Recorded | None:
    """What was recorded, or None if the file is missing."""
    return Recorded.model_validate_json(FILE.read_bytes()) if FILE.exists() else None
