from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandError


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A new file to write to; it is deleted if what is written is not finished."""
    try:
        with path.open("xb") as target:
            yield target
    except FileExistsError as fault:
        raise CommandError(f"{path} is there already: name a new file.") from fault
    except OSError as fault:
        path.unlink(missing_ok=True)
        raise CommandError(f"{path}: {fault.strerror}") from fault
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def add_passphrase(parser: ArgumentParser, what_for: str) -> None:
    """A passphrase comes from a file, as a shell stores command lines in its history."""
    parser.add_argument(
        "--passphrase-file", metavar="FILE", type=Path, help=f"{what_for}: the file's first line"
    )


def passphrase_of(options: Mapping[str, Any]) -> str:
    """The passphrase that a command was given, or ""."""
    path = options["passphrase_file"]
    if path is None:
        return ""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise CommandError(f"{path}: {fault}") from fault
    if not lines or not lines[0]:
        raise CommandError(f"{path}: expected a passphrase on the first line")
    return str(lines[0])
