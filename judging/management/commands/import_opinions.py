import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from judging.collections.opinion_files import BadReading, Reading, read_files
from judging.collections.opinions import CannotImport, Imported, import_opinions, list_missing
from judging.management.file_commands import add_encoding, import_error
from magnitudes.files.containers.archives import total_size
from magnitudes.files.containers.recoding import UnknownEncoding
from magnitudes.files.errors import BadFile
from magnitudes.files.labels.opinions import FIELDS
from magnitudes.files.words import count


class Command(BaseCommand):
    help = (
        "Import labels or magnitudes that several people gave elsewhere, as a study of their own; "
        f"all or nothing. Files are CSV, TSV or JSONL with the columns {', '.join(FIELDS)} (the "
        "last two need not be there), or archives of these."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="SLUG")
        parser.add_argument("files", metavar="FILE", nargs="+")
        parser.add_argument("--collection", required=True, metavar="SLUG", help="made if absent")
        parser.add_argument(
            "--scale",
            choices=["graded", "magnitude"],
            default="graded",
            help="levels, or any positive numbers",
        )
        self._add_readings(parser)
        add_encoding(parser)
        parser.add_argument(
            "--columns",
            nargs="+",
            default=(),
            metavar="FIELD=COLUMN",
            help="what the files call a field: worker=WorkerNumber",
        )
        parser.add_argument(
            "--gold",
            default="",
            metavar="COLUMN",
            help="a column with an expert's label: one more opinion a document, by the worker gold",
        )
        parser.add_argument("--title", default="", help="of the study")
        parser.add_argument(
            "--main-aspect",
            default="",
            metavar="TEXT",
            help="the aspect that gains are of; page if not given, or what most opinions are on",
        )
        parser.add_argument(
            "--replace", action="store_true", help="put these in the place of other opinions"
        )

    def _add_readings(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--levels", nargs="+", metavar="TEXT", help="names of the levels, lowest first"
        )
        parser.add_argument(
            "--values",
            nargs="+",
            metavar="TEXT",
            help="what the files write for them; 0 1 2 ... if not given, or the names if all are "
            "numbers. Names are read as well.",
        )
        parser.add_argument(
            "--missing",
            nargs="+",
            metavar="TEXT",
            help="labels that stand for none, every other one being a fault; if not given, all "
            "that are no level, and of magnitudes none but empty ones",
        )
        parser.add_argument(
            "--group",
            metavar="COLUMN",
            help="of magnitudes: a worker's scores of a topic with one text in this column are on "
            "one scale, that of a unit; worker: all of them are; if not given, the column unit, or "
            "worker where there is none",
        )
        parser.add_argument(
            "--zero",
            type=float,
            metavar="NUMBER",
            help="of magnitudes: what a 0 is read as; if not given, it is refused",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        reading, files = _reading(options), options["files"]
        try:
            with tqdm(total=total_size(files), unit="B", unit_scale=True, file=sys.stderr) as bar:
                read = read_files(files, reading, bar.update)
            done = import_opinions(
                options["study"],
                options["collection"],
                read.opinions,
                read.levels,
                title=options["title"],
                main_aspect=options["main_aspect"],
                replace=options["replace"],
            )
        except BadReading as fault:
            names = ", ".join(f"--{name}" for name in fault.options)
            raise CommandError(f"{names}: {fault}\nNothing was imported.") from fault
        except (BadFile, CannotImport, UnknownEncoding) as fault:
            raise import_error(fault, "Nothing was imported.") from fault
        self._report(done)
        for sentence in read.sentences:
            self.stdout.write(f"columns: {sentence}")

    def _report(self, done: Imported) -> None:
        missing = sum(done.missing.values())
        self.stdout.write(
            count(done.rows, "row")
            + (f" and {count(done.golds, 'gold label')}" if done.golds else "")
            + f", {count(done.workers, 'worker')}, {count(done.topics, 'topic')}, "
            f"{count(done.pairs, 'pair')} of topic and document, {done.shared:,} of them "
            f"with {'scores' if done.groups else 'labels'} by two workers or more"
            + (f" on the aspect {done.main_aspect}" if done.main_aspect else "")
            + ("; all of it was there already" if done.unchanged else "")
        )
        self._report_groups(done.groups)
        if missing and done.groups:
            self.stdout.write(
                f"{count(missing, 'row has', 'rows have')} no score: {list_missing(done.missing)}"
            )
        elif missing:
            self.stdout.write(
                f"{count(missing, 'label is', 'labels are')} missing, being no level: "
                f"{list_missing(done.missing)}"
            )
        for name in done.unused:
            self.stderr.write(f"warning: nobody gave the level {name}")

    def _report_groups(self, groups: list[int]) -> None:
        if not groups:
            return
        self.stdout.write(
            f"{count(len(groups), 'group')} of a worker's scores on a topic, of {min(groups):,} to "
            f"{max(groups):,}, each on a scale of its own"
        )
        if alone := groups.count(1):
            self.stderr.write(
                f"warning: {count(alone, 'score stands', 'scores stand')} alone on a scale, which "
                "makes it the middle of its topic: --group may name a wider group"
            )


def _reading(options: dict[str, Any]) -> Reading:
    is_graded = options["scale"] == "graded"
    for name in ("group", "zero") if is_graded else ("levels", "values", "gold"):
        if options[name] not in (None, ""):
            scale = "magnitude" if is_graded else "graded"
            raise CommandError(f"--{name} is of use with --scale {scale} only")
    if is_graded and not options["levels"]:
        raise CommandError("--levels: expected their names, lowest first, or --scale magnitude")
    names = ("levels", "values", "missing", "group", "zero", "gold", "encoding")
    given = {name: options[name] for name in names if options[name] is not None}
    return Reading(columns=_columns(options["columns"]), **given)


def _columns(arguments: list[str]) -> dict[str, str]:
    columns: dict[str, str] = {}
    for argument in arguments:
        name, _, column = argument.partition("=")
        if name not in FIELDS or not column or name in columns:
            raise CommandError(
                f"--columns {argument}: expected FIELD=COLUMN, each FIELD once, one of "
                f"{', '.join(FIELDS)}"
            )
        columns[name] = column
    return columns
