"""Write the judgments and runs of a study in the layout of NTCIREVAL."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.publishing.exports import CannotExport
from evaluation.publishing.ntcireval import write
from judging.management.studies import study_of
from magnitudes.files.words import count
from magnitudes.gains.named import forms


class Command(BaseCommand):
    help = "Write files that NTCIREVAL and pyNTCIREVAL read: levels of documents, and runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", metavar="DIR", required=True, help="a new folder")
        parser.add_argument("--gains", metavar="NAME", help=forms())
        parser.add_argument(
            "--levels", metavar="N", type=int, help="N levels in place of gains, 2 to 127"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_of(options["slug"])
        folder = Path(options["out"])
        try:
            written = write(study, folder, options["gains"], options["levels"])
        except CannotExport as fault:
            name = f"--{fault.option}: " if fault.option else ""
            raise CommandError(f"{name}{fault}") from fault
        except FileExistsError as fault:
            raise CommandError(f"{folder} is there already: name a new folder.") from fault
        except OSError as fault:
            raise CommandError(f"{fault.filename or folder}: {fault.strerror}") from fault
        for remark in written.remarks:
            self.stderr.write(remark)
        for level, gain in written.gain_of_level.items():
            self.stderr.write(f"level {level}: gain {gain}")
        numbers = ":".join(map(str, range(1, written.highest + 1)))
        self.stderr.write(f"NTCIREVAL: -g {numbers}")
        topics, runs = count(written.topics, "topic"), count(written.runs, "run")
        self.stdout.write(f"{folder}: {topics}, {runs}")
