"""Delete a collection, labels or a run."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.collections import changing
from judging.management.collections import add_part, collection_of
from trec.words import count


class Command(BaseCommand):
    help = "Delete a collection with all that is in it, or labels or a run in it, for good."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--typed", metavar="SLUG", default="", help="the collection's name once more"
        )
        add_part(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        collection, numbers = collection_of(options["slug"]), {}
        try:
            if options["labels"]:
                changing.delete_labels(collection, options["labels"], by=None)
            elif options["run"]:
                changing.delete_run(collection, options["run"], by=None)
            else:
                numbers = changing.delete_collection(collection, None, options["typed"])
        except changing.CannotChange as fault:
            raise CommandError(f"{fault}\nNothing was deleted.") from fault
        what = options["labels"] or options["run"] or options["slug"]
        deleted = "".join(f", {count(n, name)}" for name, n in numbers.items() if n)
        self.stdout.write(f"deleted {what}{deleted}")
