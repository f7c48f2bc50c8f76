"""Uploads: begun, sent a piece at a time, recognised, and deleted in the end."""

import os
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Sum

from accounts.models import User
from magnitudes.files.containers.archives import Member, first_of, open_members
from magnitudes.files.containers.recoding import NotUTF8, UnknownEncoding, known_encoding
from magnitudes.files.errors import BadFile
from magnitudes.files.kinds import Kind
from magnitudes.files.recognising import kind_of
from web import clock
from workspace.models import Upload

MIB = 1 << 20
SAMPLE = 1 << 18  # bytes whose encoding is checked before a file is stored
MAX_NAME_LENGTH = 255  # bytes
_EXPECTED = "topics, documents, labels, runs or a table"


class Refused(ValueError):
    """A file, or a piece of it, is not taken; the message says why."""


class TooLarge(Refused):
    """A file is larger than one may be, or than its owner has room for."""


class OutOfPlace(Refused):
    """A piece does not begin where the last one ended."""


class NoRoom(Refused):
    """The disk is full."""


def begin(owner: User, name: str, size: int, encoding: str = "") -> Upload:
    """Make room for a file; its bytes come by `append`."""
    _refuse_odd_name(name)
    if size <= 0:
        raise Refused(f"{name}: an empty file; expected at least one line.")
    if size > settings.MAX_UPLOAD_BYTES:
        limit = f"at most {settings.MAX_UPLOAD_BYTES / MIB:,.0f} MiB"
        raise TooLarge(f"{name}: {size / MIB:,.0f} MiB; expected {limit}.")
    try:
        encoding_name = known_encoding(encoding) if encoding else ""
    except UnknownEncoding as fault:
        raise Refused(f"{fault}.") from fault
    now = clock.now()
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=owner.pk)  # one sum at a time
        used = Upload.objects.filter(owner=owner).aggregate(sum=Sum("size"))["sum"] or 0
        if used + size > settings.MAX_UPLOAD_BYTES_OF_A_PERSON:
            limit = f"{settings.MAX_UPLOAD_BYTES_OF_A_PERSON / MIB:,.0f} MiB"
            raise TooLarge(
                f"{name}: you may have {limit} of files here that are not imported yet, and have "
                f"{used / MIB:,.0f} MiB. Import or remove some first."
            )
        return Upload.objects.create(
            owner=owner, name=name, size=size, encoding=encoding_name, begun_at=now, touched_at=now
        )


def _refuse_odd_name(name: str) -> None:
    is_odd = name in ("", ".", "..") or "/" in name or "\\" in name or not name.isprintable()
    if is_odd or len(name.encode(errors="replace")) > MAX_NAME_LENGTH:
        raise Refused(
            f"{name[:40]!r} cannot be the name of a file; expected at most {MAX_NAME_LENGTH} bytes "
            "that can be printed, without slashes."
        )


def upload_of(owner: User, key: UUID) -> Upload:
    """Upload.DoesNotExist: there is none, or it is another user's."""
    return Upload.objects.get(owner=owner, key=key)


def append(owner: User, key: UUID, offset: int, piece: bytes) -> Upload:
    """Store the next piece of a file. When this returns, it is on disk.

    The first piece is checked before it is stored, and the file after the last: one of an unknown
    format, or of another encoding, is refused and deleted.
    """
    try:
        with transaction.atomic():
            upload = Upload.objects.select_for_update().get(owner=owner, key=key)
            if offset != upload.received:
                begin_at = f"{upload.received:,} bytes are here: the next piece begins there."
                raise OutOfPlace(begin_at)
            if offset + len(piece) > upload.size:
                raise TooLarge(f"{upload}: more than the {upload.size:,} bytes that were announced")
            if not offset:
                upload.kind = _kind_at_first(upload, piece) or ""
            _store(upload.path, offset, piece)
            upload.received += len(piece)
            upload.touched_at = clock.now()
            if upload.received == upload.size:
                upload.ended_at = upload.touched_at
                upload.kind = upload.kind or _kind_at_last(upload)
            upload.save()
            return upload
    except (OutOfPlace, TooLarge, NoRoom):
        raise
    except Refused:
        remove(owner, key)
        raise


