"""Uploads in pieces: by tus's protocol, resumed, refused, bounded, and nobody else's."""

import gzip
import io
import zipfile
from base64 import b64encode
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from tests.database import at_once
from tests.desks import with_token
from web import clock
from workspace.imports import uploads
from workspace.models import Upload

RUN = b"".join(b"401 Q0 D%d %d %d one\n" % (n, n, 100 - n) for n in range(1, 40))
TUS = {"Tus-Resumable": "1.0.0"}
PIECE = "application/offset+octet-stream"


def begun(client: Client, name: str = "one.run", size: int = len(RUN), **more: str) -> Any:
    said = {"filename": name, **more}
    metadata = ",".join(f"{key} {b64encode(text.encode()).decode()}" for key, text in said.items())
    headers = {**TUS, "Upload-Length": str(size), "Upload-Metadata": metadata}
    return client.post("/api/v1/uploads/", headers=headers)


def send(client: Client, address: str, offset: int, piece: bytes, **more: str) -> Any:
    headers = {**TUS, "Upload-Offset": str(offset), **more}
    return client.patch(address, piece, content_type=PIECE, headers=headers)


def offset_of(client: Client, address: str) -> str:
    return client.head(address, headers=TUS).headers["Upload-Offset"]


@pytest.fixture
def script(rosa):
    return with_token(rosa)


def test_a_script_sends_a_file_in_pieces_and_goes_on_where_it_was_cut(script):
    answer = begun(script)
    assert (answer.status_code, answer.headers["Tus-Resumable"]) == (201, "1.0.0")
    address = answer.headers["Location"]
    assert send(script, address, 0, RUN[:100]).status_code == 204
    assert offset_of(script, address) == "100"
    assert send(script, address, 50, RUN[50:]).status_code == 409, "another piece is due"
    last = send(script, address, 100, RUN[100:])
    assert (last.status_code, last.headers["Upload-Offset"]) == (204, str(len(RUN)))
    upload = Upload.objects.get()
    assert upload.path.read_bytes() == RUN
    assert (upload.name, upload.kind) == ("one.run", "runs")
    assert upload.ended_at
    assert upload.path.stat().st_mode & 0o77 == 0, "nobody else on the machine reads it"
    assert script.delete(address, headers=TUS).status_code == 204
    assert not upload.path.exists()
    assert script.head(address, headers=TUS).status_code == 404


def test_what_was_written_and_not_acknowledged_is_sent_again(script):
    """As when the process dies between the disk and the database."""
    address = begun(script).headers["Location"]
    send(script, address, 0, RUN[:100])
    with Upload.objects.get().path.open("ab") as file:
        file.write(b"lost")
    send(script, address, 100, RUN[100:])
    assert Upload.objects.get().path.read_bytes() == RUN


def test_the_protocol(script):
    answer = script.options("/api/v1/uploads/")
    assert answer.status_code == 204
    assert answer.headers["Tus-Version"] == "1.0.0"
    assert set(answer.headers["Tus-Extension"].split(",")) == {"creation", "termination"}
    address = begun(script).headers["Location"]
    wrong = script.head(address, headers={"Tus-Resumable": "0.2.2"})
    assert (wrong.status_code, wrong.headers["Tus-Version"]) == (412, "1.0.0")
    as_form = script.patch(address, RUN, content_type="text/plain", headers=TUS)
    assert as_form.status_code == 415
    assert send(script, address, 0, RUN + b"more").status_code == 413
    overridden = script.post(
        address,
        RUN,
        content_type=PIECE,
        headers={**TUS, "Upload-Offset": "0", "X-HTTP-Method-Override": "PATCH"},
    )
    assert overridden.status_code == 204
    for headers in ({"Upload-Length": "-1"}, {"Upload-Length": "9" * 30}, {}):
        assert script.post("/api/v1/uploads/", headers={**TUS, **headers}).status_code == 400


