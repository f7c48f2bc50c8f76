"""Open a study."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.studies.setup.settings import BadStudy
from judging.studies.underway.opening import open_study


class Command(BaseCommand):
    help = open_study.__doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = open_study(options["slug"])
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNothing was changed.") from fault
        self.stdout.write(f"study {study} is {study.stage}")
