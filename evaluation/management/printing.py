"""Output of commands that others read on: files, tables, values."""

from argparse import ArgumentParser
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, OutputWrapper

from magnitudes import commands


def print_lines(out: OutputWrapper, lines: Iterable[str]) -> None:
    """Write lines as they are; that nobody reads them to their end, as in `| head`, is no fault."""
    out.ending = ""
    commands.print_lines(out, lines)


class LibraryCommand(BaseCommand):
    """A command of the library, which needs no database."""

    module: ModuleType
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.module.add_arguments(parser)

    def handle(self, *args: Any, **given: Any) -> None:
        try:
            lines = self.module.run(given, self.stderr.write)
        except commands.FAULTS as fault:
            raise CommandError(str(fault)) from fault
        print_lines(self.stdout, lines)
