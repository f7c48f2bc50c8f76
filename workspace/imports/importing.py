"""Imports that somebody requests, and that a worker runs in the background.

A job runs under a lease: one that is running without an active lease was interrupted, and runs
again. What its former try staged is purged; each try stages under its own key. Its files are read
first; then rows and state are committed together, if the lease is still active.
"""

import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import file_digest
from itertools import accumulate
from typing import Any, Literal
from uuid import UUID

from django.conf import settings
from django.core.validators import slug_re
from django.db import transaction

from accounts.models import User
from judging.collections.access import NotYours
from judging.collections.content import relevant_only_sets
from judging.collections.documents import purge_staged
from judging.collections.importing import MAX_NAMED, CannotImport, Imported, import_collection
from judging.collections.opinion_files import BadReading
from judging.models import Collection
from magnitudes.files.containers.archives import StoredFile
from magnitudes.files.containers.recoding import UnknownEncoding
from magnitudes.files.errors import BadFile
from magnitudes.files.kinds import Kind
from web import clock
from web.background import leases
from web.background.work import PROGRESS_SECONDS, attempt
from workspace.imports import uploads
from workspace.models import ImportJob, Upload

log = logging.getLogger(__name__)
REFERENCE = "reference"
RESERVED_NAMES = ("new",)  # by an address
MAX_NAME_LENGTH = 80  # characters of a label set's name
EXPECTED_ERRORS = BadFile, CannotImport, NotYours, UnknownEncoding, BadReading
OF_COLLECTION = (Kind.TOPICS, Kind.DOCUMENTS, Kind.LABELS, Kind.RUNS)


Finish = Callable[[dict[str, Any]], None]  # stores the result of a job, in the transaction
Import = Callable[[ImportJob, Finish], object]  # runs a job
Imports = Mapping[str, Import]


class BadImport(ValueError):
    """An import cannot be requested; the message says why, `fields` which values are wrong."""

    def __init__(self, message: str, *fields: str) -> None:
        super().__init__(message)
        self.fields = fields


@dataclass(frozen=True)
class Chosen:
    """labels: the name of a label set."""

    upload: UUID
    kind: str
    labels: str = REFERENCE


def request_import(
    by: User, collection: str, files: Sequence[Chosen], *, make_topics: bool = False
) -> ImportJob:
    """Request the import of files into a collection, which is made if there is none."""
    refuse_collection(by, collection)
    for file in files:
        _refuse_chosen(file)
    with transaction.atomic():
        chosen = claim_uploads(by, [file.upload for file in files], "files")
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
    if len(slug) > 50 or not slug_re.match(slug) or slug in RESERVED_NAMES:
        raise BadImport(
            f"{slug!r} cannot be the name of a collection; expected at most 50 letters, digits, "
            "hyphens and underscores.",
            "collection",
        )
    existing = Collection.objects.filter(slug=slug).first()
    if existing and not existing.may_change(by):
        is_seen = Collection.objects.seen_by(by).filter(pk=existing.pk).exists()
        reason = "only its owner adds files to it" if is_seen else "choose another one"
        raise BadImport(f"The name {slug} is taken: {reason}.", "collection")


def _refuse_chosen(file: Chosen) -> None:
    if file.kind not in OF_COLLECTION:
        expected = ", ".join(OF_COLLECTION)
        raise BadImport(f"{file.kind!r}: expected one of {expected}.", "files")
    name = file.labels
    if file.kind == Kind.LABELS and not (0 < len(name) <= MAX_NAME_LENGTH and name.isprintable()):
        raise BadImport(
            f"{name[:MAX_NAME_LENGTH]!r} cannot be the name of labels; expected at most "
            f"{MAX_NAME_LENGTH} characters.",
            "files",
        )


def claim_uploads(by: User, keys: Sequence[UUID], field: str = "upload") -> dict[UUID, Upload]:
    """Lock uploads of a user that are complete and in no import. field: the one that named them."""
    if not keys:
        raise BadImport("No file is chosen: choose at least one.", field)
    if len(set(keys)) < len(keys):
        raise BadImport("A file is chosen twice.", field)
    rows = Upload.objects.select_for_update().filter(owner=by, pk__in=keys)
    chosen = {row.pk: row for row in rows.order_by("pk")}
    if missing := [key for key in keys if key not in chosen]:
        raise BadImport(f"There is no upload {missing[0]} of yours.", field)
    for upload in chosen.values():
        if upload.ended_at is None:
            raise BadImport(f"{upload} is not whole yet: {upload.percent}% of it are here.", field)
        if upload.job is not None:
            raise BadImport(f"{upload} is being imported already.", field)
    return chosen


def complete_upload(by: User, key: UUID) -> Upload:
    with transaction.atomic():
        return claim_uploads(by, [key])[key]


# --- in the background ----------------------------------------------------------------------------


def import_next(imports: Imports) -> int:
    """Run the next job, unless another process runs one; returns how many were run."""
    jobs = ImportJob.unfinished().order_by("id")
    if not jobs.exists():
        return 0
    with leases.lease("import") as is_alone:
        if not (is_alone and (job := jobs.first())):
            return 0
        _run(job, imports[job.what])
        return 1


