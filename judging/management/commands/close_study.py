import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.studies.conduct.closing import close_study
from judging.studies.configuration.settings import BadStudy


class Command(BaseCommand):
    help = (
        "Close a study: nobody new is admitted, and whoever is judging may finish. This is final: "
        "a closed study does not open again. In a terminal it asks first."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        if not options["yes"] and sys.stdin.isatty() and not _confirmed(slug):
            raise CommandError("Nothing was changed.")
        try:
            study = close_study(slug)
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNothing was changed.") from fault
        self.stdout.write(f"study {study} is {study.stage}")


def _confirmed(slug: str) -> bool:
    question = f"Closing study {slug} is final: it does not open again. Close it? [y/N] "
    return input(question).strip().lower() in ("y", "yes")
