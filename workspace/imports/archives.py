from uuid import UUID

from django.core.validators import slug_re
from django.db import transaction

from accounts.models import User
from judging.models import Collection, Study
from magnitudes.files.errors import BadFile
from web import clock
from workspace.archive.importing import import_archive
from workspace.archive.unpacking import open_archive
from workspace.imports.importing import (
    BadImport,
    Finish,
    claim_uploads,
    import_progress,
    refuse_collection,
    stored_files,
)
from workspace.models import ImportJob, Upload

MAX_SLUG_LENGTH = 50


def request_import(by: User, key: UUID, *, study: str = "", collection: str = "") -> ImportJob:
    """Request the import of an uploaded archive, once its list of files is checked.

    study, collection: other names than they had.
    """
    with transaction.atomic():
        upload = claim_uploads(by, [key])[key]
        try:
            with open_archive(upload.path, upload.name) as archive:
                manifest = archive.manifest
        except BadFile as fault:
            raise BadImport(f"{fault}.", "upload") from fault
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
    if len(slug) > MAX_SLUG_LENGTH or not slug_re.match(slug):
        raise BadImport(
            f"{slug!r} cannot be the name of a study; expected at most {MAX_SLUG_LENGTH} letters, "
            "digits, hyphens and underscores.",
            "study",
        )
    if Study.objects.filter(slug=slug).exists():
        raise BadImport(f"The name {slug} is taken: give the study another one.", "study")
    return slug


def _free_collection(by: User, slug: str) -> str:
    refuse_collection(by, slug)
    if Collection.objects.filter(slug=slug).exists():
        raise BadImport(f"The name {slug} is taken: give the collection another one.", "collection")
    return slug


def import_uploaded(job: ImportJob, finish: Finish) -> None:
    (file,) = stored_files(job).values()
    import_archive(
        file.path,
        by=job.owner,
        slug=job.options["study"],
        collection=job.collection,
        name=file.name,
        progress=import_progress(job, [file]),
        staging_key=job.staging_key(job.tries),
        finish=lambda imported: finish(
            {
                "study": imported.study.slug,
                "rows": imported.rows,
                "ended": imported.ended,
                "left_sealed": imported.ids_left_out,
            }
        ),
    )
