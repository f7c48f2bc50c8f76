"""Write a table of a study to a file."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.management.printing import print_lines
from evaluation.publishing.exports import EXPORTS, OPTIONS, CannotExport, file
from evaluation.publishing.pair_gains import AGGREGATIONS, NORMALISATIONS
from judging.management.studies import study_of
from magnitudes.gains.named import forms
from magnitudes.gains.whole_numbers import trec_eval_gains


class Command(BaseCommand):
    help = "Write a table of a study, to stdout or --out; what it says of itself goes to stderr."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("table", choices=EXPORTS)
        parser.add_argument("--format", choices=["trec", "csv", "jsonl"])
        parser.add_argument("--out", metavar="FILE")
        parser.add_argument("--normalisation", choices=NORMALISATIONS, help="of qrels")
        parser.add_argument("--aggregation", choices=AGGREGATIONS, help="of qrels")
        parser.add_argument("--measure", metavar="NAME", help="of rankings: such as AP@10")
        parser.add_argument("--gains", metavar="NAME", help=f"of qrels and rankings: {forms()}")
        parser.add_argument(
            "--integers", metavar="FACTOR", type=float, help="of qrels: gains times this, rounded"
        )
        parser.add_argument(
            "--levels", metavar="N", type=int, help="of qrels: N levels in place of gains, 2 to 127"
        )
        parser.add_argument(
            "--for",
            dest="reader",
            choices=["spreadsheet"],
            help="of CSV: no text that a spreadsheet would run as a formula",
        )

    def handle(self, *args: Any, **given: Any) -> None:
        study = study_of(given["slug"])
        options = {name: given[name] for name in OPTIONS if given[name] is not None}
        for name in options:
            if given["table"] not in OPTIONS[name]:
                raise CommandError(f"--{name} is an option of {' and '.join(OPTIONS[name])} only.")
        file_format = given["format"] or EXPORTS[given["table"]].formats[0]
        options["for_spreadsheet"] = given["reader"] == "spreadsheet"
        try:
            table = file(study, given["table"], file_format, **options)
        except CannotExport as fault:
            option = f"--{fault.option}: " if fault.option in options else ""
            raise CommandError(f"{option}{fault}") from fault
        for remark in table.remarks:
            self.stderr.write(remark)
        for level, gain in table.gain_of_level.items():
            self.stderr.write(f"level {level}: gain {gain}")
        if table.gain_of_level:
            self.stderr.write(f"trec_eval: -m ndcg.{trec_eval_gains(table.gain_of_level)}")
        if given["out"]:
            self._write(Path(given["out"]), table.lines)
        else:
            print_lines(self.stdout, table.lines)

    def _write(self, path: Path, lines: Iterator[str]) -> None:
        try:
            with path.open("w", encoding="utf-8", newline="") as target:
                target.writelines(lines)
        except OSError as fault:
            raise CommandError(f"{path}: {fault.strerror}") from fault
