"""The library on the command line: `magnitudes evaluate QRELS RUN... --measures nDCG@10 ERR@10`."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module

COMMANDS = ("evaluate", "compare", "calibrate")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 1 where it cannot, and 2 for arguments that are none."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = ArgumentParser(prog="magnitudes", description="Runs, labels and values from files.")
    commands = parser.add_subparsers(dest="command", required=True)
    # Only what is asked for is imported, unless help is.
    for name in given[:1] if given[:1] and given[0] in COMMANDS else COMMANDS:
        module = import_module(f"magnitudes.commands.{name}")
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        if name == "evaluate":
            module.add_arguments(command, nameless=True)
        else:
            module.add_arguments(command)
        command.set_defaults(run=module.run)
    options = parser.parse_args(given)
    from magnitudes.commands import FAULTS, print_lines

    try:
        lines = options.run(vars(options), _say)
    except FAULTS as fault:
        _say(f"magnitudes {options.command}: {fault}")
        return 1
    print_lines(sys.stdout, lines)
    return 0


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
