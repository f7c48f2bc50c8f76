from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from judging.management.file_commands import add_encoding, import_error
from judging.studies.conduct.opening import topics_without_question
from judging.studies.configuration.questions import with_questions
from judging.studies.configuration.settings import BadStudy, create_study, read_config
from magnitudes.files.containers.recoding import UnknownEncoding
from magnitudes.files.errors import BadFile
from magnitudes.files.words import count


class Command(BaseCommand):
    help = "Make a draft study over a collection."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--collection", required=True, metavar="SLUG")
        parser.add_argument("--config", required=True, metavar="study.toml")
        parser.add_argument(
            "--questions", metavar="FILE", help="questions and anchors of topics, as one CSV file"
        )
        add_encoding(parser)
        parser.add_argument(
            "--replace", action="store_true", help="put it, without units, in the place of a draft"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug, home, replace = options["slug"], options["collection"], options["replace"]
        try:
            config = read_config(options["config"])
            if options["questions"]:
                config = with_questions(config, options["questions"], options["encoding"])
            study = create_study(slug, home, config, replace=replace)
        except (BadFile, BadStudy, UnknownEncoding) as fault:
            raise import_error(fault, "No study was made.") from fault
        topics = count(study.topics.count(), "topic")
        self.stdout.write(f"study {study}: {topics}. Next: plan_units {study}")
        if lacking := topics_without_question(study):
            self.stderr.write(
                f"warning: no question with four options and an answer: {', '.join(lacking)}. "
                "The study cannot be opened: write a table for each topic in its study.toml, or "
                "a row for each in --questions, and make it again with --replace."
            )
