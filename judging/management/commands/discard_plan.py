"""Discard the plan of a study."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.studies import study_of
from judging.studies.faults import BadStudy
from judging.studies.planning import discard_plan


class Command(BaseCommand):
    help = "Delete the units of a draft, and anchors that were drawn, so that it can be changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = discard_plan(study_of(options["slug"]).slug, None)
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNothing was changed.") from fault
        self.stdout.write(f"study {study} has no units. Next: plan_units {study}")
