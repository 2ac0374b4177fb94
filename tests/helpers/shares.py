"""Which tests go to the same process, where several run them (`make test`: pytest-xdist).

What is dear to start is started in as few processes as will do: tests that use the app with
models, or on recordings, or models in their own process, go together; other tests by file, so that
what a file's tests share is made once. The long groups are handed out first: then the processes end
at about the same time.
"""

import pytest

# By the fixture that a group shares; the longest group is first.
GROUPS = {"server": "live", "recorded_server": "recorded", "shelf": "models"}


def group_of(item: pytest.Item) -> str:
    """The group of a test: those of a group run one after another in one process."""
    used = set(getattr(item, "fixturenames", ()))
    shared = next((group for name, group in GROUPS.items() if name in used), None)
    return shared or item.nodeid.split("::")[0]


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not hasattr(config, "workerinput"):
        return  # one process alone: tests run in the order in which they are written
    order = list(GROUPS.values())
    groups = {item: group_of(item) for item in items}
    items.sort(key=lambda x: order.index(groups[x]) if groups[x] in order else len(order))
    for item in items:
        item.add_marker(pytest.mark.xdist_group(groups[item]))
