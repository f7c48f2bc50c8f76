"""Bring in labels that several people gave elsewhere."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from judging.collections.opinions import CannotImport, Imported, import_opinions, listed
from judging.levels import NotLevels, read_levels
from trec.archives import open_members, total_size
from trec.errors import BadFile
from trec.opinion_columns import ColumnChoice
from trec.opinions import FIELDS, read_opinions
from trec.scales import BadScale, Scale
from trec.words import count


class Command(BaseCommand):
    help = (
        "Import labels that several people gave elsewhere, as a study of their own; all or "
        f"nothing. Files are CSV, TSV or JSONL with the columns {', '.join(FIELDS)} (the last two "
        "need not be there), or archives of these."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="SLUG")
        parser.add_argument("files", metavar="FILE", nargs="+")
        parser.add_argument("--collection", required=True, metavar="SLUG", help="made if absent")
        parser.add_argument(
            "--levels",
            nargs="+",
            metavar="TEXT",
            required=True,
            help="names of the levels, lowest first",
        )
        parser.add_argument(
            "--values",
            nargs="+",
            metavar="TEXT",
            default=(),
            help="what the files write for them; 0 1 2 ... if not given, or the names if all are "
            "numbers. Names are read as well.",
        )
        parser.add_argument(
            "--missing",
            nargs="+",
            metavar="TEXT",
            help="labels that stand for none, every other one being a fault; if not given, all "
            "that are no level",
        )
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

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            levels = read_levels(options["levels"])
            scale = Scale(levels, options["values"], options["missing"])
        except (NotLevels, BadScale) as fault:
            raise CommandError(f"--levels, --values, --missing: {fault}.") from fault
        columns = _columns(options["columns"])
        choice = ColumnChoice(columns, options["gold"])
        files = options["files"]
        try:
            with tqdm(total=total_size(files), unit="B", unit_scale=True, file=sys.stderr) as bar:
                members = choice.watch(open_members(files, bar.update))
                opinions = read_opinions(members, scale, columns, options["gold"])
            done = import_opinions(
                options["study"],
                options["collection"],
                opinions,
                levels,
                title=options["title"],
                main_aspect=options["main_aspect"],
                replace=options["replace"],
            )
        except (BadFile, CannotImport) as fault:
            raise CommandError(f"{fault}\nNothing was imported.") from fault
        self._tell(done)
        for sentence in choice.sentences:
            self.stdout.write(f"columns: {sentence}")

    def _tell(self, done: Imported) -> None:
        missing = sum(done.missing.values())
        self.stdout.write(
            count(done.rows, "row")
            + (f" and {count(done.golds, 'gold label')}" if done.golds else "")
            + f", {count(done.workers, 'worker')}, {count(done.topics, 'topic')}, "
            f"{count(done.pairs, 'pair')} of topic and document, {done.shared:,} of them "
            "with labels by two workers or more"
            + (f" on the aspect {done.main_aspect}" if done.main_aspect else "")
            + ("; all of it was there already" if done.unchanged else "")
        )
        if missing:
            self.stdout.write(
                f"{count(missing, 'label is', 'labels are')} missing, being no level: "
                f"{listed(done.missing)}"
            )
        for name in done.unused:
            self.stderr.write(f"warning: nobody gave the level {name}")


def _columns(arguments: list[str]) -> dict[str, str]:
    """The columns that --columns names, by field."""
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
