"""Pool the documents of a study and draw its units."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.models import Study
from judging.studies.planning import CannotPlan, plan


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
            default="rank",
            help="the rank field as written, or the order in which runs are evaluated",
        )
        parser.add_argument("--seed", type=int, help="of all draws; a fresh one if none is given")

    def handle(self, *args: Any, **given: Any) -> None:
        study = Study.objects.filter(slug=given["slug"]).first()
        if study is None:
            raise CommandError(f"There is no study {given['slug']}.")
        for name in ("pool_depth", "seed"):
            if given[name] is not None and given[name] < (name == "pool_depth"):
                raise CommandError(f"--{name.replace('_', '-')} {given[name]}: too small.")
        try:
            made = plan(study, depth=given["pool_depth"], by=given["pool_by"], seed=given["seed"])
        except CannotPlan as fault:
            raise CommandError(f"{fault}\nNothing was planned.") from fault
        for warning in made.warnings:
            self.stderr.write(f"warning: {warning}")
        self.stdout.write(
            f"{made.documents} documents, {made.units} units, "
            f"at least {made.largest_topic} workers (a worker judges a topic once); "
            f"seed {made.seed}"
        )
