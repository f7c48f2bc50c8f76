"""The sample collection: the files of demo/, sent and imported as anybody's."""

from itertools import chain, count
from pathlib import Path

from django.conf import settings

from accounts.models import User
from judging.models import Collection
from workspace.imports import importing, uploads
from workspace.imports.importing import REFERENCE, Chosen
from workspace.models import ImportJob

FOLDER: Path = settings.BASE_DIR / "demo"
NAME = "sample"


def request_sample(by: User) -> ImportJob:
    """Request its import into a collection of one's own.

    Raises:
        Refused: there is no room for its files.
        BadImport: somebody has taken its name meanwhile.
    """
    paths = [FOLDER / "topics.trec", FOLDER / "documents.trec", *FOLDER.glob("qrels*.txt")]
    paths += (FOLDER / "runs").iterdir()
    return importing.request_import(by, _free_name(by), [_sent(by, path) for path in paths])


def _sent(by: User, path: Path) -> Chosen:
    upload = uploads.receive(by, path.name, path.stat().st_size, [path.read_bytes()])
    labels = path.stem.removeprefix("qrels").removeprefix("-") or REFERENCE
    return Chosen(upload.key, upload.kind, labels)


def _free_name(by: User) -> str:
    """Its name, with a number behind it if others have taken it."""
    of_others = Collection.objects.exclude(owner=by).filter(slug__startswith=NAME)
    taken = set(of_others.values_list("slug", flat=True))
    names = chain([NAME], (f"{NAME}-{n}" for n in count(2)))
    return next(name for name in names if name not in taken)
