"""Make a study from its study.toml."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.studies import BadStudy, create_study, read_config, topics_without_question


class Command(BaseCommand):
    help = "Make a draft study over a collection."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--collection", required=True, metavar="SLUG")
        parser.add_argument("--config", required=True, metavar="study.toml")

    def handle(self, *args: Any, **given: Any) -> None:
        try:
            study = create_study(given["slug"], given["collection"], read_config(given["config"]))
        except BadStudy as fault:
            raise CommandError(f"{fault}\nNo study was made.") from fault
        self.stdout.write(f"study {study}: {study.topics.count()} topics. Next: plan_units {study}")
        if lacking := topics_without_question(study):
            self.stderr.write(
                f"warning: no question with four options and an answer: {', '.join(lacking)}. "
                f"The study cannot be opened: make it under another name, "
                "with a table for each topic in its study.toml."
            )
