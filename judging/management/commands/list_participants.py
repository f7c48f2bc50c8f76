"""Put people on a study's list of participants, take them off it, or say how many are on it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.studies import study_of
from judging.studies.faults import BadStudy
from judging.studies.setup.participants import (
    add_participants,
    clear_participants,
    counts,
    remove_participants,
)


class Command(BaseCommand):
    help = "Change a study's list of participants, by files with a platform's id on each line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--add", metavar="FILE", help="put these ids on the list")
        what.add_argument("--remove", metavar="FILE", help="take these ids off the list")
        what.add_argument("--clear", action="store_true", help="delete the whole list")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_of(options["slug"])
        try:
            if options["add"]:
                add_participants(study, _lines(options["add"]), None)
            elif options["remove"]:
                remove_participants(study, _lines(options["remove"]), None)
            elif options["clear"]:
                clear_participants(study, None)
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNothing was changed.") from fault
        listed, come = counts(study)
        self.stdout.write(f"study {study}: {listed} on the list, {come} of them have come")


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise CommandError(f"{path}: {fault}; expected a text with one id a line") from fault
