"""Which tests go to the same process, where several run them: `make test`, or `pytest -n 2`.

What is dear to start is started in as few processes as will do. Files whose tests use the app with
models go together, and so do those that use it on recordings, or models in their own process; of
every other file, all tests go to one process, so that what they share is made once. The long
groups are handed out first: then the processes end at about the same time.

This decides only what a run costs: any test may run in any process, and in any order of files.
"""

import ast
from functools import cache
from typing import Any

import pytest

# By the names of fixtures that the functions of a file take; the longest group is first.
GROUPS = {
    "live": {"server", "open_lab"},
    "recorded": {"recorded_server", "somebody"},
    "models": {"shelf", "real_pair"},
}
ALONE = {"playwright_browser"}  # files of their own, which also take long


def share_of(nodeid: str, root: str) -> str:
    """The name of the group that a test belongs to: one process runs all of it."""
    file = nodeid.split("::")[0]
    taken = _taken(f"{root}/{file}")
    return next((group for group, fixtures in GROUPS.items() if fixtures & taken), file)


@cache
def _taken(path: str) -> frozenset[str]:
    """The names that functions of a file take, apart from fixtures that it makes itself."""
    with open(path, encoding="utf-8") as file:
        functions = [x for x in ast.parse(file.read()).body if isinstance(x, ast.FunctionDef)]
    taken = {argument.arg for x in functions for argument in x.args.args}
    return frozenset(taken - {x.name for x in functions})


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """xdist's own grouping by mark loses its marks under pytest 9.2; this one needs none."""
    from xdist.scheduler import LoadScopeScheduling

    class Shares(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return share_of(nodeid, str(config.rootpath))

    config.option.loadscopereorder = False  # in the order of the tests, which is:
    return Shares(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not hasattr(config, "workerinput"):
        return  # one process alone: tests run in the order in which they are written
    root, groups = str(config.rootpath), list(GROUPS)

    def rank(item: pytest.Item) -> int:
        share = share_of(item.nodeid, root)
        if share in groups:
            return groups.index(share)
        return len(groups) + (not ALONE & _taken(f"{root}/{share}"))

    items.sort(key=rank)