@pytest.mark.parametrize("method", ["head", "patch", "delete"])
def test_what_somebody_else_sends_is_not_there(script, otto, method):
    address = begun(script).headers["Location"]
    headers = {**TUS, "Upload-Offset": "0"}
    kind = {"data": RUN, "content_type": PIECE} if method == "patch" else {}
    other, nobody = with_token(otto), Client()
    assert getattr(other, method)(address, headers=headers, **kind).status_code == 404
    assert getattr(nobody, method)(address, headers=headers, **kind).status_code == 401
    assert Upload.objects.get().received == 0


def test_a_browser_sends_with_the_token_of_its_form(rosa):
    client = Client(enforce_csrf_checks=True)
    client.force_login(rosa)
    assert begun(client).status_code == 403


@pytest.mark.parametrize(
    ("name", "beginning", "problem"),
    [
        ("paper.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "none of the known formats"),
        ("notes.txt", b"Dear colleagues\nthis is no data.\n", "none of the known formats"),
        ("a.run", b"401 Q0 D\xe91 1 9 one\n", "line 1: the byte 0xe9 is not UTF-8"),
        ("a.zst", b"\x28\xb5\x2f\xfd    ", "compressed by Zstandard"),
        ("a.gz", gzip.compress(b"words of no kind\n", mtime=0), "none of the known formats"),
        ("a.zip", b"PK\x03\x04 and nothing", "damaged"),
    ],
)
def test_a_file_of_the_wrong_kind_is_refused_and_not_kept(
    script, upload_dir, name, beginning, problem
):
    address = begun(script, name, len(beginning)).headers["Location"]
    answer = send(script, address, 0, beginning)
    assert answer.status_code == 422
    assert problem in answer.json()["detail"]
    assert not Upload.objects.exists()
    assert not upload_dir.exists() or not list(upload_dir.iterdir())


def test_a_named_encoding_is_read(script):
    text = "<top><num>401<title>Café</top>".encode("latin-1")
    address = begun(script, "topics", len(text), encoding="latin-1").headers["Location"]
    assert send(script, address, 0, text).status_code == 204
    assert Upload.objects.get().kind == "topics"
    answer = begun(script, encoding="klingon")
    assert answer.status_code == 422
    assert "'klingon' is no encoding of text" in answer.json()["detail"]


def test_archives_are_looked_into(rosa):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("runs/one.run", RUN)
    for name, data in (("runs.zip", packed.getvalue()), ("one.run.gz", gzip.compress(RUN))):
        upload = uploads.receive(rosa, name, len(data), [data[:50], data[50:]])
        assert upload.kind == "runs", name


def test_sizes_are_bounded(script, settings):
    settings.MAX_UPLOAD_BYTES, settings.MAX_UPLOAD_BYTES_OF_A_PERSON = 1000, 1500
    assert begun(script, size=1001).status_code == 413
    assert begun(script, size=1000).status_code == 201
    assert begun(script, size=501).status_code == 413
    assert begun(script, size=500).status_code == 201
    assert begun(script, size=0).status_code == 422


@pytest.mark.parametrize("name", ["", "..", "a/b", "a\\b", "a\0b", "x" * 256])
def test_odd_names_are_refused(rosa, name):
    with pytest.raises(uploads.Refused, match="name of a file"):
        uploads.begin(rosa, name, 10)


@pytest.mark.django_db(transaction=True)
def test_of_two_pieces_at_once_one_is_taken():
    owner = User.objects.create_user("rosa")
    upload = uploads.begin(owner, "one.run", len(RUN))
    uploads.append(owner, upload.key, 0, RUN[:100])

    def send_second():
        try:
            uploads.append(owner, upload.key, 100, RUN[100:])
        except uploads.OutOfPlace:
            return "409"
        return "204"

    assert sorted(at_once(send_second, send_second)) == ["204", "409"]
    assert upload.path.read_bytes() == RUN


def test_what_nobody_sends_on_is_forgotten(rosa, upload_dir):
    uploads.receive(rosa, "one.run", len(RUN), [RUN])
    (upload_dir / "stray").touch()
    now = clock.now()
    assert uploads.purge_old_uploads(now) == 0
    assert uploads.purge_old_uploads(now + timedelta(days=8)) == 1
    assert list(upload_dir.iterdir()) == []
