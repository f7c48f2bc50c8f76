"""`python -m tests.faults.cut --times 20 --seed 7`: commands are killed in their midst.

Ends with 1 if anything was half done, or became other than what nobody killed.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.faults.cut.commands import Command


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.cut")
    parser.add_argument("--times", type=int, default=20, help="that each is killed")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--size", type=int, default=20, help="topics")
    parser.add_argument("--only", default="", help="these commands, with commas between")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="cut-"))
    os.environ["VAR_DIR"] = str(folder / "var")
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    sys.stdout.write(f"seed {options.seed}, each {options.times} times; {folder}\n")
    wrong = _run(options, folder)
    if not wrong:
        shutil.rmtree(folder)
    return 1 if wrong else 0


def _run(options: argparse.Namespace, folder: Path) -> int:
    """How many were not as they should be."""
    from tests.faults.cut import preloaded  # noqa: F401 - Django, once VAR_DIR is known

    from django.core.management import call_command  # isort: skip

    from tests.faults.cut.cutting import WAYS, cuts, learnt
    from tests.faults.cut.sites import commands

    wrong = 0
    call_command("migrate", verbosity=0)
    with commands(folder, options.size) as known:
        for command in _chosen(known, options.only):
            with learnt(command, folder / f"{command.name}-whole"):
                pass
            for cut in cuts(command, options.times, options.seed, folder / command.name, WAYS):
                sys.stdout.write(f"{cut}\n")
                sys.stdout.flush()
                wrong += bool(cut.wrong)
    return wrong


def _chosen(known: "list[Command]", only: str) -> "list[Command]":
    return [command for command in known if not only or command.name in only.split(",")]


if __name__ == "__main__":
    sys.exit(main())
