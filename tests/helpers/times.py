"""A report of the time that each file took, after all others."""

from collections import defaultdict
from collections.abc import Iterator

import pytest

_seconds: defaultdict[str, float] = defaultdict(float)
_tests: defaultdict[str, int] = defaultdict(int)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Where several processes run the tests, all reports come to the one that says so."""
    file = report.nodeid.split("::")[0]
    _seconds[file] += report.duration
    _tests[file] += report.when == "call"


@pytest.hookimpl(hookwrapper=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    yield
    terminalreporter.section("time per file")
    for file, seconds in sorted(_seconds.items(), key=lambda item: -item[1]):
        terminalreporter.write_line(f"{seconds:8.1f} s  {_tests[file]:4d} tests  {file}")
    terminalreporter.write_line(f"{sum(_seconds.values()):8.1f} s  {sum(_tests.values()):4d} tests")
