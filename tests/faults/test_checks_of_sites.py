"""Each check of what befalls a site, and of what health says of it, can fail."""

import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from tests.config.helpers import ROOT
from tests.faults import checks, commands
from tests.faults.families import possible
from tests.faults.fault import Lacking
from tests.faults.helpers import found, strike
from tests.faults.kills import EXCUSES
from tests.faults.record import Record, Trouble
from tests.faults.site import Site
from tests.faults.watching import Sight


def test_a_site_that_does_not_recover_or_takes_long():
    strikes = [
        strike("kill web", 0.0, 0.0, 2.0),
        strike("stop web", 10.0, 20.0, 41.0),
        strike("stop worker", 50.0, 60.0, 11.0),
        strike("kill worker", 80.0, 80.0, None),
    ]
    late, never = checks.recoveries(strikes)
    assert "31.0 s to recover from stop web" in late
    assert "no recovery from kill worker" in never


@pytest.mark.parametrize(
    ("kind", "victim", "began", "excused"),
    [
        ("error", "postgres", 11.0, True),
        ("error", "backend", 12.5, True),
        ("error", "backend", 13.5, False),  # all had been well for longer than the grace
        ("error", "backend", 5.0, False),  # it ended before
        ("error", "valkey", 11.0, False),  # pages need none
        ("error", "worker", 11.0, False),
        ("error", "web", 11.0, False),
        ("cut", "web worker", 11.0, True),
        ("cut", "postgres", 11.0, False),
        ("refusal", "postgres", 11.0, False),
    ],
)
def test_a_request_that_failed_without_a_cause(kind, victim, began, excused):
    record = Record(troubles=[Trouble(kind, "GET /", began, began + 0.5)])
    excuses = [*EXCUSES.get(victim, ())]
    said = list(checks.answers(record, [strike(victim, 10.0, 10.0, 2.0, excuses=excuses)]))
    assert said == ([] if excused else [f"{checks.WORDS[kind]} without a cause: GET /"])


def test_an_answer_that_took_too_long():
    record = Record()
    record.took("GET /", time.monotonic() - 31)
    assert "a slow answer without a cause: GET /: 31.0 s" in found(checks.answers(record, []))
    stopped = strike("stop", time.monotonic() - 20, time.monotonic(), 20.0, excuses=["slow"])
    assert list(checks.answers(record, [stopped])) == []


def ready(began: float, code: int | None, seconds: float = 0.1, says: str = "ok") -> Sight:
    return Sight("/readyz", began, began + seconds, code, says)


def status(began: float, *wrong: str) -> Sight:
    return Sight("/status", began, began + 1.0, 200, "{}", wrong)


@pytest.mark.parametrize(
    ("befell", "sights", "said"),
    [
        ({"ready": False}, [ready(11, 503)], ""),
        ({"ready": False}, [ready(11, 200), ready(15, 503)], "did not tell of fault"),
        ({"ready": True}, [ready(11, 200)], ""),
        ({"ready": True}, [ready(11, 503)], "nobody can be served, while fault"),
        ({"told_by": ["redis", "queues"]}, [status(11, "redis")], ""),
        ({"told_by": ["redis"]}, [status(11, "disk")], "/status did not tell of fault"),
        ({"told_by": ["redis"]}, [status(9, "redis")], "/status did not tell of fault"),
        ({}, [ready(11, 503)], ""),
        ({}, [ready(40, 503, says="no")], "'no' while nothing was wrong"),
        ({}, [ready(40, 200, 6.0)], "took 6.0 s"),
        ({}, [ready(11, 503, 6.0)], "took 6.0 s"),
        ({"excuses": ["slow"]}, [ready(11, 200, 6.0)], ""),
        ({"hangs": True}, [ready(11, 503, 6.0)], ""),
        ({}, [ready(11, None)], "gave no answer"),
        ({"excuses": ["cut"]}, [ready(11, None)], ""),
        ({"excuses": ["cut"]}, [ready(40, None)], "gave no answer"),
    ],
)
def test_health_that_does_not_tell_the_truth(befell, sights, said):
    """The fault lasts from 10 to 14, and all is well at 16."""
    strikes = [strike("fault", 10.0, 14.0, 6.0, **befell)]
    complaints = [*checks.health(strikes, sights), *checks.calm(strikes, sights)]
    assert len(complaints) == bool(said)
    assert said in "".join(complaints)


