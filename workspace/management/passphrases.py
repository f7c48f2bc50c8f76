"""A passphrase for a command comes from a file, as a shell stores command lines in its history."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError


def add_passphrase(parser: ArgumentParser, what_for: str) -> None:
    parser.add_argument(
        "--passphrase-file", metavar="FILE", type=Path, help=f"{what_for}: the file's first line"
    )


def passphrase_of(options: Mapping[str, Any]) -> str:
    """The passphrase that a command was given, or "".

    Raises:
        CommandError: its file cannot be read, or its first line is empty.
    """
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
