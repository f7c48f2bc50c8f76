"""`python -m tests.faults --minutes 5 --seed 7`: everything goes wrong while a crowd is at work.

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
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import django

from tests.faults.site import variables

if TYPE_CHECKING:
    from tests.faults.fault import Strike
    from tests.faults.harness import Report

MOST_ROWS = 20  # of what is wrong by one check


def main() -> int:
    """The exit status."""
    options = _options()
    signal.signal(signal.SIGTERM, _end)
    made = None if options.folder else Path(tempfile.mkdtemp(prefix="faults-"))
    folder = (made or options.folder).resolve() / "var"  # whose name is in no command line of ours
    os.environ.update(variables(folder))
    django.setup()
    from tests.faults import families, harness  # once the settings know the folder

    _tell(f"seed {options.seed}, {options.workers} workers, {options.minutes:g} minutes; {folder}")
    began = time.monotonic()
    report = harness.run(
        harness.Options(
            options.minutes,
            options.seed,
            options.workers,
            options.topics,
            options.redundancy,
            options.vanishes,
            folder,
            tuple(filter(None, options.families.split(","))) or tuple(families.FAMILIES),
        ),
        _tell,
    )
    _say(f"seed {options.seed}, {options.workers} workers, {time.monotonic() - began:.0f} s")
    _print(report)
    if not report.is_good:
        _say(f"the logs are in {folder / 'log'}")
    elif made:
        shutil.rmtree(made)
    return 0 if report.is_good else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--workers", type=int, default=64, help="at once")
    parser.add_argument("--topics", type=int, default=12, help="of each study; six units for each")
    parser.add_argument("--redundancy", type=int, default=5, help="so many times those units")
    parser.add_argument(
        "--vanishes",
        type=float,
        default=0.0005,
        help="the chance, at each press of a button, that a worker closes the browser for good",
    )
    parser.add_argument("--families", default="", help="of faults, by commas; all if none")
    parser.add_argument("--folder", type=Path, help="for the site; it is kept")
    return parser.parse_args()


def _end(number: int, frame: FrameType | None) -> None:
    """TERM ends it as Ctrl-C does: the site is stopped."""
    raise SystemExit(1)


def _print(report: "Report") -> None:
    record = report.record
    kinds = Counter(trouble.kind for trouble in record.troubles)
    for family, why in report.skipped.items():
        _say(f"SKIPPED  {family}: {why}")
    _say(_recoveries("faults", report.strikes))
    for kind in sorted({strike.kind for strike in report.strikes}):
        _say(_recoveries(kind, [strike for strike in report.strikes if strike.kind == kind]))
    _say(
        f"requests {record.counts['requests']}, slowest {record.slowest:.1f} s; answered with an "
        f"error {kinds['error']}, cut by the site {kinds['cut']}"
    )
    _say(
        f"judgments acknowledged {record.counts['acknowledged']}; "
        f"connections cut before the answer {record.counts['dropped before']}, "
        f"answers forgotten {record.counts['dropped after']}; "
        f"workers who never returned {len(record.vanished)}"
    )
    _say(f"units completed {report.units}, in {len(report.studies)} studies")
    for name, complaints in report.wrong.items():
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
