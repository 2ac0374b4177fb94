"""Measurements that ship with the app, for machines without live models."""

from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from measuring.block_cost import Measurement
from measuring.ladder_file import DraftMeasurements
from speculation.pairs import weights
from speculation.pairs.assets import ASSETS

FILE = ASSETS / "measurements" / "lessons.json"
DRAFTS_FILE = ASSETS / "measurements" / "drafts.json"
SCHEMA_FILE = ASSETS / "measurements" / "drafts.schema.json"


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


@lru_cache(maxsize=1)
def measured_drafts() -> DraftMeasurements | None:
    """What `make measure` wrote, or None if the file is missing or of another version."""
    if not DRAFTS_FILE.exists():
        return None
    try:
        return DraftMeasurements.model_validate_json(DRAFTS_FILE.read_bytes())
    except ValidationError:
        return None


def weight_digests(folder: Path = ASSETS / "drafts") -> dict[str, str]:
    """The digest of every draft's weights, by their path in the folder."""
    return {
        file.relative_to(folder).as_posix(): weights.file_digest(file)
        for file in sorted(folder.rglob("*.safetensors"))
    }