def _run(job: ImportJob, work: Import) -> None:
    job.begin(ImportJob.State.RUNNING, begun_at=clock.now())
    purge_staged(job.staging_key(former) for former in range(job.tries))
    place: dict[str, Any] = {}
    try:
        succeeded, fault = attempt(
            job.tries, lambda: _import(job, work, place), EXPECTED_ERRORS, f"import {job.pk}"
        )
    except leases.LeaseLost:
        log.warning("another process goes on with import %s, as this one stood still", job.pk)
        return
    if succeeded is None:
        _fail(job, fault if place else _without_options(fault), **place)
    uploads.purge_stray_files()


def _import(job: ImportJob, work: Import, place: dict[str, Any]) -> Literal[True]:
    """Run a job and store it as done, or do neither; `place` gets the place of a fault."""

    def finish(result: dict[str, Any]) -> None:
        leases.lock_lease_until_commit()
        _end(job, ImportJob.State.DONE, result=result, progress=1)
        Upload.objects.filter(job=job).delete()

    try:
        work(job, finish)
    except BadFile as bad:
        place |= {"fault_file": bad.file[:400], "fault_line": bad.line}
        raise
    return True


def _without_options(message: str) -> str:
    """Replace options of the command by the words of the page."""
    return re.sub(r":? --make-topics", ", as an option below says", message)


def _fail(job: ImportJob, fault: str, **place: Any) -> None:
    """Store why it failed; its files can be imported again."""
    with transaction.atomic():
        _end(job, ImportJob.State.FAILED, fault=fault, **place)
        Upload.objects.filter(job=job).update(job=None, touched_at=clock.now())


def _end(job: ImportJob, state: ImportJob.State, **outcome: Any) -> None:
    ImportJob.objects.filter(pk=job.pk).update(
        state=state, ended_at=clock.now(), reading="", files=job.files, **outcome
    )


def import_collection_files(job: ImportJob, finish: Finish) -> None:
    files = stored_files(job)
    parts: dict[str, list[StoredFile]] = {kind: [] for kind in OF_COLLECTION}
    qrels: dict[str, list[StoredFile]] = {}
    for about in job.files:
        file = files[about["upload"]]
        parts[about["kind"]].append(file)
        if about["kind"] == Kind.LABELS:
            qrels.setdefault(about["labels"], []).append(file)
    slug = job.into.slug if job.into else job.collection

    def finish_collection(imported: Imported) -> None:
        named = relevant_only_sets(Collection.objects.get(slug=slug))
        alone = {"relevant_alone": [name for name in named if name in imported.labels]}
        finish(collection_result(imported) | alone)

    import_collection(
        slug,
        topics=parts[Kind.TOPICS],
        documents=parts[Kind.DOCUMENTS],
        qrels=qrels,
        runs=parts[Kind.RUNS],
        make_topics=job.options.get("make_topics", False),
        progress=import_progress(job, [file for kind in OF_COLLECTION for file in parts[kind]]),
        by=job.owner,
        staging_key=job.staging_key(job.tries),
        finish=finish_collection,
    )


def stored_files(job: ImportJob) -> dict[str, StoredFile]:
    """The files of a job by the keys of their uploads; stores their digests in the job."""
    uploads_by_key = {str(upload.pk): upload for upload in job.uploads.all()}
    for about in job.files:
        upload = uploads_by_key.get(about["upload"])
        if upload is None or not upload.path.is_file():
            raise CannotImport(f"The file {about['name']} is no longer here: upload it again.")
        with upload.path.open("rb") as file:
            about["digest"] = file_digest(file, "sha256").hexdigest()
    return {key: upload.stored for key, upload in uploads_by_key.items()}


def import_progress(job: ImportJob, files: Sequence[StoredFile]) -> Callable[[int], None]:
    """A function that stores the progress of a job; it is called with each number of bytes read."""
    sizes = [file.path.stat().st_size for file in files]
    ends, total = list(accumulate(sizes)), sum(sizes)
    n_read, reported_at = 0, 0.0

    def progress(count: int) -> None:
        nonlocal n_read, reported_at
        n_read += count
        leases.check_lease()
        if n_read >= total or time.monotonic() - reported_at > PROGRESS_SECONDS:
            reported_at = time.monotonic()
            place = next((n for n, end in enumerate(ends) if n_read <= end), len(ends) - 1)
            share = min(n_read / total, 1.0) if total else 0.0
            running = ImportJob.objects.filter(pk=job.pk, state=ImportJob.State.RUNNING)
            running.update(progress=share, reading=files[place].name)

    return progress


def collection_result(imported: Imported) -> dict[str, Any]:
    """As JSON; of long lists the first items."""
    lists = {
        "empty": imported.empty,
        "cut": imported.cut,
        "unknown_topics": sorted(imported.unknown_topics),
        "made_topics": sorted(imported.made_topics),
    }
    names = ("topics", "documents", "runs", "lists", "labels", "without_text")
    first = {name: {"n": len(ids), "first": ids[:MAX_NAMED]} for name, ids in lists.items()}
    return {name: getattr(imported, name) for name in names} | first


def purge_old_imports(now: datetime) -> int:
    since = now - timedelta(days=settings.IMPORT_DAYS)
    return uploads.purge_old_uploads(now) + ImportJob.objects.filter(ended_at__lt=since).delete()[0]
