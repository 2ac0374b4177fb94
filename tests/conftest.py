"""What all tests share: one pinned thread, and models, servers and a browser that start once.

A test that takes the fixture `shelf` or `real_pair` needs the target's weights. Without them it is
skipped, and says how to install them; in CI (the environment variable CI is "true") it fails.
`pytest -m "not models"` leaves these tests out.
"""

# ruff: noqa: E402 (threads are chosen before anything is imported that reads them)

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

THREADS = 1
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # read when torch and NumPy are imported
    os.environ[variable] = str(THREADS)
# Said here too, since a test may load torch before the core: see app/speculation/__init__.py.
os.environ.setdefault("GOMP_SPINCOUNT", "10000")

import hypothesis

if TYPE_CHECKING:  # imported in the fixtures: a run of tests without models need not load torch
    from speculation.pairs.pair import Pair
    from speculation.pairs.shelf import Shelf

# The same examples on every run: a failure can be repeated, and a pass means the same everywhere.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")

# Fixtures for every folder. What lies in them is imported when a test asks for it.
pytest_plugins = ["helpers.browser", "helpers.databases", "helpers.shares", "helpers.times"]

NEED_MODELS = {"shelf", "real_pair"}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "models: needs the target's weights")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if NEED_MODELS & set(getattr(item, "fixturenames", ())):
            item.add_marker("models")


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    """The arithmetic depends on the number of threads, so it is the same in every test.

    A test that loads torch itself finds the number in the environment, above.
    """
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() != THREADS:
        torch.set_num_threads(THREADS)


@pytest.fixture(scope="session")
def shelf() -> "Shelf":
    """The shelf of real models, on the CPU or whatever SPECULATE_DEVICE says."""
    from environment import environment
    from speculation.pairs import weights
    from speculation.pairs.shelf import Shelf

    try:
        weights.converted(environment().cache_dir)
    except weights.WeightsMissing as missing:
        _unavailable(str(missing))
    return Shelf(environment().cache_dir, os.environ.get("SPECULATE_DEVICE", "cpu"))


@pytest.fixture(scope="session")
def real_pair(shelf: "Shelf") -> "Pair":
    """The default pair, in float32."""
    from speculation.pairs.catalog import pairs
    from speculation.settings import Settings

    default = Settings().pair
    if default not in pairs():
        _unavailable(f"assets/drafts has no weights for {default}: the checkout is incomplete")
    return shelf.pair(default, "float32")


@pytest.fixture(scope="session")
def tiny_pair() -> "Pair":
    """Two random Llamas with two layers and a byte-level tokenizer: a whole pair in a megabyte."""
    from helpers.tiny_models import make_tiny_pair

    return make_tiny_pair()


@pytest.fixture
def fresh_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Environment, worker and store as new, with a database of its own.

    Call it to make them anew with further variables set.
    """
    from environment import environment
    from jobs.worker import worker
    from store import learners

    caches = (learners.store, environment, worker)

    def again(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        for cached in caches:
            cached.cache_clear()

    again(SPECULATE_DATABASE_URL=f"sqlite:///{tmp_path}/learners.sqlite")
    yield again
    learners.store().close()
    for cached in caches:
        cached.cache_clear()


@pytest.fixture
def no_models(fresh_server: Callable[..., None]) -> None:
    """The same, on a server whose models are turned off: what is recorded must be enough."""
    fresh_server(SPECULATE_LIVE="false")


def _unavailable(reason: str) -> None:
    """Skip, with the reason; in CI nothing may be skipped, so there it is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"in CI no test may be skipped: {reason}", pytrace=False)
    pytest.skip(reason)
