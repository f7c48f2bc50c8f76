"""Open a study."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.models import Study
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.missing import missing, missing_for_people
from judging.studies.faults import BadStudy
from workspace.setup.opening import Terms, terms_of


class Command(BaseCommand):
    help = "Say what a planned study takes, and let workers in."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        study = Study.objects.filter(slug=slug, stage=Study.Stage.DRAFT).first()
        try:
            if study and not study.is_imported and not missing(study):
                self._print_terms(terms_of(study))
            study = open_study(slug)
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNothing was changed.") from fault
        self.stdout.write(f"study {study} is {study.stage}")

    def _print_terms(self, terms: Terms) -> None:
        for words in terms.parts.values():
            self.stdout.write(words)
        for what in (*(lack.what for lack in missing_for_people(terms.study)), terms.too_low):
            if what:
                self.stderr.write(f"warning: {what}")
