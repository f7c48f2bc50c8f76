"""Give a study another name."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.studies import study_of
from judging.studies.faults import BadStudy
from judging.studies.setup.removal import rename


class Command(BaseCommand):
    help = "Give a study another name in addresses, while no workers come, or another title."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--to", metavar="SLUG", help="its new name in addresses")
        parser.add_argument("--title", help="its new title")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["to"] is None and options["title"] is None:
            raise CommandError("Name --to, --title or both.")
        study = study_of(options["slug"])
        try:
            study = rename(study.slug, None, slug=options["to"], title=options["title"])
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNothing was changed.") from fault
        self.stdout.write(f"study {study}: {study.title}")
