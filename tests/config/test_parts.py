"""A full or read-only disk ends no supervisor."""

import sys
from errno import ENOSPC
from pathlib import Path

import pytest

from config.embedded import parts
from config.embedded.parts import Part, kill_session
from config.embedded.processes import tell

from .helpers import until


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


def test_what_cannot_be_told_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", FullDisk())
    tell("the disk is full")


class FullDisk:
    """What standard error is then."""

    def write(self, text: str) -> int:
        raise OSError(ENOSPC, "No space left on device")
