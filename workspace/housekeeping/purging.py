"""Purges what is past its retention; a part that fails stops no other."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from accounts.idempotency import purge_answers
from accounts.sessions import purge_sessions
from judging.collections.documents import purge_staging
from judging.studies.retention import purge_accounts
from web.background.isolation import for_each
from workspace.imports.importing import purge_old_imports
from workspace.recruiting.events import purge_events
from workspace.recruiting.sync import purge_submissions


class Part(NamedTuple):
    name: str
    purge: Callable[[datetime], int]

    def __str__(self) -> str:
        return self.name


PARTS = (
    Part("ids of people", purge_accounts),
    Part("submissions on Prolific", purge_submissions),
    Part("events of Prolific", purge_events),
    Part("answers to requests", purge_answers),
    Part("sessions", purge_sessions),
    Part("uploads and imports", purge_old_imports),
    Part("documents of imports that were killed", purge_staging),
)


def purge(now: datetime) -> int:
    return for_each(PARTS, lambda part: part.purge(now), "purging")
