"""Leave a worker's scores out of every computation, or let them count again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.studies import study_of
from judging.studies.faults import BadStudy
from judging.studies.underway.exclusion import exclude, take_back_exclusion


class Command(BaseCommand):
    help = "Leave a worker's scores out of every computation; the units stay completed and paid."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("worker", help="the pseudonym")
        reason = parser.add_mutually_exclusive_group(required=True)
        reason.add_argument("--reason", help="why; kept in the study's trail")
        reason.add_argument("--take-back", action="store_true", help="let the scores count again")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_of(options["slug"])
        worker = study.workers.filter(pseudonym=options["worker"]).first()
        if worker is None:
            raise CommandError(f"Study {study} has no worker {options['worker']}.")
        try:
            if options["take_back"]:
                take_back_exclusion(worker, None)
            else:
                exclude(worker, options["reason"], None)
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNothing was changed.") from fault
        counts = "counts again" if options["take_back"] else "is excluded"
        self.stdout.write(f"worker {worker} {counts}")
