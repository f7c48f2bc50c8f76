"""Bring topics, documents, labels and runs into a collection."""

import sys
from argparse import ArgumentParser
from itertools import chain
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from judging.collections.cleaning import LONGEST
from judging.collections.importing import CannotImport, import_collection
from trec.archives import total_size
from trec.errors import BadFile
from trec.words import count


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

    def handle(self, *args: Any, **options: Any) -> None:
        qrels: dict[str, list[str]] = {}
        for argument in options["qrels"]:
            name, _, path = argument.rpartition("=")
            qrels.setdefault(name or "reference", []).append(path)
        topics, documents, runs = options["topics"], options["documents"], options["runs"]
        files = [*topics, *documents, *chain.from_iterable(qrels.values()), *runs]
        if not files:
            raise CommandError("Nothing to import: name --topics, --documents, --qrels or --runs.")
        try:
            with tqdm(total=total_size(files), unit="B", unit_scale=True, file=sys.stderr) as bar:
                done = import_collection(
                    options["slug"],
                    topics=topics,
                    documents=documents,
                    qrels=qrels,
                    runs=runs,
                    progress=bar.update,
                )
        except (BadFile, CannotImport) as fault:
            raise CommandError(f"{fault}\nNothing was imported.") from fault
        self.stdout.write(
            f"topics {done.topics}, documents {done.documents}, runs {done.runs} "
            f"({done.lists} lists) new or changed"
        )
        for name, labels in done.labels.items():
            self.stdout.write(f"labels {name}: {labels}")
        if done.cut:
            self.stdout.write(
                f"{count(len(done.cut), 'document is', 'documents are')} longer than {LONGEST:,} "
                f"characters, and shown as far as that: {', '.join(done.cut[:5])}"
            )
        if done.without_text:
            self.stdout.write(f"runs and labels name {done.without_text} documents without text")
        if done.unknown_topics:
            topics = ", ".join(sorted(done.unknown_topics))
            self.stdout.write(f"left out, as the collection has no such topic: {topics}")
