"""Imports that somebody asks for, and that a worker does in the background.

A job is done under a lease. So one that is said to run, and whose lease nobody holds, was
interrupted, and is begun again. What it brings and that it is done are committed together, if the
lease is still held then.
"""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from hashlib import file_digest
from itertools import accumulate
from typing import Any, Literal
from uuid import UUID

from django.conf import settings
from django.core.validators import slug_re
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from accounts.models import User
from judging.collections.access import NotYours
from judging.collections.importing import SOME, CannotImport, Imported, import_collection
from judging.collections.opinion_files import BadReading
from judging.models import Collection
from trec.containers.archives import StoredFile
from trec.containers.recoding import UnknownEncoding
from trec.errors import BadFile
from trec.kinds import Kind
from web import clock
from web.background import leases
from web.background.work import PAUSE, attempt
from workspace.imports import uploads
from workspace.models import ImportJob, Upload

log = logging.getLogger(__name__)
LOCK = 0x696D7074  # the first key of v0.1's advisory locks; the second is a job's
REFERENCE = "reference"
TAKEN = ("new",)  # by an address
LONGEST_NAME = 80  # characters of a label set's name
REFUSALS = BadFile, CannotImport, NotYours, UnknownEncoding, BadReading  # their messages say why
OF_COLLECTION = (Kind.TOPICS, Kind.DOCUMENTS, Kind.LABELS, Kind.RUNS)


Import = Callable[[ImportJob], dict[str, Any]]  # does a job; what a page tells of it
Imports = Mapping[str, Import]


class CannotAsk(ValueError):
    """An import cannot be asked for; the message says why, `fields` what of the request it is."""

    def __init__(self, message: str, *fields: str) -> None:
        super().__init__(message)
        self.fields = fields


@dataclass(frozen=True)
class Chosen:
    """An upload, what it is to be read as, and, of labels, the name of their set."""

    upload: UUID
    kind: str
    labels: str = REFERENCE


def ask(
    by: User, collection: str, files: Sequence[Chosen], *, make_topics: bool = False
) -> ImportJob:
    """Have files imported into a collection, which is made if there is none.

    Raises:
        CannotAsk: no file, one that is not whole, not somebody's own or in another import; a name
            that is none; a collection that is not theirs to change.
    """
    refuse_collection(by, collection)
    for file in files:
        _refuse_chosen(file)
    with transaction.atomic():
        chosen = claimed(by, [file.upload for file in files], "files")
        about = [
            {**chosen[file.upload].about, "kind": file.kind, "labels": file.labels}
            for file in files
        ]
        job = ImportJob.objects.create(
            owner=by,
            collection=collection,
            into=Collection.objects.filter(slug=collection).first(),
            files=about,
            options={"make_topics": make_topics},
            asked_at=clock.now(),
        )
        Upload.objects.filter(pk__in=chosen).update(job=job)
    return job


def refuse_collection(by: User, slug: str) -> None:
    if len(slug) > 50 or not slug_re.match(slug) or slug in TAKEN:
        raise CannotAsk(
            f"{slug!r} cannot be the name of a collection; expected at most 50 letters, digits, "
            "hyphens and underscores.",
            "collection",
        )
    known = Collection.objects.filter(slug=slug).first()
    if known and not known.may_change(by):
        is_seen = Collection.objects.seen_by(by).filter(pk=known.pk).exists()
        reason = "only its owner adds files to it" if is_seen else "choose another one"
        raise CannotAsk(f"The name {slug} is taken: {reason}.", "collection")


def _refuse_chosen(file: Chosen) -> None:
    if file.kind not in OF_COLLECTION:
        expected = ", ".join(OF_COLLECTION)
        raise CannotAsk(f"{file.kind!r}: expected one of {expected}.", "files")
    name = file.labels
    if file.kind == Kind.LABELS and not (0 < len(name) <= LONGEST_NAME and name.isprintable()):
        raise CannotAsk(
            f"{name[:LONGEST_NAME]!r} cannot be the name of labels; expected at most "
            f"{LONGEST_NAME} characters.",
            "files",
        )


