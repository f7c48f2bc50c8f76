"""`python -m tests.faults --minutes 5 --seed 7`: everything goes wrong while a crowd is at work.

`--full` is the long run: Cranfield, in the folder that DATA names, about 10,000 units, each kind of
fault 20 times; it does not begin where one of them is not possible.

Ends with 1 if any rule did not hold; then the folder with the logs is kept. What is drawn from the
seed is what goes wrong when and whose connection is cut; what else happens at that moment is not.
"""

import argparse
import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import django

from tests.faults import disks
from tests.faults.fault import Lacking
from tests.faults.site import variables

if TYPE_CHECKING:
    from tests.faults.fault import Strike
    from tests.faults.harness import Run

MOST_ROWS = 20  # of what is wrong by one check
FAMILIES = "kills,stops,disks,clocks,servers"
FULL = {"redundancy": 85, "speedup": 30.0, "expiry": 5, "each": 20, "pause": (10.0, 10.0)}


def main() -> int:
    options = _options()
    if options.full and not os.environ.get("DATA"):
        _say("NOT POSSIBLE HERE: --full judges Cranfield, and DATA does not name its folder")
        return 1
    signal.signal(signal.SIGTERM, _end)
    folder = (options.folder or Path(tempfile.mkdtemp(prefix="faults-"))).resolve()
    var = folder / "var"  # whose name is in no command line of ours
    with ExitStack() as stack:
        if "disks" in options.families:  # before the settings write a key there
            stack.enter_context(disks.mounted(var, options.megabytes))
        os.environ.update(variables(var))
        django.setup()
        from tests.faults import harness  # once the settings know the folder

        began, run = time.monotonic(), harness.Run(options, var, _tell)
        try:
            run.to_the_end()
        except Lacking as lacking:
            _say(f"NOT POSSIBLE HERE: {lacking}")
            return 1
    _say(f"seed {options.seed}, {options.workers} workers, {time.monotonic() - began:.0f} s")
    _print(run)
    if not run.report.is_good:
        _say(f"the logs are in {var / 'log'}")
        return 1
    if not options.folder:
        shutil.rmtree(folder)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    add = parser.add_argument
    add("--full", action="store_true", help="the long run")
    add("--minutes", type=float, default=5.0, help="of the storm; not for --full")
    add("--seed", type=int, default=random.randrange(1_000_000))
    add("--workers", type=int, default=64, help="at once")
    add("--topics", type=int, default=12, help="of each study; six units for each")
    add("--redundancy", type=int, default=5, help="so many times those units")
    add("--speedup", type=float, default=400.0, help="the workers' seconds in one")
    add("--expiry", type=int, default=1, help="minutes until a unit is taken back")
    add("--each", type=int, default=0, help="how often each kind is to come; 0: --minutes")
    add("--most", type=int, default=sys.maxsize, help="faults")
    add("--pause", type=float, nargs=2, default=(0.5, 3.0), help="seconds, recovery to next fault")
    add("--megabytes", type=int, default=4096, help="of the site's disk")
    add("--vanishes", type=float, default=0.0005, help="chance, at each press, to leave for good")
    add("--families", type=lambda names: names.split(","), default=FAMILIES.split(","))
    add("--folder", type=Path, help="for the site; it is kept")
    given = parser.parse_args()
    return argparse.Namespace(**vars(given) | (FULL if given.full else {}))


def _end(number: int, frame: FrameType | None) -> None:
    """TERM ends it as Ctrl-C does: the site is stopped."""
    raise SystemExit(1)


def _print(run: "Run") -> None:
    record, strikes = run.record, run.strikes
    kinds = Counter(trouble.kind for trouble in record.troubles)
    for family, why in run.report.skipped.items():
        _say(f"SKIPPED  {family}: {why}")
    _say(_recoveries("faults", strikes))
    for kind in sorted({strike.kind for strike in strikes}):
        _say(_recoveries(kind, [strike for strike in strikes if strike.kind == kind]))
    counts = record.counts
    _say(
        f"{len(run.studies)} studies; requests {counts['requests']}, slowest {record.slowest:.1f} "
        f"s; answered with an error {kinds['error']}, cut by the site {kinds['cut']}"
    )
    _say(
        f"judgments acknowledged {counts['acknowledged']}; connections cut before the answer "
        f"{counts['dropped before']}, answers forgotten {counts['dropped after']}, forms older "
        f"than an answer {counts['older']}; workers who never returned {len(record.vanished)}"
    )
    for name, complaints in run.report.wrong.items():
        _say(f"{'VIOLATED' if complaints else 'ok':9}{name}")
        for complaint in complaints[:MOST_ROWS]:
            _say(f"    {complaint}")
        if len(complaints) > MOST_ROWS:
            _say(f"    and {len(complaints) - MOST_ROWS} more")


def _recoveries(name: str, strikes: "Sequence[Strike]") -> str:
    """How many there were, and how long it took until the site was well again."""
    said = f"{name}: {len(strikes)}"
    if seconds := [s.recovered - (s.ended or s.at) for s in strikes if s.seconds is not None]:
        said += f", well again in {statistics.median(seconds):.1f} s (median)"
        said += f", {max(seconds):.1f} s (longest)"
    return said


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
