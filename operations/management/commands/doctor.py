"""Print the faults of a set-up, and how to mend them."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError

from magnitudes.files.words import count
from operations.doctor import servers, variables
from operations.health.catalogue import run_checks
from web.findings import Finding, State, down, ok

MARKS = {State.OK: "well", State.DEGRADED: "CHECK", State.DOWN: "WRONG"}
SETUP: tuple[tuple[str, Callable[[], Iterator[Finding]]], ...] = (
    ("variables", variables.variables),
    ("secrets", variables.secrets),
    ("keys to keep", variables.unsaved_keys),
    ("static files", variables.static_files),
    ("e-mail", variables.mail),
    ("PostgreSQL", servers.postgres),
    ("tables", servers.tables),
    ("Redis' settings", servers.queue),
)


def examine() -> Iterator[tuple[str, Finding]]:
    """Each check by name with its findings: of the set-up, then of every part as in `/status`."""
    for name, check in SETUP:
        try:
            findings = list(check()) or [ok("Nothing is wrong.")]
        except DatabaseError:
            findings = [
                down("Not known: the database does not answer.", "Mend the database first.")
            ]
        yield from ((name, finding) for finding in findings)
    yield from ((check.name, finding) for check, finding in run_checks().parts)


class Command(BaseCommand):
    help = "Say what is wrong with the set-up, and how to mend it; exit 1 if anything is."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = 0
        for name, finding in examine():
            wrong += finding.is_wrong
            self.stdout.write(f"{MARKS[finding.state]:<6} {name}: {finding.sentence}")
            if finding.mend:
                self.stdout.write(f"       Mend: {finding.mend}")
        self.stdout.write(f"{count(wrong, 'thing')} to mend." if wrong else "All is well.")
        if wrong:
            sys.exit(1)
