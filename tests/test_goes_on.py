"""Tests that take hours end after a while, and go on where they were."""

import os
import re
import subprocess
import sys
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

def test_cannot_be_tried():
    pytest.skip("no server here")
"""
# Without the plugins that are installed, whose imports take a second.
PLAIN = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def run(folder: Path, *options: str, minutes: float = 1, **variables: str) -> tuple[int, dict]:
    (folder / "test_it.py").write_text(TESTS)
    words = ("-p", "tests.goes_on", "--passed", "passed", "--at-most", str(minutes), *options)
    asked = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", ".", *words],
        cwd=folder,
        env=os.environ | PLAIN | variables,
        stdout=subprocess.PIPE,
        text=True,
    )
    said = re.findall(r"(\d+) (passed|failed|skipped|deselected)", asked.stdout)
    return asked.returncode, {what: int(number) for number, what in said}


@pytest.mark.nightly
def test_what_has_passed_is_not_run_again(tmp_path: Path):
    assert run(tmp_path, minutes=0.05, SLEEP="60") == (2, {"passed": 1, "failed": 1})
    assert run(tmp_path, MENDED="yes") == (0, {"passed": 2, "skipped": 1, "deselected": 1})
    assert run(tmp_path) == (0, {"skipped": 1, "deselected": 3})
    assert run(tmp_path, "--nothing-skipped") == (1, {"skipped": 1, "deselected": 3})
