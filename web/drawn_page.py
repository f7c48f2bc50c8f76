"""Pages of docs/ that a command draws from the code, and compares with the code in the tests."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError


class DrawnPage(BaseCommand):
    """A command that draws a page; `source` is the code that it is drawn from."""

    path: Path
    source: str
    requires_system_checks = ()

    def page(self) -> str:
        raise NotImplementedError

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing, only compare")
        parser.add_argument("--out", type=Path, default=self.path, metavar="FILE")

    def handle(self, *args: Any, **given: Any) -> None:
        command = type(self).__module__.rpartition(".")[2]
        drawn = f"Drawn by `manage.py {command}` from {self.source}: change that, not this."
        path, wanted = given["out"], f"<!-- {drawn} -->\n{self.page()}\n"
        if not given["check"]:
            path.write_text(wanted, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != wanted:
            raise CommandError(f"{path} is stale: run manage.py {command}.")
