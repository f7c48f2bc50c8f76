"""Have documents of a study judged more often."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.studies import study_of
from judging.studies.faults import BadStudy
from judging.studies.underway.batches import add_batch, size_of


class Command(BaseCommand):
    help = "Add units beside those of the plan, by which documents are judged more often."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--topic",
            nargs="+",
            action="append",
            metavar=("TOPIC", "DOC"),
            help="a topic, and some of its documents; all topics if none is named",
        )
        parser.add_argument(
            "--judgments", type=int, default=1, help="more of each document; 1 if not said"
        )
        parser.add_argument("--seed", type=int, help="of the draw; a fresh one if none is given")
        parser.add_argument(
            "--up-to-redundancy",
            action="store_true",
            help="judgments beyond the study's redundancy do not count; else all count",
        )
        parser.add_argument(
            "--number", type=int, help="the batch's: asked for twice it is made once"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_of(options["slug"])
        chosen: dict[str, list[str]] = {}
        for topic, *documents in options["topic"] or ():
            chosen.setdefault(topic, []).extend(documents)
        arguments = (study, chosen or None, options["judgments"])
        try:
            batch = add_batch(
                *arguments,
                None,
                seed=options["seed"],
                number=options["number"],
                all_judgments=not options["up_to_redundancy"],
            )
            size = size_of(*arguments)
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNothing was added.") from fault
        self.stdout.write(
            f"batch {batch.number}: {size.units} units, at least {size.workers} workers who "
            f"have not judged its topics; seed {batch.seed}"
        )
