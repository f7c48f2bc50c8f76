"""`python -m tests.fuzzing --inputs 1000000 --minutes 60`: hostile bytes for every reader.

Guided by the lines of code that inputs reach (atheris, libFuzzer) where that is installed, else, or
with --plain, by mutations of our own. Ends with 1 if a reader raised what is not its own error,
took more than a second of processor time for an input, grew by more than 200 MiB, or did not have
all its inputs. What was found is kept in the folder, made small, and given first the next time.
"""

import argparse
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path

from tests.fuzzing import OURS

# What inputs are led through beside our own code; of what is written in C nothing is seen.
LIBRARIES = ("tomllib", "tarfile", "zipfile", "jwt")


def main() -> int:
    options = _options()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    import tests.environment  # noqa: F401

    guided = not options.plain and find_spec("atheris") is not None
    with _instrumented() if guided else nullcontext():
        django.setup()
        from tests.fuzzing.campaign import Plan, notes, run
        from tests.fuzzing.readers import READERS

    names = options.reader or list(READERS)
    if unknown := set(names) - READERS.keys():
        raise SystemExit(f"No such reader: {', '.join(sorted(unknown))}")
    seconds, processes = 60 * options.minutes, os.cpu_count() or 1
    plan = Plan(options.folder, options.inputs, options.seed, seconds, processes, guided)
    finds = run(plan, [READERS[name] for name in names], _say)
    for line in notes(finds):
        _say(line)
    way = "guided by coverage" if guided else "not guided"
    _say(f"{way}, seed {plan.seed}: {len(names)} readers, {len(finds)} finds; {plan.folder}")
    return 1 if finds else 0


def _instrumented() -> AbstractContextManager[object]:
    """Within, the product is imported so that it tells which lines are reached."""
    import atheris

    return atheris.instrument_imports(include=[*OURS, *LIBRARIES])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.fuzzing", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="of all readers together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", action="append", metavar="NAME", help="these alone")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--plain", action="store_true", help="without atheris")
    parser.add_argument("--folder", type=Path, default=Path("var/fuzzing"))
    return parser.parse_args()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
