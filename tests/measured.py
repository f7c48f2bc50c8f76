"""The share of branches that tests take, in the rooms where each branch counts.

`pytest -p tests.measured` prints it at the end. Other rooms are not traced, nor these while tests
of others run: where tracing is on, tests take half as long again.
"""

from pathlib import Path

import pytest
from coverage import Coverage, CoverageData
from xdist.workermanage import WorkerController

ROOMS = ["judging/flow", "judging/payments", "accounts", "operations/record"]
TESTS = ("tests/judging/", "tests/accounts/", "tests/operations/test_record.py")
ROOT = Path(__file__).parent.parent
assert all((ROOT / room).is_dir() for room in ROOMS), "a room has another name"
_coverage = Coverage(
    data_file=None,
    branch=True,
    source=[str(ROOT / room) for room in ROOMS],
    omit=["*/migrations/*"],
)
_coverage.start()
_is_on = True


def _turn(*, on: bool) -> None:
    global _is_on
    if on != _is_on:
        _coverage.start() if on else _coverage.stop()
        _is_on = on


def pytest_collection_finish() -> None:
    _turn(on=False)  # what is imported later than this is not seen


def pytest_runtest_logstart(nodeid: str) -> None:
    _turn(on=nodeid.startswith(TESTS))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    _turn(on=False)
    output = getattr(session.config, "workeroutput", None)  # of a process of pytest-xdist
    if output is not None:
        output["traced"] = _coverage.get_data().dumps()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: WorkerController) -> None:
    # A worker that has crashed sends nothing.
    if traced := getattr(node, "workeroutput", {}).get("traced"):
        data = CoverageData(no_disk=True)
        data.loads(traced)
        _coverage.get_data().update(data)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("branches taken")
    _coverage.report(file=terminalreporter, skip_covered=True, show_missing=True)
