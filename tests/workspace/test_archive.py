"""A study moved to another installation by an archive: the same exports there, byte by byte."""

import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from evaluation import exports
from evaluation.analyses import of_study
from evaluation.analyses.study.data import load
from evaluation.pipeline import evaluate
from judging.models import Collection, Study
from tests.database import copied_database
from tests.factory.completed import busy_study, graded_study, judged_study
from workspace.archive.exporting import export_archive
from workspace.archive.importing import import_archive

Elsewhere = Callable[[], AbstractContextManager[None]]
ANALYSES = ("rankings",)


@pytest.fixture(scope="module")
def elsewhere(django_db_setup: None, django_db_blocker: Any) -> Iterator[Elsewhere]:
    with django_db_blocker.unblock(), copied_database() as there:
        yield there


def files_of(study: Study) -> dict[str, str]:
    tables = exports.exports_of(study)
    return {
        f"{name}.{written}": "".join(exports.lines(study, name, written))
        for name, export in tables.items()
        for written in export.formats
    }


def archive_of(study: Study, path: Path, **options: Any) -> Path:
    path.write_bytes(b"".join(export_archive(study, by=None, **options)))
    return path


def test_busy(elsewhere: Elsewhere, db: None, tmp_path: Path) -> None:
    study = busy_study()
    before = files_of(study)
    path = archive_of(study, tmp_path / "a.zip")
    with elsewhere():
        assert not Study.objects.exists()
        imported = import_archive(path, by=None)
        after = files_of(imported.study)
        assert after == before
