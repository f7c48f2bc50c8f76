"""What commands on a collection share."""

from argparse import ArgumentParser

from django.core.management.base import CommandError

from judging.models import Collection


def collection_of(slug: str) -> Collection:
    """The collection of this name.

    Raises:
        CommandError: there is none.
    """
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        raise CommandError(f"There is no collection {slug}.")
    return collection


def add_part(parser: ArgumentParser) -> None:
    """Let labels or a run be named, in the place of the whole collection."""
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--labels", metavar="NAME", help="these labels of it")
    part.add_argument("--run", metavar="TAG", help="this run of it")
