"""A database for a test: sqlite in a file, and PostgreSQL where the machine has one.

A test that takes `kept_in` (a URL) runs on both. The server is Debian's postgresql, started once
in a folder of its own, as a user without rights (root may not run it), reached by a socket file.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy import create_engine, text

PROGRAMS = ("/usr/lib/postgresql", "/usr/local", "/usr")
LOOSE = ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=60"]


def bin_folder() -> Path | None:
    """Where initdb and pg_ctl lie, the newest version first."""
    newest = sorted(Path(PROGRAMS[0]).glob("*/bin"), key=lambda p: -float(p.parent.name))
    for folder in (*newest, *(Path(root) / "bin" for root in PROGRAMS[1:])):
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    return None


@dataclass
class Postgres:
    """A running server."""

    programs: Path
    folder: Path
    user: dict[str, Any]
    numbers: Iterator[int]

    def new(self) -> str:
        """The URL of a new, empty database."""
        name = f"test_{next(self.numbers)}"
        engine = create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        return self.url(name)

    def url(self, name: str) -> str:
        return f"postgresql://tester@/{name}?host={quote(str(self.folder))}"

    def end(self) -> None:
        self.control("stop", "-m", "immediate")

    def control(self, *what: str) -> None:
        command = [str(self.programs / "pg_ctl"), "-D", str(self.folder / "data"), "-w", *what]
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, **self.user
        )


def start_postgres(folder: Path) -> Postgres:
    """Make a cluster in `folder` and start it."""
    programs = bin_folder()
    if programs is None:
        raise FileNotFoundError("initdb")
    user: dict[str, Any] = {"cwd": folder}
    if os.geteuid() == 0:
        who = pwd.getpwnam("postgres")
        os.chown(folder, who.pw_uid, who.pw_gid)
        user |= {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}
    made = subprocess.run(
        [str(programs / "initdb"), "-D", str(folder / "data"), "-U", "tester", "-A", "trust",
         "-N", "-E", "UTF8", "--locale=C"],
        capture_output=True, text=True, **user,
    )  # fmt: skip
    if made.returncode:
        raise RuntimeError(f"initdb failed: {made.stderr[-500:]}")
    server = Postgres(programs, folder, user, count(1))
    options = " ".join(["-k", str(folder), "-c listen_addresses=''", *LOOSE])
    server.control("-l", str(folder / "log"), "-o", options, "start")
    return server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The one PostgreSQL server of this process."""
    if bin_folder() is None:
        _unavailable("no PostgreSQL here (apt-get install postgresql): sqlite alone is tested")
    folder = Path(tempfile.mkdtemp(prefix="speculate-pg-", dir="/tmp"))
    try:
        running = start_postgres(folder)
        yield running
        running.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def kept_in(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/data/learners.sqlite"
    server: Postgres = request.getfixturevalue("postgres")
    return server.new()


def _unavailable(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(f"in CI no test may be skipped: {reason}", pytrace=False)
    pytest.skip(reason)
