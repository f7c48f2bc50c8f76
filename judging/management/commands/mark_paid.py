"""Mark payments as paid that a platform's list names."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.studies import study_of
from judging.paying.decisions import mark_paid
from judging.paying.matching import match_payments
from trec.words import count


class Command(BaseCommand):
    help = "Mark payments as paid: those that a file of codes or ids, or a platform's CSV, names."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_of(options["slug"])
        try:
            text = options["file"].read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as fault:
            raise CommandError(f"{options['file']}: {fault}; expected a text in UTF-8") from fault
        named = match_payments(study, text, sees_ids=True)
        if not named.payments:
            raise CommandError(f"{options['file']} names no payment of study {study}.")
        changed = mark_paid(study, named.payments, None)
        self.stdout.write(f"{count(changed, 'payment')} of {len(named.payments)} marked as paid")
        if named.unknown:
            self.stderr.write(f"of no payment: {', '.join(named.unknown)}")
