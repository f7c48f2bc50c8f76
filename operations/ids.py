"""Platforms' ids of people: sealed after an upgrade from version 0.1, and anew by new keys."""

from collections.abc import Callable

from judging.models import IdKeys, Participant, PlatformAccount
from workspace.models import ProlificEvent, ProlificSubmission

TABLES = (PlatformAccount, Participant, ProlificSubmission, ProlificEvent)


def seal_all(tell: Callable[[str], object]) -> int:
    """Seal every id that is not sealed by the present keys, some at a time, while people come.

    Whatever stops it, it goes on where it was. Returns how many there were.
    """
    total = 0
    for table in TABLES:
        done = 0
        while sealed := table.objects.seal():
            done += sealed
            tell(f"{table._meta.verbose_name_plural}: {done:,} sealed")
        total += done
    return total


def left() -> int:
    """How many ids are not sealed by the present keys."""
    keys = IdKeys.of_site()
    return sum(table.objects.to_seal(keys).count() for table in TABLES)
