"""Archives that somebody uploads, imported in the background."""

from uuid import UUID

from django.core.validators import slug_re
from django.db import transaction

from accounts.models import User
from judging.models import Collection, Study
from trec.errors import BadFile
from web import clock
from workspace.archive.importing import import_archive
from workspace.archive.unpacking import opened
from workspace.imports.importing import (
    CannotAsk,
    Finish,
    claimed,
    noting,
    refuse_collection,
    stored_files,
)
from workspace.models import ImportJob, Upload

LONGEST_SLUG = 50


def ask(by: User, key: UUID, *, study: str = "", collection: str = "") -> ImportJob:
    """Have an uploaded archive imported; what is wrong with its list of files is said at once.

    study, collection: other names than they had.

    Raises:
        CannotAsk: the file is not whole, not theirs or no archive; a name is none, or is taken.
    """
    with transaction.atomic():
        upload = claimed(by, [key])[key]
        try:
            with opened(upload.path, upload.name) as archive:
                manifest = archive.manifest
        except BadFile as fault:
            raise CannotAsk(f"{fault}.", "upload") from fault
        study = _free_study(study or manifest["study"])
        collection = _free_collection(by, collection or manifest["collection"])
        job = ImportJob.objects.create(
            owner=by,
            what=ImportJob.What.ARCHIVE,
            collection=collection,
            files=[{**upload.about, "kind": "archive", "labels": ""}],
            options={"study": study},
            asked_at=clock.now(),
        )
        Upload.objects.filter(pk=upload.pk).update(job=job)
    return job


def _free_study(slug: str) -> str:
    if len(slug) > LONGEST_SLUG or not slug_re.match(slug):
        raise CannotAsk(
            f"{slug!r} cannot be the name of a study; expected at most {LONGEST_SLUG} letters, "
            "digits, hyphens and underscores.",
            "study",
        )
    if Study.objects.filter(slug=slug).exists():
        raise CannotAsk(f"The name {slug} is taken: give the study another one.", "study")
    return slug


def _free_collection(by: User, slug: str) -> str:
    refuse_collection(by, slug)
    if Collection.objects.filter(slug=slug).exists():
        raise CannotAsk(f"The name {slug} is taken: give the collection another one.", "collection")
    return slug


def import_uploaded(job: ImportJob, finish: Finish) -> None:
    """Import the archive of a job."""
    (file,) = stored_files(job).values()
    import_archive(
        file.path,
        by=job.owner,
        slug=job.options["study"],
        collection=job.collection,
        name=file.name,
        progress=noting(job, [file]),
        staging_key=job.staging_key(job.tries),
        finish=lambda imported: finish(
            {
                "study": imported.study.slug,
                "rows": imported.rows,
                "ended": imported.ended,
                "left_sealed": imported.left_sealed,
            }
        ),
    )
