"""Write a study as a folder to publish."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.studies import study_of
from magnitudes.files.words import count
from magnitudes.gains.named import forms
from workspace.management.files import new_file
from workspace.publishing.describing import LICENCES
from workspace.publishing.releasing import CannotRelease, ReleaseOptions, as_zip, release, write


class Command(BaseCommand):
    help = "Write a folder to publish: judgments without a trace of who gave them, gains, rankings."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--out", metavar="DIR", type=Path, required=True, help="a new folder, or a file.zip"
        )
        parser.add_argument(
            *("--gains", "-g"),
            metavar="NAME",
            action="append",
            default=[],
            help=f"beside the usual ones, once for each: {forms()}",
        )
        parser.add_argument("--justifications", action="store_true", help="what workers wrote, too")
        parser.add_argument(
            "--author", metavar="NAME", action="append", default=[], help="to cite, once for each"
        )

        parser.add_argument(
            *("--licence", "-l"),
            choices=list(LICENCES),
            default="",
            help="of judgments, gains and rankings",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_of(options["slug"])
        chosen = ReleaseOptions(
            tuple(options["gains"]),
            options["justifications"],
            tuple(options["author"]),
            options["licence"],
        )
        try:
            files = release(study, chosen, by=None)
        except CannotRelease as fault:
            raise CommandError(str(fault)) from fault
        out = options["out"]
        if out.suffix == ".zip":
            with new_file(out) as target:
                target.writelines(as_zip(study, files))
            self.stdout.write(f"{out}: {out.stat().st_size:,} bytes")
            return
        try:
            self.stdout.write(f"{out}: {count(write(files, out), 'file')}")
        except FileExistsError as fault:
            raise CommandError(f"{out} is there already: name a new folder.") from fault
        except OSError as fault:
            raise CommandError(f"{fault.filename or out}: {fault.strerror}") from fault