@pytest.mark.parametrize(
    ("sight", "well_since", "said"),
    [
        (status(40, "redis", "backups"), 0, "told of redis while nothing was wrong"),
        (status(40, "backups"), 0, ""),
        (status(15, "redis"), 0, ""),
        (status(20, "redis"), 0, ""),  # what it says is some seconds old
        (status(24, "redis"), 0, "told of redis"),
        (status(8, "workers"), 0, "told of workers"),
        (status(8, "workers"), 9, ""),  # it was being started
    ],
)
def test_health_that_tells_of_what_is_not_wrong(sight, well_since, said):
    """The fault lasts from 10 to 14, and all is well at 16."""
    strikes = [strike("fault", 10.0, 14.0, 6.0)]
    complaints = list(checks.calm(strikes, [sight], well_since))
    assert len(complaints) == bool(said)
    assert said in "".join(complaints)


class Called(commands.Killed):
    """A program in the place of a command; it is connected at once."""

    def __init__(self, folder: Path, *program: str) -> None:
        site = Site.__new__(Site)
        site.folder, self.program = folder, program
        super().__init__(site, Random(1))

    def words(self) -> list[str]:
        return ["command"]

    def half(self) -> list[str]:
        return []

    def is_done(self) -> bool:
        return True

    def ask(self, question: str, *arguments: object) -> list:
        return [(1,)]

    def _call(self) -> subprocess.Popen:
        return subprocess.Popen(self.program, start_new_session=True)


def test_a_command_that_ended_before_it_was_killed_does_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "WORKS", 0.5)
    monkeypatch.setattr(Called, "ask", lambda *question: [])  # and so it ends before it is struck
    assert Called(tmp_path, "true").begin() == ""


def test_a_command_that_is_killed_counts(tmp_path):
    killed = Called(tmp_path, "sleep", "600")
    assert killed.begin().endswith("it ended with -9")
    killed.program = ("true",)
    assert killed.wrong() == []


def test_a_command_that_fails_before_it_is_killed_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(Called, "ask", lambda *question: [])
    failed = Called(tmp_path, "false")
    monkeypatch.setattr(failed, "_said", lambda: "why")
    assert failed.begin().endswith("it ended with 1")
    failed.program = ("true",)
    assert failed.wrong() == ["command ended with 1: why"]


def test_the_long_run_does_not_begin_without_its_data(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", "--full", "--folder", tmp_path / "run"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "DATA"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "DATA" in done.stdout) == (1, True), done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("insists", [True, False])
def test_a_family_that_is_not_possible_is_no_matter_of_course(tmp_path, insists):
    site = Site.__new__(Site)
    site.folder, site.clocks = tmp_path, None  # neither a disk of its own nor clocks
    families = ("disks", "clocks", "kills")
    if insists:
        with pytest.raises(Lacking, match=r"disks: the site has no .*; clocks: no C "):
            possible(site, families, insists=True)
    else:
        kinds, skipped = possible(site, families, insists=False)
        assert (set(skipped), "kill web" in kinds) == ({"disks", "clocks"}, True)


def test_a_site_that_leaves_something_behind(tmp_path: Path):
    code = "import time; print(flush=True); time.sleep(60)"
    left = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
    site = Site.__new__(Site)  # not started: its supervisor is a process that ends with a fault
    site.folder = tmp_path
    site.process = subprocess.Popen(["sleep", "60"], stdout=subprocess.PIPE)
    try:
        time.sleep(0.1)
        process, ended = site.stop()
        assert process == f"a process is left: {left.pid}"
        assert ended == "the supervisor ended with -15"
    finally:
        left.kill()
        left.communicate()
