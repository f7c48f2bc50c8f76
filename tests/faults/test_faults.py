"""A short run of the fault harness; `make fault-test` runs longer ones."""

import re
import subprocess
import sys
from pathlib import Path

from tests.config.helpers import ROOT, servers_left

SECONDS = 600  # that it may take on a busy machine
FAMILIES = ("stops", "connections", "redis", "kills")
# By this seed Redis forgets everything, PostgreSQL stands still, a worker is killed, connections
# are used up, and Redis has no memory left. Nobody vanishes: it takes a minute until what they had
# in hand is taken from them.
OPTIONS = "--each 1 --most 5 --seed 3 --workers 16 --topics 6 --vanishes 0".split()
OPTIONS += ["--redundancy", "3", "--pause", "0.1", "0.5", "--families", ",".join(FAMILIES)]
UNITS, UNIT_SIZE = 100, 8


def test_every_rule_holds_while_everything_goes_wrong(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", *OPTIONS, "--folder", tmp_path],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "VIOLATED" not in done.stdout
    assert "NOT OVER" not in done.stdout
    assert int(re.search(r"^faults: (\d+)", done.stdout, re.MULTILINE)[1]) >= 5
    assert int(re.search(r"acknowledged (\d+)", done.stdout)[1]) >= UNITS * UNIT_SIZE
    assert not servers_left(tmp_path / "var")
