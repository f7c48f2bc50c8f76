"""Create a study, and its collection, of an archive."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.collections.incoming import CannotImport
from magnitudes.files.errors import BadFile
from magnitudes.files.words import count
from workspace.archive.encryption import BadPassphrase
from workspace.archive.importing import import_archive
from workspace.management.files import add_passphrase, passphrase_of


class Command(BaseCommand):
    help = "Make the study of an archive, with its collection and results."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--study", metavar="SLUG", default="", help="another name for it")
        parser.add_argument(
            "--collection", metavar="SLUG", default="", help="another name for its collection"
        )
        add_passphrase(parser, "what platforms' ids were sealed with; without it they stay out")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            imported = import_archive(
                options["file"],
                by=None,
                slug=options["study"],
                collection=options["collection"],
                passphrase=passphrase_of(options),
            )
        except (BadFile, BadPassphrase, CannotImport) as fault:
            raise CommandError(f"{fault}\nNothing was imported.") from fault
        rows, study = imported.rows, imported.study
        units = count(rows["units"], "unit")
        self.stdout.write(
            f"study {study}: {count(rows['study_topics'], 'topic')}, {units}, "
            f"{count(rows['judgments'] + rows['opinions'], 'judgment')}; "
            f"collection {study.collection}: {count(rows['documents'], 'document')}, "
            f"{count(rows['runs'], 'run')}"
        )
        if imported.ended:
            ended = count(imported.ended, "attempt")
            self.stderr.write(f"{ended} ended: nobody can go on with them here.")
        if imported.ids_left_out:
            self.stderr.write("Platforms' ids stayed out: they are sealed with a passphrase.")