def _kind_at_first(upload: Upload, piece: bytes) -> Kind | None:
    """By the first piece; None where only the whole file tells."""
    try:
        member = first_of(upload.name, piece, upload.encoding)
        if member is None:
            return None
        kind = kind_of(member)
        is_whole = len(piece) == upload.size
        if kind and (is_whole or len(piece) > 2 * SAMPLE):
            _refuse_other_encoding(member, is_whole)
    except BadFile as fault:
        if fault.line is None and not isinstance(fault, NotUTF8) and len(piece) < upload.size:
            return None  # cut short, as a first piece may be
        raise Refused(_message(fault)) from fault
    if kind is None:
        raise Refused(_message(_unknown_format(upload.name)))
    return kind


def _refuse_other_encoding(member: Member, is_whole: bool) -> None:
    """Refuse bytes that are not UTF-8; if another encoding was named, readers refuse them."""
    sample = member.stream.read(SAMPLE)
    try:
        sample.decode()
    except UnicodeDecodeError as fault:
        if fault.end < len(sample) - 4 or (is_whole and len(sample) < SAMPLE):
            line = sample.count(b"\n", 0, fault.start) + 1
            problem = f"the byte 0x{sample[fault.start]:02x} is not UTF-8"
            raise NotUTF8(member.name, problem, "UTF-8 text", line) from fault


def _kind_at_last(upload: Upload) -> Kind:
    try:
        kind = next((kind_of(member) for member in open_members([upload.stored])), None)
    except BadFile as fault:
        raise Refused(_message(fault)) from fault
    if kind is None:
        raise Refused(_message(_unknown_format(upload.name)))
    return kind


def _unknown_format(name: str) -> BadFile:
    return BadFile(name, "none of the known formats, or another encoding than UTF-8", _EXPECTED)


def _message(fault: BadFile) -> str:
    another = ", or the name of another encoding" if isinstance(fault, NotUTF8) else ""
    return f"{fault}{another}."


def _store(path: Path, offset: int, piece: bytes) -> None:
    """Write bytes, and wait until they are on disk. What a lost piece left behind is cut off."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        with open(handle, "wb") as file:  # noqa: PTH123 - a handle, so that nobody else reads it
            file.truncate(offset)
            file.seek(offset)
            file.write(piece)
            file.flush()
            os.fsync(file.fileno())
    except OSError as fault:
        raise NoRoom(f"The file cannot be stored: {fault.strerror}.") from fault


def receive(
    owner: User, name: str, size: int, pieces: Iterable[bytes], encoding: str = ""
) -> Upload:
    """Store a file that is here as a whole, as a form sends it."""
    upload = begin(owner, name, size, encoding)
    try:
        for piece in pieces:
            upload = append(owner, upload.key, upload.received, piece)
    except Refused:
        Upload.objects.filter(key=upload.key).delete()
        upload.path.unlink(missing_ok=True)
        raise
    return upload


def remove(owner: User, key: UUID) -> None:
    with transaction.atomic():
        upload = Upload.objects.select_for_update().get(owner=owner, key=key)
        if upload.job is not None:
            raise Refused(f"{upload} is being imported.")
        path = upload.path
        upload.delete()
    path.unlink(missing_ok=True)


def purge_old_uploads(now: datetime) -> int:
    """Delete files that nobody has sent on, or imported, for UPLOAD_DAYS; returns how many."""
    since = now - timedelta(days=settings.UPLOAD_DAYS)
    old = list(Upload.objects.filter(job=None, touched_at__lt=since))
    for upload in old:
        Upload.objects.filter(pk=upload.pk, job=None, touched_at__lt=since).delete()
    if old:
        purge_stray_files()
    return len(old)


def purge_stray_files() -> None:
    folder = Path(settings.UPLOAD_DIR)
    if not folder.is_dir():
        return
    paths = {path.name: path for path in folder.iterdir()}
    keys = {key.hex for key in Upload.objects.values_list("key", flat=True)}
    for name in paths.keys() - keys:
        paths[name].unlink(missing_ok=True)
