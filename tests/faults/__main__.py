"""`python -m tests.faults --minutes 5 --seed 7`: everything goes wrong while a crowd is at work.

`--full` is the long run: Cranfield, in the folder that DATA names, about 10,000 units, each kind of
fault 20 times; it does not begin where one of them is not possible. With `--folder F` it goes on
where it was ended, after `--at-most` minutes, by a signal, or by a crash.

Ends with 1 if any rule did not hold; then the folder with the logs is kept. Ends with 2 if the same
command has to go on. What is drawn from the
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
from tests.faults.judged import Cranfield, Judged
from tests.faults.site import variables

if TYPE_CHECKING:
    from tests.faults.fault import Strike
    from tests.faults.report import Options, Report

MOST_ROWS = 20  # of what is wrong by one check
STORM = {
    "topics": 12,
    "redundancy": 5,
    "speedup": 400.0,
    "expiry": 1,
    "each": 0,
    "pause": [0.5, 3.0],
    "at_most": 60.0,
    "megabytes": 4096,
}
FULL = STORM | {"redundancy": 85, "speedup": 30.0, "expiry": 5, "each": 20, "pause": [10.0, 10.0]}


def main() -> int:
    """The exit status."""
    given = _options()
    if given.full and not os.environ.get("DATA"):
        _say("NOT POSSIBLE HERE: --full judges Cranfield, and DATA does not name its folder")
        return 1
    signal.signal(signal.SIGTERM, _end)
    folder = (given.folder or Path(tempfile.mkdtemp(prefix="faults-"))).resolve()
    var = folder / "var"  # whose name is in no command line of ours
    with ExitStack() as stack:
        if "disks" in (given.families or "disks"):  # before the settings write a key there
            stack.enter_context(disks.mounted(var, given.megabytes))
        try:
            report = _run(given, folder, var)
        except Lacking as lacking:
            _say(f"NOT POSSIBLE HERE: {lacking}")
            return 1
    if not report.is_good:
        return 1
    if not given.folder:
        shutil.rmtree(folder)
    return 0 if report.is_over else 2


def _run(given: argparse.Namespace, folder: Path, var: Path) -> "Report":
    os.environ.update(variables(var))
    django.setup()
    from tests.faults import harness  # once the settings know the folder

    began = time.monotonic()
    run = harness.Run(_asked(given, folder), _tell)
    _tell(f"seed {run.kept.seed}, run {run.kept.run}, {given.workers} workers; {folder}")
    report = run.to_the_end()
    _say(
        f"seed {run.kept.seed}, run {run.kept.run}, {given.workers} workers, "
        f"{time.monotonic() - began:.0f} s"
    )
    _print(report)
    if not report.is_good:
        _say(f"the logs are in {var / 'log'}")
    return report


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--full", action="store_true", help="the long run")
    parser.add_argument("--minutes", type=float, default=5.0, help="of the storm; not for --full")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--workers", type=int, default=64, help="at once")
    parser.add_argument("--topics", type=int, help="of each study; six units for each")
    parser.add_argument("--redundancy", type=int, help="so many times those units")
    parser.add_argument("--speedup", type=float, help="the workers' seconds in one")
    parser.add_argument("--expiry", type=int, help="minutes until a unit is taken back")
    parser.add_argument("--each", type=int, help="how often each kind is to come; 0: --minutes")
    parser.add_argument("--most", type=int, default=sys.maxsize, help="faults in one run")
    parser.add_argument("--pause", type=float, nargs=2, help="seconds from a recovery to the next")
    parser.add_argument("--at-most", type=float, help="minutes, for all of it")
    parser.add_argument("--megabytes", type=int, help="of the site's disk")
    parser.add_argument(
        "--vanishes",
        type=float,
        default=0.0005,
        help="the chance, at each press of a button, that a worker closes the browser for good",
    )
    parser.add_argument("--families", default="", help="of faults, by commas; all if none")
    parser.add_argument("--folder", type=Path, help="for the site; it is kept, and gone on with")
    given = parser.parse_args()
    for name, usual in (FULL if given.full else STORM).items():
        if getattr(given, name) is None:
            setattr(given, name, usual)
    return given


def _asked(given: argparse.Namespace, folder: Path) -> "Options":
    from tests.faults import families
    from tests.faults.report import Options

    kind = Cranfield if given.full else Judged
    return Options(
        folder=folder,
        seed=given.seed,
        judged=kind(given.topics, given.redundancy, given.speedup, given.expiry),
        workers=given.workers,
        vanishes=given.vanishes,
        families=tuple(filter(None, given.families.split(","))) or tuple(families.FAMILIES),
        pause=(given.pause[0], given.pause[1]),
        each=given.each,
        most=given.most,
        lasts=60 * given.minutes,
        at_most=60 * given.at_most,
        insists=given.full,
    )


def _end(number: int, frame: FrameType | None) -> None:
    """TERM ends it as Ctrl-C does: the site is stopped."""
    raise SystemExit(1)


def _print(report: "Report") -> None:
    record, strikes = report.kept.record, report.kept.strikes
    kinds = Counter(trouble.kind for trouble in record.troubles)
    for family, why in report.skipped.items():
        _say(f"SKIPPED  {family}: {why}")
    _say(_recoveries("faults", strikes))
    for kind in sorted({strike.kind for strike in strikes}):
        _say(_recoveries(kind, [strike for strike in strikes if strike.kind == kind]))
    _say(
        f"requests {record.counts['requests']}, slowest {record.slowest:.1f} s; answered with an "
        f"error {kinds['error']}, cut by the site {kinds['cut']}"
    )
    _say(
        f"judgments acknowledged {record.counts['acknowledged']}; "
        f"connections cut before the answer {record.counts['dropped before']}, "
        f"answers forgotten {record.counts['dropped after']}, "
        f"forms older than an answer {record.counts['older']}; "
        f"workers who never returned {len(record.vanished)}, "
        f"who were sent away and came back {len(record.away)}"
    )
    _say(f"units completed {report.units} of {report.planned}, in {len(report.studies)} studies")
    for name, complaints in report.wrong.items():
        _say(f"{'VIOLATED' if complaints else 'ok':9}{name}")
        for complaint in complaints[:MOST_ROWS]:
            _say(f"    {complaint}")
        if len(complaints) > MOST_ROWS:
            _say(f"    and {len(complaints) - MOST_ROWS} more")
    if not report.is_over:
        still = ", ".join(f"{kind} {times}" for kind, times in report.left.items()) or "none"
        _say(f"NOT OVER: the same command goes on. Faults still to come: {still}")


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
