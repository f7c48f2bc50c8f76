import sys
from argparse import ArgumentParser
from itertools import chain
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from judging.collections.cleaning import MAX_LENGTH
from judging.collections.importing import MAX_NAMED, CannotImport, Imported, import_collection
from judging.management.file_commands import add_encoding, import_error
from magnitudes.files.containers.archives import total_size
from magnitudes.files.containers.recoding import UnknownEncoding
from magnitudes.files.errors import BadFile
from magnitudes.files.words import count


class Command(BaseCommand):
    help = "Import a test collection from files; all or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        several = {"nargs": "+", "action": "extend", "default": []}
        parser.add_argument("--topics", metavar="FILE", **several)  # type: ignore[arg-type]
        parser.add_argument("--documents", metavar="FILE", **several)  # type: ignore[arg-type]
        parser.add_argument(
            "--qrels",
            metavar="[NAME=]FILE",
            help="labels; the name of their set is reference if none is given",
            **several,  # type: ignore[arg-type]
        )
        parser.add_argument("--runs", metavar="PATH", **several)  # type: ignore[arg-type]
        parser.add_argument(
            "--files",
            metavar="PATH",
            help="archives or folders with files of several kinds, as a BEIR data set in one zip: "
            "each file is taken for what it holds, labels for the set reference",
            **several,  # type: ignore[arg-type]
        )
        add_encoding(parser)
        parser.add_argument(
            "--make-topics",
            action="store_true",
            help="make the topics that labels and runs name, without text",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        qrels: dict[str, list[str]] = {}
        for argument in options["qrels"]:
            name, _, path = argument.rpartition("=")
            qrels.setdefault(name or "reference", []).append(path)
        topics, documents, runs = options["topics"], options["documents"], options["runs"]
        files = [*topics, *documents, *chain.from_iterable(qrels.values()), *runs]
        if not (files or options["files"]):
            named = "--topics, --documents, --qrels, --runs or --files"
            raise CommandError(f"Nothing to import: name {named}.")
        try:
            with tqdm(total=total_size(files), unit="B", unit_scale=True, file=sys.stderr) as bar:
                done = import_collection(
                    options["slug"],
                    topics=topics,
                    documents=documents,
                    qrels=qrels,
                    runs=runs,
                    mixed=options["files"],
                    encoding=options["encoding"],
                    make_topics=options["make_topics"],
                    progress=bar.update,
                )
        except (BadFile, CannotImport, UnknownEncoding) as fault:
            raise import_error(fault, "Nothing was imported.") from fault
        self._report(done)

    def _report(self, done: Imported) -> None:
        self.stdout.write(
            f"topics {done.topics}, documents {done.documents}, runs {done.runs} "
            f"({done.lists} lists) new or changed"
        )
        for name, labels in done.labels.items():
            self.stdout.write(f"labels {name}: {labels}")
        if done.made_topics:
            self.stdout.write(
                f"{count(len(done.made_topics), 'topic was', 'topics were')} made without text: "
                f"{', '.join(sorted(done.made_topics)[:MAX_NAMED])}"
            )
        too_long = f"longer than {MAX_LENGTH:,} characters, and shown as far as that"
        for ids, what in ((done.empty, "empty, and left out"), (done.cut, too_long)):
            if ids:
                documents = count(len(ids), "document is", "documents are")
                self.stdout.write(f"{documents} {what}: {', '.join(ids[:MAX_NAMED])}")
        if done.without_text:
            self.stdout.write(f"runs and labels name {done.without_text} documents without text")
        if done.unknown_topics:
            topics = ", ".join(sorted(done.unknown_topics))
            self.stdout.write(f"left out, as the collection has no such topic: {topics}")
