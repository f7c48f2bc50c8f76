from argparse import ArgumentParser

from django.core.management.base import CommandError

from magnitudes.files.containers.recoding import NotUTF8


def add_encoding(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--encoding", default="", help="of the files, as latin-1, if it is not UTF-8"
    )


def import_error(fault: ValueError, outcome: str) -> CommandError:
    option = ", or the name of another encoding, as --encoding latin-1"
    return CommandError(f"{fault}{option if isinstance(fault, NotUTF8) else ''}\n{outcome}")
