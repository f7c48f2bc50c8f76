"""Give a collection, labels or a run another name."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.collections import changing
from judging.management.collections import add_part, collection_of


class Command(BaseCommand):
    help = "Give a collection another name, and so other addresses; or labels or a run in it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("to", metavar="NAME", help="the new name")
        add_part(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection, to = collection_of(options["slug"]), options["to"]
        try:
            if options["labels"]:
                changing.rename_labels(collection, options["labels"], to, by=None)
            elif options["run"]:
                changing.rename_run(collection, options["run"], to, by=None)
            else:
                changing.rename(collection, to, by=None)
        except changing.CannotChange as fault:
            raise CommandError(f"{fault}\nNothing was changed.") from fault
        before = options["labels"] or options["run"] or options["slug"]
        self.stdout.write(f"{before} is called {to}")
