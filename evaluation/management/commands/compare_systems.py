"""`magnitudes compare` beside the other commands."""

from evaluation.management.printing import LibraryCommand
from magnitudes.commands import compare


class Command(LibraryCommand):
    help = compare.HELP
    module = compare
