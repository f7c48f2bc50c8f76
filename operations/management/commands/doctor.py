"""Print the faults of a set-up, and how to mend them."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from operations.doctor.examining import examine, is_wrong
from operations.health.finding import State
from trec.words import count

MARKS = {State.OK: "well", State.DEGRADED: "LOOK", State.DOWN: "WRONG"}


class Command(BaseCommand):
    help = "Say what is wrong with the set-up, and how to mend it; exit 1 if anything is."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = 0
        for name, finding in examine():
            wrong += is_wrong(finding)
            self.stdout.write(f"{MARKS[finding.state]:<6} {name}: {finding.sentence}")
            if finding.mend:
                self.stdout.write(f"       Mend: {finding.mend}")
        self.stdout.write(f"{count(wrong, 'thing')} to mend." if wrong else "All is well.")
        if wrong:
            sys.exit(1)
