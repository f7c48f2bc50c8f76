"""`python -m tests.fuzzing --inputs 1000000 --minutes 60`: hostile bytes for every reader.

Guided by the lines of code that inputs reach (atheris, libFuzzer) where that is installed, else, or
with --plain, by mutations of our own. Ends with 1 if a reader raised what is not its own error,
took more than a second of processor time for an input, or grew by more than 200 MiB. What was found
is kept in the folder, made small. The next run of the same product, seed and way goes on from
there; any other begins anew, with all that was ever found.
"""

import argparse
import os
import sys
from pathlib import Path


def main() -> int:
    """The exit status."""
    options = _options()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    import tests.environment  # noqa: F401

    django.setup()
    from tests.fuzzing.campaign import Campaign, Plan, can_be_guided, notes
    from tests.fuzzing.readers import READERS

    names = options.reader or list(READERS)
    if unknown := set(names) - READERS.keys():
        raise SystemExit(f"No such reader: {', '.join(sorted(unknown))}")
    plan = Plan(
        options.folder,
        options.inputs,
        options.seed,
        60 * options.minutes,
        options.processes,
        guided=can_be_guided() and not options.plain,
    )
    campaign = Campaign(plan, [READERS[name] for name in names], _say)
    finds = campaign.run()
    for line in notes(finds):
        _say(line)
    done = [told for name, told in campaign.told.items() if name in names]
    way = "guided by coverage" if plan.guided else "not guided"
    inputs, slowest = sum(told.inputs for told in done), max(told.slowest for told in done)
    grown = max(told.growth for told in done) / 2**20
    _say(
        f"{way}, seed {options.seed}: {inputs:,} inputs for {len(done)} readers, "
        f"{len(finds)} finds, slowest {slowest:.2f} s, memory +{grown:.0f} MiB at most; "
        f"{campaign.folder}"
    )
    return 1 if finds else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.fuzzing", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="of all readers together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", action="append", metavar="NAME", help="these alone")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--plain", action="store_true", help="without atheris")
    parser.add_argument("--folder", type=Path, default=Path("var/fuzzing"))
    return parser.parse_args()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
