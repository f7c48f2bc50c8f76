from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.studies import study_of
from judging.studies.unit_plans import CannotPlan, plan


class Command(BaseCommand):
    help = "Pool documents and draw units; may be repeated until the study opens."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--pool-depth", type=int, help="documents of each run; else the study's"
        )
        parser.add_argument(
            "--pool-by",
            choices=["rank", "order"],
            help="the rank field as written, or the order in which runs are evaluated; else the "
            "study's, which is rank unless set",
        )
        parser.add_argument("--seed", type=int, help="of all draws; a fresh one if none is given")

    def handle(self, *args: Any, **options: Any) -> None:
        study, depth = study_of(options["slug"]), options["pool_depth"]
        try:
            planned = plan(study, depth=depth, pool_by=options["pool_by"], seed=options["seed"])
        except CannotPlan as fault:
            raise CommandError(f"{fault}\nNothing was planned.") from fault
        for warning in planned.warnings:
            self.stderr.write(f"warning: {warning}")
        cutoff = f"to rank {planned.cutoff}" if planned.cutoff else "by no measure unless asked"
        self.stdout.write(
            f"{planned.documents} documents, {planned.units} units, "
            f"at least {planned.workers} workers (a worker judges a topic once); "
            f"seed {planned.seed}; systems are compared {cutoff}"
        )