def claimed(by: User, keys: Sequence[UUID], field: str = "upload") -> dict[UUID, Upload]:
    """Uploads of somebody, whole and in no other import, locked. field: what asks for them.

    Raises:
        CannotAsk: no file, the same twice, one that is not theirs, not whole or in an import.
    """
    if not keys:
        raise CannotAsk("No file is chosen: choose at least one.", field)
    if len(set(keys)) < len(keys):
        raise CannotAsk("A file is chosen twice.", field)
    rows = Upload.objects.select_for_update().filter(owner=by, pk__in=keys)
    chosen = {row.pk: row for row in rows.order_by("pk")}
    if missing := [key for key in keys if key not in chosen]:
        raise CannotAsk(f"There is no upload {missing[0]} of yours.", field)
    for upload in chosen.values():
        if upload.ended_at is None:
            raise CannotAsk(f"{upload} is not whole yet: {upload.percent}% of it are here.", field)
        if upload.job is not None:
            raise CannotAsk(f"{upload} is being imported already.", field)
    return chosen


def whole_upload(by: User, key: UUID) -> Upload:
    """Somebody's upload that is whole, and in no import.

    Raises:
        CannotAsk: as `claimed`.
    """
    with transaction.atomic():
        return claimed(by, [key])[key]


# --- in the background ----------------------------------------------------------------------------


def import_next(imports: Imports) -> int:
    """Do the first import that nobody is at; how many that were. imports: how each kind is done."""
    for job in ImportJob.objects.filter(state__in=["waiting", "running"]).order_by("id"):
        with leases.held(f"import {job.pk}") as is_alone:
            if is_alone and not _is_with_an_earlier_release(job):
                job.refresh_from_db()
                if not job.is_over:
                    _do(job, imports[job.what])
                    return 1
    return 0


def _is_with_an_earlier_release(job: ImportJob) -> bool:
    """Whether a worker of v0.1 is at this job, which claims it by a lock and knows no leases.

    To be deleted one release later, as is `_keep_from_earlier_release`.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
            " AND classid = %s AND objid = %s AND database ="
            " (SELECT oid FROM pg_database WHERE datname = current_database())",
            _key(job),
        )
        return bool(cursor.fetchone()[0])


def _keep_from_earlier_release(job: ImportJob) -> None:
    """Let no worker of v0.1 begin this job before the transaction ends.

    Raises:
        Lost: one has just begun it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", _key(job))
        if not cursor.fetchone()[0]:
            raise leases.Lost(job)


def _key(job: ImportJob) -> list[int]:
    return [LOCK, job.pk % (1 << 31)]


def _do(job: ImportJob, work: Import) -> None:
    """Import, and keep what came of it."""
    job.begin(ImportJob.State.RUNNING, begun_at=clock.now())
    where: dict[str, Any] = {}
    try:
        done, fault = attempt(
            job.tries, lambda: _import(job, work, where), REFUSALS, f"import {job.pk}"
        )
    except leases.Lost:
        log.warning("another process goes on with import %s, as this one stood still", job.pk)
        return
    if done is None:
        _fail(job, fault if where else _without_options(fault), **where)
    uploads.forget_strays()


def _import(job: ImportJob, work: Import, where: dict[str, Any]) -> Literal[True]:
    """Import a job and note it as done, or do neither; `where` gets the place of a fault."""
    try:
        with transaction.atomic():
            _keep_from_earlier_release(job)
            result = work(job)
            leases.insist_until_committed()
            _end(job, ImportJob.State.DONE, result=result, progress=1)
            Upload.objects.filter(job=job).delete()
    except BadFile as bad:
        where |= {"fault_file": bad.file[:400], "fault_line": bad.line}
        raise
    return True


def _without_options(message: str) -> str:
    """A message in which options of the command are in the words of the page."""
    return re.sub(r":? --make-topics", ", as an option below says", message)


def _fail(job: ImportJob, fault: str, **where: Any) -> None:
    """Note why; the files are there for another import."""
    with transaction.atomic():
        _end(job, ImportJob.State.FAILED, fault=fault, **where)
        Upload.objects.filter(job=job).update(job=None, touched_at=clock.now())


