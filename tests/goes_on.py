"""A plugin of pytest for tests that take hours: they end in time, and go on where they were.

`pytest -p tests.goes_on --passed FILE --at-most 60` runs what FILE does not name yet, and names
there what passes. It ends with 2 if the same command has to go on. With `--nothing-skipped` it ends
with 1 if a test was skipped: then what the tests are for was not tried.
"""

import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--passed", type=Path, required=True, help="the file that is gone on with")
    parser.addoption("--at-most", type=float, required=True, help="minutes")
    parser.addoption("--nothing-skipped", action="store_true")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_GoesOn(config))


class _GoesOn:
    def __init__(self, config: pytest.Config) -> None:
        self._file: Path = config.option.passed
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._passed = set(self._file.read_text().splitlines()) if self._file.exists() else set()
        self._began_with = len(self._passed)
        self._config = config
        self._ended = dict[str, set[str]]()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Iterator[None]:
        before = signal.signal(signal.SIGALRM, _time_is_up)
        signal.setitimer(signal.ITIMER_REAL, 60 * self._config.option.at_most)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        done = [item for item in items if item.nodeid in self._passed]
        if done:
            self._config.hook.pytest_deselected(items=done)
            items[:] = [item for item in items if item.nodeid not in self._passed]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcomes = self._ended.setdefault(report.nodeid, set())
        outcomes.add(report.outcome)
        if report.when == "teardown" and outcomes == {"passed"}:
            with self._file.open("a") as file:
                file.write(f"{report.nodeid}\n")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        skipped = any("skipped" in outcomes for outcomes in self._ended.values())
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self._began_with:
            session.exitstatus = pytest.ExitCode.OK
        elif not exitstatus and skipped and self._config.option.nothing_skipped:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _time_is_up(signum: int, frame: FrameType | None) -> None:
    pytest.exit("NOT OVER: the same command goes on", returncode=2)
