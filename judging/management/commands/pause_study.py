"""Pause a study, or let it go on."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.studies import study_of
from judging.studies.faults import BadStudy
from judging.studies.underway import running


class Command(BaseCommand):
    help = "Let nobody begin a unit; whoever has one in hand may finish it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--resume", action="store_true", help="let the study go on")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_of(options["slug"])
        try:
            study = (running.resume if options["resume"] else running.pause)(study, None)
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNothing was changed.") from fault
        self.stdout.write(f"study {study} is {study.stage}")
