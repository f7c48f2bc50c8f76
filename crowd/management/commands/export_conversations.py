"""Write all conversations with the language model of a study, one unit a line."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crowd.language_model.conversations import conversations
from crowd.models import ModelRun


class Command(BaseCommand):
    help = "Write what was sent to the language model of a study, and its answers, as JSON lines."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **options: Any) -> None:
        run = ModelRun.objects.select_related("study").filter(study__slug=options["slug"]).first()
        if run is None:
            raise CommandError(f"No language model judges a study {options['slug']}.")
        for row in conversations(run):
            self.stdout.write(json.dumps(row, ensure_ascii=False))
