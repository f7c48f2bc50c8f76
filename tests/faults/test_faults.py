"""A short run of the fault harness; `make fault-test` runs longer ones."""

import re
import subprocess
import sys
from pathlib import Path

from tests.config.helpers import ROOT, servers_left

SECONDS = 600  # that it may take on a busy machine
# Nobody vanishes: it takes a minute until what they had in hand is taken from them.
OPTIONS = "--minutes 0.3 --seed 1 --workers 12 --topics 6 --redundancy 1 --vanishes 0".split()
OPTIONS += ["--families", "kills,connections,redis"]
UNITS, UNIT_SIZE = 36, 8


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
    assert int(re.search(r"^faults: (\d+)", done.stdout, re.MULTILINE)[1]) > 0
    assert int(re.search(r"acknowledged (\d+)", done.stdout)[1]) >= UNITS * UNIT_SIZE
    assert not servers_left(tmp_path / "var")
