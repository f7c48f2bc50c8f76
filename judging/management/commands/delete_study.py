"""Delete a study."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.studies import study_of
from judging.studies.faults import BadStudy
from judging.studies.setup.removal import delete_study
from trec.words import count


class Command(BaseCommand):
    help = "Delete a draft or a closed study with all that hangs on it, for good."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--typed",
            metavar="SLUG",
            default="",
            help="its name once more; wanted where people have given data",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_of(options["slug"])
        try:
            numbers = delete_study(study.slug, None, options["typed"])
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNothing was deleted.") from fault
        deleted = "".join(f", {count(n, name)}" for name, n in numbers.items() if n)
        self.stdout.write(f"deleted study {options['slug']}{deleted}")
