"""Where backups lie: a folder (`file:///folder`), or a bucket (`s3://bucket/prefix`).

A file is there as a whole or not at all. obstore writes to S3, with the credentials, region and
endpoint of the usual variables (AWS_...). It does not wait for the disk, so folders are ours.
"""

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from django.conf import settings

DRAFT = ".draft"
PART = 16 * 1024 * 1024  # of an upload, which may have 10,000
REQUEST_TIMEOUT = timedelta(minutes=5)
ENDPOINT = r"https?://([A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\])(:\d+)?(/[\w./-]*)?"  # else obstore panics


class BackupFault(Exception):
    """A backup or a restore that cannot be done; the message says why, and what to do."""


class Folder:
    def __init__(self, root: Path) -> None:
        self.root = root

    def names(self, folder: str) -> list[str]:
        """Sorted, with the drafts of killed processes."""
        try:
            return sorted(f"{folder}/{path.name}" for path in (self.root / folder).iterdir())
        except FileNotFoundError:
            return []

    @contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """The file is there when the context ends, and not if it fails."""
        path = self.root / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{uuid4().hex}{DRAFT}")
        try:
            with open(draft, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            draft.rename(path)
            _sync(path.parent)
        finally:
            draft.unlink(missing_ok=True)

    def reading(self, name: str) -> BinaryIO:
        try:
            return (self.root / name).open("rb")
        except FileNotFoundError:
            raise BackupFault(f"There is no {name} in {self.root}.") from None

    def delete(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Bucket:
    """Part of a bucket, below a prefix; methods as of Folder."""

    def __init__(self, bucket: str, prefix: str, timeout: timedelta = REQUEST_TIMEOUT) -> None:
        from obstore.store import S3Store  # every process would load its 10 MB

        self.url = f"s3://{bucket}/{prefix}"
        for name, value in [*os.environ.items()]:
            if name.startswith("AWS_") and not value:  # Compose hands on as empty what is not set
                del os.environ[name]
            elif name.startswith("AWS_ENDPOINT_URL") and not re.fullmatch(ENDPOINT, value):
                raise BackupFault(
                    f"{name} is expected to be https://HOST:PORT or http://HOST:PORT."
                )
        secret: Any = {}
        if settings.AWS_SECRET_ACCESS_KEY:  # perhaps from a file
            secret = {"secret_access_key": settings.AWS_SECRET_ACCESS_KEY}
        with _faults_of_bucket():
            self.store = S3Store(
                bucket,
                prefix=prefix or None,
                client_options={"allow_http": True, "timeout": timeout},
                retry_config={"retry_timeout": timeout},
                disable_bulk_delete=True,  # which not everything has that speaks S3
                **secret,
            )

    def names(self, folder: str) -> list[str]:
        with _faults_of_bucket():
            return sorted(each["path"] for some in self.store.list(folder) for each in some)

    @contextmanager
    def writing(self, name: str) -> Iterator[Any]:
        from obstore import open_writer

        with (
            _faults_of_bucket(),
            open_writer(self.store, name, buffer_size=PART, max_concurrency=2) as file,
        ):
            yield file

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        from obstore import open_reader

        with _faults_of_bucket():
            try:
                file = open_reader(self.store, name, buffer_size=PART)
            except FileNotFoundError:
                raise BackupFault(f"There is no {name} in {self.url}.") from None
            yield io.BufferedReader(_Reader(file))

    def delete(self, name: str) -> None:
        with _faults_of_bucket():
            self.store.delete(name)


class _Reader(io.RawIOBase):
    """A file of obstore's, which gives no `bytes`, as one of Python's."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def _faults_of_bucket() -> Iterator[None]:
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, OSError, ValueError) as error:
        message = str(error).partition("\n\nDebug source")[0]
        raise BackupFault(f"The bucket of BACKUP_URL: {message}") from error


Store = Folder | Bucket


def store(timeout: timedelta = REQUEST_TIMEOUT) -> Store:
    """The store at BACKUP_URL.

    timeout: of each request to a bucket, and as long again for those that are repeated.
    """
    parts = urlsplit(settings.BACKUP_URL)
    if parts.scheme == "file" and not parts.netloc and parts.path.strip("/"):
        return Folder(Path(unquote(parts.path)))
    if parts.scheme == "s3" and re.fullmatch(r"[A-Za-z0-9._-]+", parts.netloc):
        return Bucket(parts.netloc, parts.path.strip("/"), timeout)
    raise BackupFault("BACKUP_URL is expected to be file:///FOLDER or s3://BUCKET/PREFIX.")
