"""Restore a backup into an empty database."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from operations.backup.encryption import read_keys
from operations.backup.restoring import POINT_IN_TIME, restore
from operations.backup.stores import BackupFault, store

STUDIES = frozenset({"judging.Study", "judging.Collection", "judging.Run", "judging.LabelSet"})


class Command(BaseCommand):
    help = "Restore a backup into the empty database that the settings name. Nobody may be in it."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("backup", nargs="?", help="its name, from `backup --list`, or newest")
        what.add_argument(
            "--only-replay",
            action="store_true",
            help="replay the record on a database that PostgreSQL has brought back by itself",
        )
        parser.add_argument(
            "--keep-studies",
            action="store_true",
            help="studies and collections that were deleted since stay: it was a mistake",
        )
        parser.add_argument(
            "--key-file",
            default="",
            metavar="FILE",
            help="the secret key of encrypted backups; - reads it from standard input",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            secrets = read_keys(options["key_file"], sys.stdin)
            spared = STUDIES if options["keep_studies"] else frozenset[str]()
            name = POINT_IN_TIME if options["only_replay"] else options["backup"]
            restore(store(), name, secrets, self.stderr.write, spared)
        except BackupFault as fault:
            raise CommandError(str(fault)) from fault
        self.stdout.write("restored: the site may start")
