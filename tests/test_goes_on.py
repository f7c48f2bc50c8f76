"""Tests that take hours end after a while, and go on where they were."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TESTS = """
import os, time, pytest

def test_quick():
    pass

def test_needs_mending():
    assert "MENDED" in os.environ

def test_slow():
    time.sleep(float(os.environ.get("SLEEP", 0)))
"""
SKIPPED = """
import pytest

def test_cannot_be_tried():
    pytest.skip("no server here")
"""
# Without the plugins that are installed, whose imports take a second.
PLAIN = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
Runs = Callable[..., tuple[int, dict[str, int]]]


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    def run(*options: str, tests: str = TESTS, minutes: float = 1, **variables: str):
        (tmp_path / "test_it.py").write_text(tests)
        words = ("-p", "tests.goes_on", "--passed", "passed", "--at-most", str(minutes), *options)
        asked = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", ".", *words],
            cwd=tmp_path,
            env=os.environ | PLAIN | variables,
            stdout=subprocess.PIPE,
            text=True,
        )
        said = re.findall(r"(\d+) (passed|failed|skipped|deselected)", asked.stdout)
        return asked.returncode, {what: int(number) for number, what in said}

    return run


def test_what_has_passed_is_not_run_again(runs: Runs):
    assert runs() == (1, {"passed": 2, "failed": 1})
    assert runs(MENDED="yes") == (0, {"passed": 1, "deselected": 2})
    assert runs() == (0, {"deselected": 3})


def test_it_ends_in_the_midst_of_a_test_and_goes_on_with_it(runs: Runs):
    assert runs(minutes=0.05, SLEEP="60", MENDED="yes") == (2, {"passed": 2})
    assert runs() == (0, {"passed": 1, "deselected": 2})


def test_where_nothing_may_be_skipped_a_skip_is_a_failure(runs: Runs):
    assert runs(tests=SKIPPED) == (0, {"skipped": 1})
    assert runs("--nothing-skipped", tests=SKIPPED) == (1, {"skipped": 1})
