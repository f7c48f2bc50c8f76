"""`magnitudes calibrate` beside the other commands."""

from evaluation.management.printing import LibraryCommand
from magnitudes.commands import calibrate


class Command(LibraryCommand):
    help = calibrate.HELP
    module = calibrate
