"""A backup is whole or not there, wherever it goes."""

import io
import re
import resource
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import boto3
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from judging.models import RecordEntry
from operations.backup import dumping, encryption, manifests, postgres, tasks
from operations.backup.restoring import validate_file
from operations.backup.stores import PART, BackupFault, Bucket, Folder, Store, store
from operations.backup.tasks import back_up, expire
from operations.management.commands import backup
from operations.record.tasks import write_all
from tests.factory import make_study
from web import clock
from web.background.leases import lease

ONE_TABLE = 20_000  # bytes: less than any dump of ours


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """As on a disk that gets full: to write more fails."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


@pytest.mark.django_db(transaction=True)
def test_a_full_disk_leaves_no_backup_and_no_half_of_one(place: Folder) -> None:
    with files_of_at_most(ONE_TABLE), pytest.raises(BackupFault, match="cannot be written"):
        dumping.make_backup(place)
    assert not [path for path in place.root.rglob("*") if path.is_file()]


@pytest.mark.django_db(transaction=True)
def test_a_dump_that_fails_leaves_no_backup(place: Folder, monkeypatch) -> None:
    monkeypatch.setattr(dumping, "OPTIONS", ["--no-such-option"])
    with pytest.raises(BackupFault, match="pg_dump failed"):
        dumping.make_backup(place)
    assert manifests.names(place) == []
    assert place.names("backups") == []


def write_and_fail(place: Store) -> None:
    with place.writing("backups/half") as target:
        target.write(bytes(2 * PART))
        target.write(bytes(1 // 0))


@pytest.mark.django_db(transaction=True)
def test_a_bucket_holds_backups_as_a_folder_does(bucket: Bucket) -> None:
    made = dumping.make_backup(bucket)
    assert manifests.newest(bucket) == made.made_at
    assert manifests.read(bucket, made.name) == made
    validate_file(bucket, made)
    with pytest.raises(BackupFault, match="There is no"), bucket.reading("backups/none"):
        pass
    with pytest.raises(ZeroDivisionError):
        write_and_fail(bucket)
    assert len(bucket.names("backups")) == 2
    assert not boto3.client("s3").list_multipart_uploads(Bucket="backups").get("Uploads")
    bucket.delete("backups/none")
    bucket.delete(made.file)
    assert bucket.names("backups") == [f"backups/{made.name}.json"]


def test_the_secret_of_a_bucket_may_come_from_a_file(bucket: Bucket, settings, monkeypatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "")
    settings.AWS_SECRET_ACCESS_KEY = "of a file"
    assert Bucket("backups", "").store.config["secret_access_key"] == "of a file"


@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"])
@pytest.mark.parametrize("address", ["minio:9000", "http://", "ftp://x", "http://[", "https://a b"])
def test_an_endpoint_that_is_no_address_is_refused(name: str, address: str, monkeypatch) -> None:
    monkeypatch.setenv(name, address)
    with pytest.raises(BackupFault, match=f"{name} is expected to be https://HOST:PORT"):
        Bucket("backups", "")


def test_a_prefix_that_is_no_path_is_reported(bucket: Bucket) -> None:
    with pytest.raises(BackupFault, match="illegal character sequence"):
        Bucket("backups", "../..")


def test_a_missing_bucket_is_reported(bucket: Bucket) -> None:
    with pytest.raises(BackupFault, match="NoSuchBucket"):
        Bucket("elsewhere", "").names("backups")


def keep(place: Store, days: float) -> str:
    """A backup that was made that many days ago, and its file; returns its name."""
    name = manifests.name_at(clock.now() - timedelta(days=days))
    for ending in (".dump.age", manifests.ENDING):
        with place.writing(f"backups/{name}{ending}") as file:
            file.write(b"{}")
    return name


@pytest.mark.django_db(transaction=True)
def test_a_promised_retention_outlives_the_study(place: Folder, settings) -> None:
    study = make_study(retention_days=7)
    told = dumping.make_backup(place)
    study.delete()
    long = dumping.make_backup(place)
    assert [told.days, long.days] == [7, 30]
    for days, left in ((6.9, [told, long]), (7.1, [long]), (29.9, [long]), (30.1, [])):
        expire(place, long.made_at + timedelta(days=days))
        assert list(manifests.backups(place)) == left


@pytest.mark.django_db
@pytest.mark.parametrize("days", [7, 30])
def test_the_record_goes_with_the_oldest_backup(place: Folder, settings, days: int) -> None:
    """From the store two days after it; from the table after sixty, be the store well or not."""
    settings.BACKUP_URL = place.root.as_uri()
    make_study(retention_days=days)
    now = clock.now()
    RecordEntry.objects.create(kind="deleted", details={})
    assert write_all() == 1
    (file,) = place.names("record")
    with place.writing("record/mine.txt") as other:
        other.write(b"not ours")
    expire(place, now + timedelta(days=days + 1.9))
    assert file in place.names("record")
    expire(place, now + timedelta(days=days + 2.1))
    assert place.names("record") == ["record/mine.txt"]

    RecordEntry.objects.create(kind="deleted", details={})  # not written yet
    expire(place, now + timedelta(days=59.9))
    assert RecordEntry.objects.count() == 2
    place.root.rename(place.root.with_name("away"))
    place.root.write_text("no folder")
    with pytest.raises(NotADirectoryError):
        expire(place, now + timedelta(days=60.1))
    assert RecordEntry.objects.get().written_at is None


def raising(fault: Exception) -> Callable[..., NoReturn]:
    def fails(*_: object) -> NoReturn:
        raise fault

    return fails


@pytest.mark.django_db
@pytest.mark.parametrize(("retention", "days"), [(None, 30), (90, 30), (7, 7), (0, 1)])
def test_a_backup_lives_as_long_as_the_shortest_retention(
    place: Folder, retention: int | None, days: int
) -> None:
    make_study(retention_days=retention)
    young, _old = keep(place, days - 0.1), keep(place, days + 0.1)
    with place.writing("backups/mine.txt") as file:
        file.write(b"not ours")
    left = keep(place, 5)
    place.delete(f"backups/{left}.json")
    assert expire(place, clock.now()) == 1
    assert manifests.names(place) == [young]
    assert place.names("backups") == [
        f"backups/{young}.dump.age",
        f"backups/{young}.json",
        "backups/mine.txt",
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("hours", [0, 24, 168])
@pytest.mark.parametrize("fault", [None, BackupFault("no room"), OSError("no room")])
def test_what_is_too_old_goes_by_the_clock_whether_or_not_one_is_made(
    place: Folder, settings, monkeypatch, caplog, hours: int, fault: Exception | None
) -> None:
    settings.BACKUP_URL, settings.BACKUP_HOURS = place.root.as_uri(), hours
    young = "" if fault else keep(place, 0.5)  # one is due, and fails; or none is due
    keep(place, 31)

    def fails(place: Store) -> manifests.Manifest:
        assert manifests.names(place) == [], "the old one is in the way of the new one"
        assert fault
        raise fault

    monkeypatch.setattr(dumping, "make_backup", fails)
    assert back_up() == ""
    assert manifests.names(place) == [young] * bool(young)
    assert ("No backup was made: no room" in caplog.text) == bool(fault and hours)


@pytest.mark.django_db
def test_what_is_too_old_goes_with_the_command_whether_or_not_one_is_made(
    place: Folder, settings, monkeypatch
) -> None:
    settings.BACKUP_URL = place.root.as_uri()
    young, _old = keep(place, 1), keep(place, 31)
    with monkeypatch.context() as patch:
        patch.setattr(dumping, "make_backup", raising(BackupFault("no room")))
        with pytest.raises(CommandError, match="no room"):
            call_command("backup", stderr=io.StringIO())
    assert manifests.names(place) == [young]


@pytest.mark.django_db(transaction=True)
def test_one_is_made_although_the_old_cannot_be_deleted(
    place: Folder, settings, monkeypatch, caplog
) -> None:
    settings.BACKUP_URL, settings.BACKUP_HOURS = place.root.as_uri(), 24
    monkeypatch.setattr(tasks, "expire", raising(BackupFault("may not delete")))
    made = back_up()
    assert manifests.names(place) == [made]
    assert "cannot be deleted: may not delete" in caplog.text
    said = io.StringIO()
    monkeypatch.setattr(backup, "expire", raising(BackupFault("may not delete")))
    with pytest.raises(CommandError, match="may not delete"):
        call_command("backup", stdout=said, stderr=io.StringIO())
    assert manifests.names(place) == [made, said.getvalue().strip()]


@pytest.mark.django_db(transaction=True)
def test_by_the_clock_one_is_made_when_the_newest_is_old_enough(
    place: Folder, settings, caplog
) -> None:
    settings.BACKUP_URL, settings.BACKUP_HOURS = place.root.as_uri(), 0
    young = keep(place, 0.5)
    assert back_up() == ""
    settings.BACKUP_HOURS = 13
    assert back_up() == ""
    settings.BACKUP_HOURS = 11
    with lease("backup"):
        assert back_up() == ""
    made = back_up()
    assert manifests.names(place) == [young, made]
    assert back_up() == ""
    place.root.rename(place.root.with_name("away"))
    place.root.write_text("no folder")
    assert back_up() == ""
    assert "No backup was made: " in caplog.text


@pytest.fixture
def reader(transactional_db: None) -> Iterator[str]:
    name = "reader_of_tests"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {name} LOGIN")
    yield name
    with connection.cursor() as cursor:
        cursor.execute(f"DROP ROLE {name}")


def test_it_goes_by_the_address_for_backups(place: Folder, reader: str, settings) -> None:
    """Past a pool, say, and as another user, who need not be allowed to write."""
    usual = connection.settings_dict
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    settings.BACKUP_DATABASE = usual | {"HOST": "127.0.0.1", "PORT": port}
    with pytest.raises(BackupFault, match="does not let us in"):
        dumping.make_backup(place)
    settings.BACKUP_DATABASE = usual | {"USER": reader, "PASSWORD": ""}
    with pytest.raises(BackupFault, match="permission denied"):
        dumping.make_backup(place)
    assert place.names("backups") == []
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT pg_read_all_data TO {reader}")
    validate_file(place, dumping.make_backup(place))


@pytest.mark.django_db(transaction=True)
def test_a_broken_connection_is_reported(place: Folder, monkeypatch) -> None:
    def breaks(cursor: object) -> dict[str, int]:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")  # type: ignore[attr-defined]
        return {}

    monkeypatch.setattr(dumping, "_rows", breaks)
    with pytest.raises(BackupFault, match="PostgreSQL broke off: "):
        dumping.make_backup(place)
    assert place.names("backups") == []


def test_a_program_must_be_as_new_as_the_server() -> None:
    newest = postgres.program("pg_dump", 18)
    assert postgres._versions("pg_dump")[newest] >= 18
    with pytest.raises(BackupFault, match="PostgreSQL 99 needs pg_dump of version 99"):
        postgres.program("pg_dump", 99)


def test_the_secret_half_of_a_key_is_not_taken_for_the_public_one(settings, tmp_path: Path) -> None:
    public = encryption.make_key(tmp_path / "key")
    settings.BACKUP_KEY = str(encryption.read_keys(tmp_path / "key")[0])
    with pytest.raises(BackupFault, match="secret half"):
        encryption.recipients()
    settings.BACKUP_KEY = "age1nonsense"
    with pytest.raises(BackupFault, match="not a public key"):
        encryption.recipients()
    settings.BACKUP_KEY = public
    sealed, opened = io.BytesIO(), io.BytesIO()
    encryption.encrypt(io.BytesIO(b"what" * 100_000), sealed, encryption.recipients())
    for cut in (1, 70_000):
        cut_off = io.BytesIO(sealed.getvalue()[:-cut])
        with pytest.raises(BackupFault):
            encryption.decrypt(cut_off, io.BytesIO(), encryption.read_keys(tmp_path / "key"))
    encryption.decrypt(
        io.BytesIO(sealed.getvalue()),
        opened,
        encryption.read_keys(tmp_path / "key"),
    )
    assert opened.getvalue() == b"what" * 100_000
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0


def test_a_key_is_made_in_a_file_or_on_standard_output(settings, tmp_path: Path) -> None:
    said, beside = io.StringIO(), io.StringIO()
    call_command("backup", make_key="-", stdout=said, stderr=beside)
    (public,) = re.findall(r"^BACKUP_KEY=(age1\w+)$", beside.getvalue(), re.M)
    assert "AGE-SECRET-KEY" not in beside.getvalue()
    (key,) = encryption.read_keys("-", io.StringIO(said.getvalue()))
    assert str(key.to_public()) == public

    said, file = io.StringIO(), tmp_path / "key"
    call_command("backup", make_key=str(file), stdout=said, stderr=io.StringIO())
    (key,) = encryption.read_keys(file)
    assert said.getvalue() == f"BACKUP_KEY={key.to_public()}\n"
    with pytest.raises(CommandError, match="Cannot make"):  # a key is never written over
        call_command("backup", make_key=str(file))


@pytest.mark.django_db(transaction=True)
def test_the_list_says_of_each_what_it_is(place: Folder, settings) -> None:
    settings.BACKUP_URL = place.root.as_uri()
    plain = dumping.make_backup(place)
    settings.BACKUP_KEY = encryption.make_key("-", io.StringIO())
    sealed = dumping.make_backup(place)
    with place.writing("backups/mine.json") as file:
        file.write(b"not ours")
    said = io.StringIO()
    call_command("backup", list=True, stdout=said)
    first, second = said.getvalue().splitlines()
    assert first.startswith(f"{plain.name} {plain.size:,} bytes plain, version {plain.version}, ")
    assert second.startswith(f"{sealed.name} {sealed.size:,} bytes encrypted, version ")
    assert second.endswith(f"PostgreSQL {sealed.postgresql}")


@pytest.mark.parametrize(
    "url", ["", "file://host/x", "file:///", "ftp://x/y", "s3:///x", "s3://a b", "/x"]
)
def test_an_address_of_no_known_kind_is_refused(url: str, settings) -> None:
    settings.BACKUP_URL = url
    with pytest.raises(BackupFault, match="BACKUP_URL is expected"):
        store()
