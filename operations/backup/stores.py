"""Where backups lie: a folder (`file:///folder`), or a bucket (`s3://bucket/prefix`).

A file is there whole or not at all. S3 and what speaks like it is asked through boto3, which takes
its credentials, region and endpoint from the variables that all its users know (AWS_...).
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, Protocol
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings

from operations.backup.faults import BackupFault

DRAFT = ".draft"
MIB = 1024 * 1024
PART = 16 * MIB  # of an upload; each thousand parts a further one, as there may be 10,000
ABANDONED = timedelta(days=1)  # since when a half-written file was touched last


class Writer(Protocol):
    """What bytes are written to."""

    def write(self, data: bytes) -> int: ...


class Store(ABC):
    """A place for files, by names with slashes."""

    @abstractmethod
    def names(self, folder: str) -> list[str]:
        """The files of a folder that are whole, in the order of their names."""

    @abstractmethod
    def writing(self, name: str) -> Any:
        """A context with a Writer; the file is there when it ends, and not if it fails."""

    @abstractmethod
    def reading(self, name: str) -> Any:
        """A context with a file to read from its beginning; BackupFault if there is none."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Delete a file; no error if it is not there."""

    @abstractmethod
    def sweep(self) -> None:
        """Delete what those who were killed have left half written."""


class Folder(Store):
    """A folder of this machine, or one that is mounted here."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def names(self, folder: str) -> list[str]:
        try:
            files = [path.name for path in (self.root / folder).iterdir()]
        except FileNotFoundError:
            return []
        return sorted(f"{folder}/{name}" for name in files if not name.endswith(DRAFT))

    @contextmanager
    def writing(self, name: str) -> Iterator[Writer]:
        path = self.root / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{uuid4().hex}{DRAFT}")
        try:
            with os.fdopen(
                os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
            ) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            draft.rename(path)
            _sync(path.parent)
        finally:
            draft.unlink(missing_ok=True)

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        try:
            file = (self.root / name).open("rb")
        except FileNotFoundError:
            raise BackupFault(f"There is no {name} in {self.root}.") from None
        with file:
            yield file

    def delete(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)

    def sweep(self) -> None:
        since = (datetime.now(UTC) - ABANDONED).timestamp()
        for draft in self.root.glob(f"*/*{DRAFT}"):
            with suppress(FileNotFoundError):  # it has just got its name
                if draft.stat().st_mtime < since:
                    draft.unlink()


def _sync(folder: Path) -> None:
    """Have the names of a folder on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Bucket(Store):
    """Part of a bucket, below a prefix."""

    def __init__(self, bucket: str, prefix: str) -> None:
        self.bucket = bucket
        self.prefix = f"{prefix}/" if prefix else ""
        import boto3  # every worker that writes the record would load it

        for name in [each for each in os.environ if each.startswith("AWS_")]:
            if not os.environ[name]:  # Compose hands on as empty what is not set
                del os.environ[name]
        secret = settings.AWS_SECRET_ACCESS_KEY  # perhaps from a file, of which boto3 does not know
        who = os.environ.get("AWS_ACCESS_KEY_ID")
        self.client = boto3.client(
            "s3", **({"aws_access_key_id": who, "aws_secret_access_key": secret} if secret else {})
        )

    def names(self, folder: str) -> list[str]:
        with _told():
            pages = self.client.get_paginator("list_objects_v2").paginate(
                Bucket=self.bucket, Prefix=f"{self.prefix}{folder}/"
            )
            keys = [each["Key"] for page in pages for each in page.get("Contents", [])]
        return sorted(key.removeprefix(self.prefix) for key in keys)

    @contextmanager
    def writing(self, name: str) -> Iterator[Writer]:
        with _told():
            upload = _Upload(self.client, {"Bucket": self.bucket, "Key": self.prefix + name})
            try:
                yield upload
                upload.complete()
            except BaseException:
                with suppress(ClientError, BotoCoreError):  # swept later
                    upload.abort()
                raise

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        try:
            with _told():
                body = self.client.get_object(Bucket=self.bucket, Key=self.prefix + name)["Body"]
        except self.client.exceptions.NoSuchKey:
            raise BackupFault(f"There is no {self.prefix}{name} in {self.bucket}.") from None
        with body:
            yield body

    def delete(self, name: str) -> None:
        with _told():
            self.client.delete_object(Bucket=self.bucket, Key=self.prefix + name)

    def sweep(self) -> None:
        since = datetime.now(UTC) - ABANDONED
        with _told():
            known = self.client.list_multipart_uploads(Bucket=self.bucket, Prefix=self.prefix)
            for each in known.get("Uploads", []):
                if each["Initiated"] < since:
                    self.client.abort_multipart_upload(
                        Bucket=self.bucket, Key=each["Key"], UploadId=each["UploadId"]
                    )


class _Upload:
    """An upload in parts, which becomes a file when it is completed."""

    def __init__(self, client: Any, place: dict[str, str]) -> None:
        self.client = client
        self.place = place
        self.place["UploadId"] = client.create_multipart_upload(**place)["UploadId"]
        self.waiting = bytearray()
        self.parts: list[dict[str, Any]] = []

    def write(self, data: bytes) -> int:
        self.waiting += data
        if len(self.waiting) >= PART * (1 + len(self.parts) // 1000):
            self._send()
        return len(data)

    def _send(self) -> None:
        number = len(self.parts) + 1
        sent = self.client.upload_part(**self.place, PartNumber=number, Body=bytes(self.waiting))
        self.parts.append({"PartNumber": number, "ETag": sent["ETag"]})
        self.waiting.clear()

    def complete(self) -> None:
        self._send()
        self.client.complete_multipart_upload(**self.place, MultipartUpload={"Parts": self.parts})

    def abort(self) -> None:
        self.client.abort_multipart_upload(**self.place)


@contextmanager
def _told() -> Iterator[None]:
    """What goes wrong with a bucket, as a sentence; that a file is missing is for the caller."""
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        if isinstance(error, ClientError) and error.response["Error"]["Code"] == "NoSuchKey":
            raise
        raise BackupFault(f"The bucket of BACKUP_URL: {error}") from error


def store(url: str = "") -> Store:
    """The store at an address; at BACKUP_URL, if none is given.

    Raises:
        BackupFault: the address is of no such kind.
    """
    parts = urlsplit(url or settings.BACKUP_URL)
    if parts.scheme == "file" and not parts.netloc and parts.path.strip("/"):
        return Folder(Path(unquote(parts.path)))
    if parts.scheme == "s3" and parts.netloc:
        return Bucket(parts.netloc, parts.path.strip("/"))
    raise BackupFault("BACKUP_URL is expected to be file:///FOLDER or s3://BUCKET/PREFIX.")
