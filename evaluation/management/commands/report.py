"""Write everything that a study says into one folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from evaluation.analyses import of_study
from evaluation.report import folder as report
from evaluation.study.data import SEED, load
from judging.management.studies import study_of
from magnitudes.files.words import count


class Command(BaseCommand):
    help = "Write a report: the draft of a paper for TeX and as a page, with all its files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", metavar="DIR", required=True)
        parser.add_argument("--labels", metavar="NAME", default="", help="labels to compare with")
        parser.add_argument("--seed", type=int, default=SEED, help="of random draws")

    def handle(self, *args: Any, **given: Any) -> None:
        study = study_of(given["slug"])
        names = list(study.collection.label_sets.order_by("name").values_list("name", flat=True))
        if given["labels"] and given["labels"] not in names:
            raise CommandError(
                f"There are no labels {given['labels']}; expected {' or '.join(names) or 'none'}."
            )
        if given["seed"] < 0:
            raise CommandError(f"The seed {given['seed']}: expected a whole number, zero or more.")
        known = (
            report.cached_results(study, given["labels"] or study.labels)
            if given["seed"] == SEED
            else {}
        )
        data = load(study, given["labels"], given["seed"])
        if not data.topics:
            raise CommandError(f"No unit of {study} is completed yet: there is nothing to report.")
        folder = Path(given["out"])
        try:
            with tqdm(total=len(of_study(study)), desc="report", unit="analysis") as bar:

                def done(name: str) -> None:
                    bar.set_postfix_str(name)
                    bar.update()

                written = report.write(data, folder, done, known)
        except report.NotEmpty as fault:
            raise CommandError(str(fault)) from fault
        except OSError as fault:
            raise CommandError(f"{fault.filename or folder}: {fault.strerror}") from fault
        given_elsewhere = "label" if study.is_graded else "score"
        what = given_elsewhere if study.is_imported else "judgment"
        judged = count(len(data.judgments), what)
        units = "" if study.is_imported else f" in {count(len(data.units), 'unit')}"
        self.stdout.write(f"{folder}: {count(written.files, 'file')} on {judged}{units} of {study}")
        if written.faults:
            why = "; ".join(f"{name}: {fault}" for name, fault in written.faults.items())
            raise CommandError(f"Some could not be computed. {why}")
