"""`magnitudes evaluate` beside the other commands."""

from evaluation.management.printing import LibraryCommand
from magnitudes.commands import evaluate


class Command(LibraryCommand):
    help = evaluate.HELP
    module = evaluate
