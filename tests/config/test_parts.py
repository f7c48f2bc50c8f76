"""A full or read-only disk ends no supervisor, and no log fills the disk."""

import subprocess
import sys
from configparser import ConfigParser
from errno import ENOSPC
from pathlib import Path

import pytest

from config.embedded import parts, processes
from config.embedded.parts import Part, kill_session
from config.embedded.processes import tell

from .helpers import ROOT, until


def test_a_part_whose_log_cannot_be_opened_is_started_once_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "RESTART_SECONDS", 0.0)
    log = tmp_path / "part.log"
    part = Part("part", [sys.executable, "-c", ""], log)
    until(part.ended, 60)
    log.unlink()
    log.mkdir()
    for _ in range(2):
        assert not part.start_again()
    log.rmdir()
    assert part.start_again()
    kill_session(part.process)


def test_stderr_errors_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", FullDisk())
    tell("the disk is full")


class FullDisk:
    """What standard error is then."""

    def write(self, text: str) -> int:
        raise OSError(ENOSPC, "No space left on device")


WRITES = """
import sys, time
for number in range(10**9):
    sys.stderr.write(f"line {number} {'x' * 90}\\n")
    time.sleep(0.0005)
"""


def test_a_long_log_is_moved_while_its_part_goes_on_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "MAX_LOG_BYTES", 20_000)
    log, before = tmp_path / "part.log", tmp_path / "part.log.1"
    part = Part("part", [sys.executable, "-c", WRITES], log)
    try:
        for _ in range(3):
            until(lambda: log.stat().st_size > 20_000, 60)
            part.rotate_log()
            assert log.stat().st_size < 20_000 < before.stat().st_size
        until(lambda: log.stat().st_size > 1_000, 60)
        assert not part.ended()
    finally:
        kill_session(part.process)
    assert b"\0" not in log.read_bytes()
    number = [int(line.split()[1]) for line in log.read_text().splitlines()[1:-1]]
    assert number == list(range(number[0], number[-1] + 1))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["part.log", "part.log.1"]


def test_a_short_log_and_one_that_cannot_be_moved_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "part.log"
    part = Part("part", [sys.executable, "-c", "print('hello', flush=True)"], log)
    until(part.ended, 60)
    part.rotate_log()
    assert [path.name for path in tmp_path.iterdir()] == ["part.log"]
    monkeypatch.setattr(parts, "MAX_LOG_BYTES", 1)
    (tmp_path / "part.log.1").mkdir()
    part.rotate_log()
    assert log.read_text() == "hello\n"
    log.unlink()
    part.rotate_log()


SUPERVISES = """
import sys
from pathlib import Path
from config.embedded import parts, processes
parts.MAX_LOG_BYTES, processes.LOG_SECONDS = 20_000, 0.2
supervisor = processes.Supervisor()
supervisor.parts.append(parts.Part("part", [sys.executable, "-c", sys.argv[1]], Path(sys.argv[2])))
try:
    supervisor.watch()
except processes.StoppedError:
    supervisor.stop()
"""


def test_the_supervisor_rotates_long_logs(tmp_path: Path) -> None:
    """In a process of its own, as it takes the signals of the one that it is in."""
    log = tmp_path / "part.log"
    command = [sys.executable, "-c", SUPERVISES, WRITES, str(log)]
    supervisor = subprocess.Popen(command, cwd=ROOT)
    try:
        until((tmp_path / "part.log.1").exists, 60)
        until(lambda: log.stat().st_size < 20_000, 60)
    finally:
        supervisor.terminate()
        assert supervisor.wait(60) == 0


def test_the_unit_of_systemd_starts_what_there_is() -> None:
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(ROOT / "ops/magnitudes.service")
    service = unit["Service"]
    command, target = service["ExecStart"].split()
    assert command == "/usr/bin/make"
    assert f"\n{target}: " in (ROOT / "Makefile").read_text()
    assert (service["KillMode"], service["Restart"]) == ("mixed", "always")
    assert float(service["TimeoutStopSec"]) > processes.STOP_SECONDS
