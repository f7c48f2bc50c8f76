"""Say of a collection whether its texts are free to share."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from judging.collections.free_texts import mark_free_to_share
from judging.management.collections import collection_of


class Command(BaseCommand):
    help = "Mark a collection whose texts may be published with studies on it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--not", dest="is_free", action="store_false", help="they may not")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_of(options["slug"])
        mark_free_to_share(collection, is_free=options["is_free"], by=None)
        may = "are" if options["is_free"] else "are not"
        self.stdout.write(f"the texts of collection {collection} {may} free to share")
