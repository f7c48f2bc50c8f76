"""Compute the evaluation of a study anew, from its judgments."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from evaluation.pipeline import evaluate
from judging.management.studies import study_of


class Command(BaseCommand):
    help = "Compute and publish the evaluation of a study, all of it, from its judgments."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **given: Any) -> None:
        study = study_of(given["slug"])
        done = evaluate(study, everything=True)
        assert done  # noqa: S101 - it has waited for its turn
        self.stdout.write(
            f"study {study}: {done.topics} topics, {done.units} units, {done.judgments} judgments"
        )