def _end(job: ImportJob, state: ImportJob.State, **outcome: Any) -> None:
    ImportJob.objects.filter(pk=job.pk).update(
        state=state, ended_at=clock.now(), reading="", files=job.files, **outcome
    )


def import_collection_files(job: ImportJob) -> dict[str, Any]:
    """Import the files of a collection; what a page tells of it."""
    files = stored_files(job)
    parts: dict[str, list[StoredFile]] = {kind: [] for kind in OF_COLLECTION}
    qrels: dict[str, list[StoredFile]] = {}
    for about in job.files:
        file = files[about["upload"]]
        parts[about["kind"]].append(file)
        if about["kind"] == Kind.LABELS:
            qrels.setdefault(about["labels"], []).append(file)
    with noted(job, [file for kind in OF_COLLECTION for file in parts[kind]]) as progress:
        done = import_collection(
            job.into.slug if job.into else job.collection,
            topics=parts[Kind.TOPICS],
            documents=parts[Kind.DOCUMENTS],
            qrels=qrels,
            runs=parts[Kind.RUNS],
            make_topics=job.options.get("make_topics", False),
            progress=progress,
            by=job.owner,
        )
    return told_of_collection(done)


def stored_files(job: ImportJob) -> dict[str, StoredFile]:
    """The files of a job by the keys of their uploads; their digests are noted on it.

    Raises:
        CannotImport: one is gone.
    """
    there = {str(upload.pk): upload for upload in job.uploads.all()}
    for about in job.files:
        upload = there.get(about["upload"])
        if upload is None or not upload.path.is_file():
            raise CannotImport(f"The file {about['name']} is no longer here: upload it again.")
        with upload.path.open("rb") as file:
            about["digest"] = file_digest(file, "sha256").hexdigest()
    return {key: upload.stored for key, upload in there.items()}


@contextmanager
def noted(job: ImportJob, files: Sequence[StoredFile]) -> Iterator[Callable[[int], None]]:
    """Notes how far an import is, for others to see while its own transaction is under way.

    So it has a connection of its own, which the ORM cannot be told to use for one statement. The
    transaction must not have written on the job before: this would wait for it without end.
    """
    sizes = [file.path.stat().st_size for file in files]
    ends, total = list(accumulate(sizes)), sum(sizes)
    beside = connections.create_connection(DEFAULT_DB_ALIAS)
    update = (
        f"UPDATE {ImportJob._meta.db_table} SET progress = %s, reading = %s "
        "WHERE id = %s AND state = 'running'"
    )
    read, last = 0, 0.0

    def progress(count: int) -> None:
        nonlocal read, last
        read += count
        leases.insist()
        if read >= total or time.monotonic() - last > PAUSE:
            last = time.monotonic()
            place = next((n for n, end in enumerate(ends) if read <= end), len(ends) - 1)
            share = min(read / total, 1.0) if total else 0.0
            with beside.cursor() as cursor:
                cursor.execute(update, [share, files[place].name, job.pk])

    try:
        yield progress
    finally:
        beside.close()


def told_of_collection(done: Imported) -> dict[str, Any]:
    """What an import brought, as JSON can hold it; of long lists the first."""
    lists = {
        "empty": done.empty,
        "cut": done.cut,
        "unknown_topics": sorted(done.unknown_topics),
        "made_topics": sorted(done.made_topics),
    }
    return {
        "topics": done.topics,
        "documents": done.documents,
        "runs": done.runs,
        "lists": done.lists,
        "labels": done.labels,
        "without_text": done.without_text,
        **{name: {"n": len(ids), "first": ids[:SOME]} for name, ids in lists.items()},
    }


def forget_old() -> None:
    """Forget uploads and imports that nobody looks at any more."""
    now = clock.now()
    uploads.forget_old(now)
    since = now - timedelta(days=settings.IMPORT_DAYS)
    ImportJob.objects.filter(ended_at__lt=since).delete()
