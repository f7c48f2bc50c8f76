"""Make a study from its study.toml."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.studies.opening import topics_without_question
from judging.studies.settings import BadStudy, create_study, read_config
from trec.words import count


class Command(BaseCommand):
    help = "Make a draft study over a collection."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--collection", required=True, metavar="SLUG")
        parser.add_argument("--config", required=True, metavar="study.toml")
        parser.add_argument(
            "--replace", action="store_true", help="put it, without units, in the place of a draft"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            config = read_config(options["config"])
            study = create_study(
                options["slug"], options["collection"], config, replace=options["replace"]
            )
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNo study was made.") from fault
        topics = count(study.topics.count(), "topic")
        self.stdout.write(f"study {study}: {topics}. Next: plan_units {study}")
        if lacking := topics_without_question(study):
            self.stderr.write(
                f"warning: no question with four options and an answer: {', '.join(lacking)}. "
                "The study cannot be opened: write a table for each topic in its study.toml, and "
                "make it again with --replace."
            )
