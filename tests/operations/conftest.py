"""A small site, judged and paid, and a backup of it."""

import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import boto3
import pytest
from django.db import connection

from evaluation.models import Ranking
from evaluation.pipeline import evaluate
from judging.models import Study
from operations.backup import dumping, encryption
from operations.backup.manifests import Manifest
from operations.backup.stores import Bucket, Folder
from tests.factory import make_study
from tests.factory.completed import complete
from tests.factory.researched import look_into
from tests.factory.runs import add_runs, random_runs
from tests.operations.databases import content, database


@dataclass
class Saved:
    """A backup, and what the site held when it was made."""

    place: Folder
    manifest: Manifest
    keys: list[encryption.Identity]
    content: dict[str, str]
    rankings: list[dict[str, Any]]


def rankings() -> list[dict[str, Any]]:
    """All that rankings say, but for the keys and the number of their publication."""
    columns = [field.name for field in Ranking._meta.concrete_fields if not field.primary_key]
    columns.remove("evaluation")
    rows = Ranking.objects.order_by("evaluation__study", "measure")
    return list(rows.values("evaluation__study", *columns))


def judged_study() -> Study:
    """A study with runs that two people, one of a platform, have judged and a third looked into."""
    study = make_study(topics=2, retention_days=None, payment="0.20")
    add_runs(study, random_runs(study, Random(3)))
    complete(study, "ada")
    complete(study, "dora", platform="prolific", external_id="dora-there", ids={})
    evaluate(study)
    look_into(study)
    return study


@pytest.fixture(scope="module")
def saved(django_db_setup, django_db_blocker, tmp_path_factory) -> Saved:
    """An encrypted backup of a small site, which goes away afterwards."""
    folder = tmp_path_factory.mktemp("saved")
    key = encryption.make_key(folder / "key")
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.conf.settings.BACKUP_KEY", key)
        with database("saved", connection.settings_dict["NAME"]):
            judged_study()
            place = Folder(folder / "store")
            manifest = dumping.make_backup(place)
            held, ranked = content(*dumping.LEFT_OUT), rankings()
    return Saved(place, manifest, encryption.read_keys(folder / "key"), held, ranked)


@pytest.fixture
def empty(db) -> Iterator[None]:
    """An empty database, in which the test is."""
    with database("empty"):
        yield


@pytest.fixture
def place(tmp_path: Path) -> Folder:
    """An empty store."""
    return Folder(tmp_path / "store")


@pytest.fixture
def bucket(monkeypatch) -> Iterator[Bucket]:
    """A bucket of moto's, a double of S3 that answers over HTTP."""
    from moto.server import ThreadedMotoServer  # imports much

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in (
        ("AWS_ENDPOINT_URL", f"http://{host}:{port}"),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(name, value)
    made = Bucket("backups", "of/ours")
    boto3.client("s3").create_bucket(Bucket="backups")
    yield made
    # What it holds belongs to the process, and would be there for the next test.
    urllib.request.urlopen(f"http://{host}:{port}/moto-api/reset", data=b"").close()
    server.stop()
