"""Write a study as an archive."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.studies import study_of
from workspace.archive.encryption import BadPassphrase
from workspace.archive.exporting import CannotArchive, export_archive
from workspace.management.files import add_passphrase, new_file, passphrase_of


class Command(BaseCommand):
    help = "Write everything that a study's results come from into one file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", metavar="FILE", type=Path, help="a new file, as study.zip")
        add_passphrase(parser, "put platforms' ids and completion codes in too, encrypted")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_of(options["slug"])
        try:
            pieces = export_archive(study, by=None, passphrase=passphrase_of(options))
        except (BadPassphrase, CannotArchive) as fault:
            raise CommandError(str(fault)) from fault
        with new_file(options["file"]) as target:
            target.writelines(pieces)
        size = options["file"].stat().st_size
        self.stdout.write(f"{options['file']}: study {study}, {size:,} bytes")
