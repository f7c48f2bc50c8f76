"""Versions of what is set up: two editors of one study notice each other.

Every change raises the study's version and writes it to the trail. An editor says which version
they saw. If others have changed the same since, nothing is done, and an error says what changed.
"""

from collections.abc import Collection as Names
from typing import Any

from accounts.models import User
from judging.models import Study, TrailEntry
from judging.studies import trail
from judging.studies.faults import BadStudy


class EditConflict(BadStudy):
    """Nothing was done; entries: what was changed meanwhile, oldest first."""

    def __init__(self, study: Study, entries: list[TrailEntry]) -> None:
        self.entries = entries
        super().__init__(
            f"Study {study} was changed while you were at it. Nothing of yours was saved yet: look "
            "at what changed, and save again.",
            *map(_meanwhile, entries),
        )


def _meanwhile(entry: TrailEntry) -> str:
    changes = entry.details.get("changes", {})
    text = "; ".join(f"{name}: {old} → {new}" for name, (old, new) in sorted(changes.items()))
    return f"{entry.by or 'A command'} {entry.action}{f': {text}' if text else ''}"


def locked_study(slug: str, version: int | None = None, names: Names[str] | None = None) -> Study:
    """For a change of some settings or topics (None: all) by who saw a version (None: any).

    Raises BadStudy if there is no such study, and EditConflict if one of these has changed since.
    """
    study = Study.objects.locked().filter(slug=slug).first()
    if study is None:
        raise BadStudy(f"There is no study {slug}.")
    if version is None or version == study.version:
        return study
    since = study.trail.filter(details__version__gt=version)
    entries = list(since.select_related("by").order_by("pk"))
    is_complete = len(entries) == study.version - version  # else an entry has no version
    changed = {
        name
        for entry in entries
        for name in (*entry.details.get("changes", ()), *entry.details.get("topics", ()))
    }
    if names is None or not is_complete or not changed.isdisjoint(names):
        raise EditConflict(study, entries)
    return study


def record_change(study: Study, by: User | None, action: str, **details: Any) -> None:
    study.version += 1
    study.save(update_fields=["version"])
    trail.record(study, by, action, version=study.version, **details)
