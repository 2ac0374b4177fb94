"""What a measurement has done so far, on disk: an interrupted `make measure` goes on from there."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from measuring.run_record import RunRecord

Model = TypeVar("Model", bound=BaseModel)


class Log:
    """A folder for one set of weights and options: runs as lines, other stages as files."""

    def __init__(self, folder: Path, what: Mapping[str, object], fresh: bool = False) -> None:
        name = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:12]
        self.folder = folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        if fresh:
            for file in self.folder.iterdir():
                file.unlink()
        self._lines = self.folder / "runs.jsonl"
        self.records = self._read()

    def _read(self) -> list[RunRecord]:
        """Every whole line; the last may have been cut off."""
        if not self._lines.exists():
            return []
        found = []
        for line in self._lines.read_text(encoding="utf-8").splitlines():
            try:
                found.append(RunRecord.model_validate_json(line))
            except ValidationError:
                continue
        return found

    def add(self, record: RunRecord) -> None:
        """Keep a run; it is on disk when this returns."""
        self.records.append(record)
        with self._lines.open("a", encoding="utf-8") as file:
            file.write(record.model_dump_json() + "\n")

    def stage(self, name: str, kind: type[Model]) -> Model | None:
        """What an earlier call kept under this name, if it is there."""
        file = self.folder / f"{name}.json"
        return kind.model_validate_json(file.read_bytes()) if file.exists() else None

    def keep(self, name: str, result: BaseModel) -> None:
        (self.folder / f"{name}.json").write_text(result.model_dump_json(), encoding="utf-8")
