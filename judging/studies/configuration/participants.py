"""The list excludes nobody: a worker whose id, of a platform, is on it is verified."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import User
from judging.models import Participant, PlatformAccount, Study
from judging.studies import trail
from judging.studies.faults import BadStudy, Fault
from judging.studies.locks import reload_locked
from web.encryption import digests
from web.text import storable

MAX_ID_LENGTH = 255  # characters
MAX_IDS = 100_000  # ids at a time
TAKEN_OFF = "took participants off the list"


class Counts(NamedTuple):
    listed: int
    come: int


def counts(study: Study) -> Counts:
    listed = study.participants.all()
    return Counts(listed.count(), started_participants(listed).count())


def started_participants(listed: QuerySet[Participant]) -> QuerySet[Participant]:
    same = PlatformAccount.objects.filter(
        study=OuterRef("study"), external_id_hash=OuterRef("external_id_hash")
    )
    return listed.filter(Exists(same))


def read_ids(lines: Iterable[str]) -> list[str]:
    """One id a line, each once; raises BadStudy with the first lines that are no id."""
    ids, faults = {}, []
    for number, line in enumerate(lines, 1):
        external_id, wrong = storable(line).strip(), ""
        if len(external_id) > MAX_ID_LENGTH:
            wrong = f"{len(external_id)} characters; expected an id of at most {MAX_ID_LENGTH}"
        elif any(character.isspace() or character in ",;" for character in external_id):
            wrong = f"{external_id[:40]}; expected a single id"
        elif external_id:
            ids[external_id] = number
        if wrong:
            faults.append(Fault(("ids",), f"line {number}: {wrong}"))
    if not faults and not 1 <= len(ids) <= MAX_IDS:
        faults = [Fault(("ids",), f"{len(ids)} ids; expected 1 to {MAX_IDS:,}, one a line")]
    if faults:
        raise BadStudy(*faults[:5])
    return list(ids)


@transaction.atomic
def add_participants(study: Study, ids: Sequence[str], by: User | None) -> int:
    """Returns how many were not on it. Raises BadStudy: no id, or a study judged elsewhere."""
    wanted = read_ids(ids)
    before = _lock(study)
    Participant._meta.get_field("external_id").validate_key()
    existing = set(study.participants.values_list("external_id_hash", flat=True))
    rows = [
        Participant(study=study, external_id=external_id)
        for external_id in wanted
        if existing.isdisjoint(digests(external_id))
    ]
    Participant.objects.bulk_create(rows, ignore_conflicts=True)
    return _log_change(study, study.participants.count() - before, by, "listed participants")


@transaction.atomic
def remove_participants(study: Study, ids: Sequence[str], by: User | None) -> int:
    """Whoever has come stays verified. Returns how many were on it; may raise BadStudy."""
    hashes = [digest for external_id in read_ids(ids) for digest in digests(external_id)]
    removed = study.participants.filter(external_id_hash__in=hashes)
    _lock(study)
    return _log_change(study, removed.delete()[0], by, TAKEN_OFF)


@transaction.atomic
def clear_participants(study: Study, by: User | None) -> int:
    """Returns how many were on it; raises BadStudy if the study takes no people."""
    _lock(study)
    return _log_change(study, study.participants.all().delete()[0], by, TAKEN_OFF)


def _lock(study: Study) -> int:
    """So that changes of the list take turns; returns how many are on it."""
    if not study.takes_people:
        raise BadStudy(f"Study {study} takes no people: nobody comes into it.")
    reload_locked(study)
    return study.participants.count()


def _log_change(study: Study, number: int, by: User | None, action: str) -> int:
    """How many, never who."""
    if number:
        trail.record(study, by, action, number=number)
    return number
