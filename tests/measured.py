"""The share of branches that tests take, in the rooms where each branch counts.

`pytest -p tests.measured` prints it at the end. To trace other rooms as well would take longer.
"""

from os import environ
from pathlib import Path

import pytest
from coverage import Coverage

ROOMS = ["judging/flow", "judging/payments", "accounts", "operations/record"]
ROOT = Path(__file__).parent.parent
IS_WORKER = "PYTEST_XDIST_WORKER" in environ  # of pytest-xdist: each leaves a file of its own
assert all((ROOT / room).is_dir() for room in ROOMS), "a room has another name"
_coverage = Coverage(
    data_file=str(ROOT / "var/test/coverage"),
    data_suffix=IS_WORKER,
    branch=True,
    source=[str(ROOT / room) for room in ROOMS],
    omit=["*/migrations/*"],
)
if not IS_WORKER:
    for left in (ROOT / "var/test").glob("coverage*"):  # by a run that was cut
        left.unlink()
_coverage.start()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    _coverage.stop()
    _coverage.save()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    _coverage.combine()
    terminalreporter.section("branches taken")
    _coverage.report(file=terminalreporter, skip_covered=True, show_missing=True)
