"""Write a table of a study to a file."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.exports import EXPORTS, OF_GAINS, CannotExport, lines
from evaluation.gains.named import FORMS
from evaluation.management.printing import print_lines
from evaluation.results import AGGREGATIONS, NORMALISATIONS, remark
from judging.models import Study

# Which tables each option is for.
OPTIONS = {
    "normalisation": ("qrels",),
    "aggregation": ("qrels",),
    "gains": OF_GAINS,
}


class Command(BaseCommand):
    help = "Write a table of a study, to stdout or --out."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("table", choices=EXPORTS)
        parser.add_argument("--format", choices=["trec", "csv", "jsonl"])
        parser.add_argument("--out", metavar="FILE")
        parser.add_argument("--normalisation", choices=NORMALISATIONS, help="of qrels")
        parser.add_argument("--aggregation", choices=AGGREGATIONS, help="of qrels")
        parser.add_argument("--gains", metavar="NAME", help=f"of qrels and rankings: {FORMS}")

    def handle(self, *args: Any, **given: Any) -> None:
        study = Study.objects.filter(slug=given["slug"]).first()
        if study is None:
            raise CommandError(f"There is no study {given['slug']}.")
        options = {name: given[name] for name in OPTIONS if given[name] is not None}
        for name in options:
            if given["table"] not in OPTIONS[name]:
                raise CommandError(f"--{name} is an option of {' and '.join(OPTIONS[name])} only.")
        written = given["format"] or EXPORTS[given["table"]].formats[0]
        try:
            made = lines(study, given["table"], written, **options)
            said = remark(study, given["gains"]) if given["gains"] else ""
        except CannotExport as fault:
            raise CommandError(str(fault)) from fault
        if said:
            self.stderr.write(f"{given['gains']}: {said}")
        if given["out"]:
            self._write(Path(given["out"]), made)
        else:
            print_lines(self.stdout, made)

    def _write(self, path: Path, made: Iterator[str]) -> None:
        try:
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(made)
        except OSError as fault:
            raise CommandError(f"{path}: {fault.strerror}") from fault
