"""Readers of what lies in an operator's store: manifests, the record, keys, sealed files."""

import io
from datetime import UTC, datetime

import pyrage
from pyrage.x25519 import Identity

from operations.backup import encryption, manifests
from operations.backup.stores import BackupFault, Folder
from operations.record import replaying
from operations.record.tasks import FOLDER
from tests.fuzzing.reader import Reader, drained, folder

KEY = Identity.generate()
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
AT = b"20260101T000000000000Z"
NAME = f"{FOLDER}/{AT.decode()}-a.jsonl"
MANIFEST = manifests.Manifest(
    AT.decode(),
    MOMENT,
    "backups/a.dump",
    12,
    "ab",
    False,
    "0.2",
    15,
    {"judging": ["0001"]},
    {"a": 1},
)
ENTRY = (
    b'{"key": "6b1c3a4e-0000-4000-8000-000000000000", "at": "2026-01-01T00:00:00+00:00", '
    b'"kind": "deleted", "details": {"table": "judging.Study", "keys": [1]}}\n'
)


def _record(data: bytes) -> None:
    path = folder() / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    drained(replaying.read(Folder(folder()), MOMENT, []))


def _key_file(data: bytes) -> None:
    (folder() / "key").write_bytes(data)
    encryption.read_keys(str(folder() / "key"), io.StringIO())


def _sealed(data: bytes) -> None:
    encryption.decrypt(io.BytesIO(data), io.BytesIO(), [KEY])


OPERATORS = (
    Reader(
        "manifests of backups",
        manifests.Manifest.from_json,
        (BackupFault,),
        (MANIFEST.to_json(),),
        "operations.backup.manifests.Manifest.from_json operations.backup.manifests.read",
        (b"null", b"[", b"{", b"1e400", b'"x":', b"-1", b"0001-01-01T00:00:00+23:59"),
    ),
    Reader(
        "the record",
        _record,
        (BackupFault,),
        (ENTRY, ENTRY * 2),
        "operations.record.replaying.read",
        (b"null", b"[", b"{", b"\n", b"\xff", b"0001-01-01", b'"at"', b'"details"'),
    ),
    Reader(
        "keys of backups",
        _key_file,
        (BackupFault,),
        (f"# public key: {KEY.to_public()}\n{KEY}\n".encode(), b"AGE-SECRET-KEY-1"),
        "operations.backup.encryption.read_keys",
        (b"AGE-SECRET-KEY-1", b"\n", b"#"),
    ),
    Reader(
        "sealed backups",
        _sealed,
        (BackupFault,),
        (pyrage.encrypt(b"what was backed up", [KEY.to_public()]), b"age-encryption.org/v1\n"),
        "operations.backup.encryption.decrypt",
        (b"-> X25519 ", b"\n---", b"-> scrypt ", b"18"),
    ),
)
