"""Studies that leave a site, and another site for them to come to."""

import json
import zipfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from evaluation.analyses import ANALYSES
from evaluation.analyses.question import USUAL
from evaluation.models import Verdict
from evaluation.publishing import exports
from evaluation.study.data import load
from judging.models import (
    Batch,
    DocumentNote,
    Judgment,
    Participant,
    PooledDocument,
    Study,
    Unit,
)
from judging.studies.trail import record
from tests.database import copied_database, there_for_all
from tests.factory import NOON
from tests.factory.completed import busy_study
from workspace.archive.exporting import export_archive

Elsewhere = Callable[[], AbstractContextManager[None]]
Line = Callable[[dict[str, Any]], Any]
PASSPHRASE = "correct horse battery"
OWNER = "olga.owner"
# Quick ones, of every section.
SOME_ANALYSES = ("distributions", "order", "internal", "workers", "topics", "widths", "reading")


@pytest.fixture(scope="package")
def elsewhere(django_db_setup, django_db_blocker):
    """What opens an empty database, as on another site."""
    with django_db_blocker.unblock(), copied_database() as there:
        yield there


@pytest.fixture(scope="package")
def busy(elsewhere, django_db_blocker):
    """A study in which everything has happened, what no worker does too."""
    with there_for_all(django_db_blocker):
        study = busy_study()
        everything_else(study)
        yield study


def everything_else(study: Study) -> None:
    """What owners do: a batch, a verdict, an exclusion, a list of participants, a trail."""
    owner = User.objects.create_user(OWNER, email="olga@example.org")
    record(study, owner, "opened", by_name=OWNER, before=[OWNER, "nobody"], depth=10)
    batch = Batch.objects.create(
        study=study, number=1, seed=2**52 + 1, redundancy=1, chosen={"401": []}, made_at=NOON
    )
    Unit.objects.filter(pk=Unit.objects.filter(free=True).latest("pk").pk).update(batch=batch)
    document = PooledDocument.objects.filter(study_topic__study=study).first()
    Verdict.objects.create(
        document=document, label_set="reference", finding="crowd", by=owner, at=NOON, note="=1+1"
    )
    worker = study.workers.get(pseudonym="ada")
    worker.excluded_at, worker.exclusion_reason = NOON, "did not read “a\\b”\n\t{x}"
    worker.save()
    judgment = Judgment.objects.filter(assignment__study=study).earliest("pk")
    DocumentNote.objects.create(
        assignment=judgment.assignment,
        position=judgment.position,
        document=judgment.document,
        kind="other",
        text="=1+1, said a worker",
        at=NOON,
    )
    Participant.objects.create(study=study, external_id="participant-of-the-list")


def exported(study: Study) -> dict[str, str]:
    """All tables of a study in all formats, as files."""
    return {
        f"{name}.{written}": "".join(exports.lines(study, name, written))
        for name, export in exports.exports_of(study).items()
        for written in export.formats
    }


def analysed(study: Study) -> dict[str, list[Any]]:
    """What some analyses find: the rows of each part."""
    data = load(study, "reference" if study.collection.label_sets.exists() else "")
    parts = {}
    for name in SOME_ANALYSES:
        analysis = ANALYSES[name]
        if analysis.applies_to(study):
            asked = [USUAL] if analysis.takes else []
            answer = analysis.analyse(data, lambda share: None, *asked)
            parts[name] = [repr((part.name, part.rows)) for part in answer.parts]
    return parts


def archive_of(study: Study, path: Path, passphrase: str = "") -> Path:
    path.write_bytes(b"".join(export_archive(study, by=None, passphrase=passphrase)))
    return path


def rewritten(path: Path, change: Callable[[dict[str, bytes]], None], to: Path) -> Path:
    """An archive with other files, whose manifest goes with them."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files.pop("manifest.json"))
    change(files)
    manifest["files"] = {
        name: {"rows": content.count(b"\n"), "sha256": sha256(content).hexdigest()}
        for name, content in files.items()
    }
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (files | {"manifest.json": json.dumps(manifest).encode()}).items():
            archive.writestr(name, content)
    return to


def with_row(file: str, line: int, change: Line) -> Callable[[dict[str, bytes]], None]:
    """A change of one row of a file: a function of it, which may return another one."""

    def changed(files: dict[str, bytes]) -> None:
        lines = files[file].splitlines()
        row = json.loads(lines[line - 1])
        row = change(row) or row
        lines[line - 1] = json.dumps(row).encode()
        files[file] = b"\n".join(lines) + b"\n"

    return changed
