"""What the owner of the server decides, by environment variables with the prefix SPECULATE_.

Visitors cannot change any of this. The README lists every variable.
"""

from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Environment(BaseSettings):
    """The server's settings; each field can be set as SPECULATE_<NAME>."""

    model_config = SettingsConfigDict(env_prefix="SPECULATE_", frozen=True)

    device: Annotated[str, Field(description="auto, cpu, cuda, cuda:1, mps")] = "auto"
    threads: Annotated[int, Field(ge=0, description="Threads for the models; 0: all cores")] = 0
    store_mb: Annotated[
        int, Field(ge=64, description="Memory for logits and caches of earlier runs, in MB")
    ] = 1000
    cache_dir: Annotated[Path, Field(description="Where converted weights are kept")] = (
        Path.home() / ".cache" / "speculate"
    )
    live: Annotated[bool, Field(description="Load models; false serves recorded runs only")] = True
    any_model: Annotated[
        bool, Field(description="Let visitors name a Hugging Face pair by name or folder")
    ] = False
    audit_url: Annotated[
        str,
        Field(
            description="Servers that visitors may audit, as ADDRESS or ADDRESS|MODEL, with commas"
        ),
    ] = ""
    max_waiting: Annotated[int, Field(ge=1, description="Most runs waiting at once")] = 64
    max_classes: Annotated[int, Field(ge=0, description="Most classes going on at once")] = 100
    public_url: Annotated[
        str, Field(description="What phones should open, if not what the address bar says")
    ] = ""
    trust_proxy: Annotated[
        bool, Field(description="Believe the X-Forwarded headers of the proxy in front")
    ] = False

    @property
    def endpoints(self) -> tuple[str, ...]:
        """The servers that visitors may audit."""
        return tuple(part.strip() for part in self.audit_url.split(",") if part.strip())


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The environment, read once."""
    return Environment()
