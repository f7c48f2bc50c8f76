"""Imports that somebody asks for, and that a worker does in the background.

A job is done under a lease. So one that is said to run, and whose lease nobody holds, was
interrupted, and is begun again: what a former try has staged is purged, and each try stages under a
key of its own. Its files are read first; what they bring and that it is done are then committed
together, if the lease is still held.
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
from judging.collections.content import relevant_alone
from judging.collections.documents import purge_staged
from judging.collections.importing import SOME, CannotImport, Imported, import_collection
from judging.collections.opinion_files import BadReading
from judging.models import Collection
from trec.containers.archives import StoredFile
from trec.containers.recoding import UnknownEncoding
from trec.errors import BadFile
from trec.kinds import Kind
from web import clock
from web.background import leases
from web.background.work import PROGRESS_SECONDS, attempt
from workspace.imports import uploads
from workspace.models import ImportJob, Upload

log = logging.getLogger(__name__)
REFERENCE = "reference"
TAKEN = ("new",)  # by an address
LONGEST_NAME = 80  # characters of a label set's name
REFUSALS = BadFile, CannotImport, NotYours, UnknownEncoding, BadReading  # their messages say why
OF_COLLECTION = (Kind.TOPICS, Kind.DOCUMENTS, Kind.LABELS, Kind.RUNS)


Finish = Callable[[dict[str, Any]], None]  # notes, in the transaction, what a page tells of a job
Import = Callable[[ImportJob, Finish], object]  # does a job
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
        with leases.lease(f"import {job.pk}") as is_alone:
            if is_alone:
                job.refresh_from_db()
                if not job.is_over:
                    _do(job, imports[job.what])
                    return 1
    return 0


def _do(job: ImportJob, work: Import) -> None:
    """Import, and keep what came of it."""
    job.begin(ImportJob.State.RUNNING, begun_at=clock.now())
    purge_staged(job.staging_key(former) for former in range(job.tries))
    where: dict[str, Any] = {}
    try:
        done, fault = attempt(
            job.tries, lambda: _import(job, work, where), REFUSALS, f"import {job.pk}"
        )
    except leases.LeaseLost:
        log.warning("another process goes on with import %s, as this one stood still", job.pk)
        return
    if done is None:
        _fail(job, fault if where else _without_options(fault), **where)
    uploads.forget_strays()


def _import(job: ImportJob, work: Import, where: dict[str, Any]) -> Literal[True]:
    """Import a job and note it as done, or do neither; `where` gets the place of a fault."""

    def finish(result: dict[str, Any]) -> None:
        leases.lock_lease_until_commit()
        _end(job, ImportJob.State.DONE, result=result, progress=1)
        Upload.objects.filter(job=job).delete()

    try:
        work(job, finish)
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


def import_collection_files(job: ImportJob, finish: Finish) -> None:
    """Import the files of a collection."""
    files = stored_files(job)
    parts: dict[str, list[StoredFile]] = {kind: [] for kind in OF_COLLECTION}
    qrels: dict[str, list[StoredFile]] = {}
    for about in job.files:
        file = files[about["upload"]]
        parts[about["kind"]].append(file)
        if about["kind"] == Kind.LABELS:
            qrels.setdefault(about["labels"], []).append(file)
    slug = job.into.slug if job.into else job.collection

    def tell(done: Imported) -> None:
        named = relevant_alone(Collection.objects.get(slug=slug))
        alone = {"relevant_alone": [name for name in named if name in done.labels]}
        finish(told_of_collection(done) | alone)

    import_collection(
        slug,
        topics=parts[Kind.TOPICS],
        documents=parts[Kind.DOCUMENTS],
        qrels=qrels,
        runs=parts[Kind.RUNS],
        make_topics=job.options.get("make_topics", False),
        progress=noting(job, [file for kind in OF_COLLECTION for file in parts[kind]]),
        by=job.owner,
        staging_key=job.staging_key(job.tries),
        finish=tell,
    )


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


def noting(job: ImportJob, files: Sequence[StoredFile]) -> Callable[[int], None]:
    """Notes how far the reading of a job's files is; called with each number of bytes read."""
    sizes = [file.path.stat().st_size for file in files]
    ends, total = list(accumulate(sizes)), sum(sizes)
    read, last = 0, 0.0

    def progress(count: int) -> None:
        nonlocal read, last
        read += count
        leases.check_lease()
        if read >= total or time.monotonic() - last > PROGRESS_SECONDS:
            last = time.monotonic()
            place = next((n for n, end in enumerate(ends) if read <= end), len(ends) - 1)
            share = min(read / total, 1.0) if total else 0.0
            running = ImportJob.objects.filter(pk=job.pk, state=ImportJob.State.RUNNING)
            running.update(progress=share, reading=files[place].name)

    return progress


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


def forget_old(now: datetime) -> int:
    """Forget uploads and imports that nobody looks at any more; how many there were."""
    since = now - timedelta(days=settings.IMPORT_DAYS)
    return uploads.forget_old(now) + ImportJob.objects.filter(ended_at__lt=since).delete()[0]
