"""A short run of the fault harness; `make fault-test` runs longer ones."""

import re
import subprocess
import sys
from pathlib import Path

from tests.config.helpers import ROOT, servers_left

SECONDS = 300  # that it may take on a busy machine
# A small study, as what is left of it when the storm is over is judged to the end.
OPTIONS = "--minutes 0.3 --seed 1 --workers 12 --topics 6 --redundancy 1 --families kills".split()
UNITS, UNIT_SIZE = 36, 8


def test_every_rule_holds_while_everything_is_killed(tmp_path: Path) -> None:
    done = subprocess.run(
        # Nobody vanishes: it takes a minute until what they had in hand is taken from them.
        [sys.executable, "-m", "tests.faults", *OPTIONS, "--vanishes", "0", "--folder", tmp_path],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "VIOLATED" not in done.stdout
    assert int(re.search(r"^faults: (\d+)", done.stdout, re.MULTILINE)[1]) > 0
    assert int(re.search(r"acknowledged (\d+)", done.stdout)[1]) >= UNITS * UNIT_SIZE
    assert not servers_left(tmp_path / "var")
