"""Pages of publishing and of archives: what is downloaded by whom, and what is brought in."""

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.html import escape

from accounts.models import User
from judging.models import Study, TrailEntry
from tests.desks import at_desk, member
from tests.factory import make_study
from tests.workspace.leaving.conftest import archive_of, exported, rewritten, with_row
from workspace.imports import archives
from workspace.models import ImportJob, Upload
from workspace.tasks import import_files

pytestmark = pytest.mark.django_db


def desk_in(study: Study, role: str, **rights: bool) -> Client:
    return at_desk(member(study, role, f"{role}-of-it", **rights))


def at(study: Study, page: str = "release/") -> str:
    return f"/studies/{study.slug}/share/{page}"


def zip_in(response: Any) -> ZipFile:
    assert response["Content-Type"] == "application/zip"
    return ZipFile(BytesIO(b"".join(response.streaming_content)))


def test_an_editor_downloads_a_release(busy):
    client = desk_in(busy, "editor")
    assert "Download the release" in client.get(at(busy)).content.decode()
    assert client.get(at(busy, "archive/")).status_code == 403
    sent = {"gains": ["linear"], "authors": "Gödel, Kurt\n\n Noether, Emmy "}
    files = zip_in(client.post(at(busy), sent))
    assert f"{busy.slug}/qrels/linear.txt" in files.namelist()
    citation = files.read(f"{busy.slug}/CITATION.cff").decode()
    assert 'name: "Gödel, Kurt"\n  - name: "Noether, Emmy"' in citation
    assert b"justification" not in files.read(f"{busy.slug}/judgments.csv").splitlines()[0]
    entry = TrailEntry.objects.filter(study=busy).latest("id")
    assert (entry.action, entry.by.username) == ("made a release", "editor-of-it")


def test_what_cannot_be_released_is_said_on_the_page(busy):
    page = desk_in(busy, "editor").post(at(busy), {"gains": "nonsense"})
    assert page.status_code == 200
    assert "nonsense is not in the list" in page.content.decode()


def test_of_a_draft_nothing_is_to_be_released_yet(db):
    draft = make_study(opened=False)
    owner = desk_in(draft, "owner")
    page = owner.get(at(draft)).content.decode()
    assert "There is nothing to release yet" in page
    assert "Download the release" not in page
    assert "Download the archive" in owner.get(at(draft, "archive/")).content.decode()


def test_an_owner_downloads_an_archive(busy):
    client = desk_in(busy, "owner")
    assert "Passphrase" not in client.get(at(busy, "archive/")).content.decode()
    files = zip_in(client.post(at(busy, "archive/")))
    assert {"manifest.json", "judgments.jsonl"} <= set(files.namelist())
    assert "platform_ids.sealed" not in files.namelist()
    sent = {"platform_ids": "on", "passphrase": "correct horse battery"}
    assert client.post(at(busy, "archive/"), sent).status_code == 403


def test_platforms_ids_go_with_the_right_a_tick_and_a_passphrase(busy):
    client = desk_in(busy, "owner", sees_platform_ids=True)
    passphrase = {"passphrase": "correct horse battery"}
    files = zip_in(client.post(at(busy, "archive/"), passphrase))
    assert "platform_ids.sealed" not in files.namelist(), "nobody has ticked"
    files = zip_in(client.post(at(busy, "archive/"), passphrase | {"platform_ids": "on"}))
    assert "platform_ids.sealed" in files.namelist()
    page = client.post(at(busy, "archive/"), {"platform_ids": "on", "passphrase": "horse"})
    assert "at least 12 characters" in page.content.decode()


def test_the_owner_of_the_collection_says_whether_texts_are_free(busy):
    client = desk_in(busy, "editor")
    assert client.post(at(busy, "release/free-texts/"), {"free": "yes"}).status_code == 403
    busy.collection.owner = User.objects.get(username="editor-of-it")
    busy.collection.save()
    page = client.post(
        at(busy, "release/free-texts/"), {"free": "yes"}, follow=True
    ).content.decode()
    assert "may be published" in page
    files = zip_in(client.post(at(busy)))
    assert f"{busy.slug}/documents.jsonl" in files.namelist()
    assert TrailEntry.objects.filter(study=busy, action="marked as free to share").exists()


# --- archives brought in a browser: sent, chosen, imported in the background ----------------------
ADDRESS = "/archives/new/"


@pytest.fixture
def desk(settings, tmp_path):
    settings.UPLOAD_DIR = str(tmp_path / "uploads")
    return at_desk(User.objects.create_user("rosa"))


def send(client: Client, name: str, content: bytes) -> Upload:
    """Send a file as a browser without scripts does."""
    sent = {"file": SimpleUploadedFile(name, content), "back": ADDRESS}
    assert client.post("/uploads/", sent).url == ADDRESS
    return Upload.objects.latest("begun_at")


def test_an_archive_is_brought(busy, desk, tmp_path):
    before = exported(busy)
    upload = send(desk, "study.zip", archive_of(busy, tmp_path / "study.zip").read_bytes())
    page = desk.get(ADDRESS).content.decode()
    assert "study.zip" in page
    assert 'name="encoding"' in page, "what upload.js reads"
    page = desk.post(ADDRESS, {"upload": str(upload.key)}).content.decode()
    assert f"The name {busy.slug} is taken" in page
    names = {"upload": str(upload.key), "study": "moved", "collection": "moved"}
    job = desk.post(ADDRESS, names).url
    assert import_files() == 1
    page = desk.get(job).content.decode()
    assert "Import finished" in page
    assert "/studies/moved/" in page
    moved = Study.objects.get(slug="moved")
    assert exported(moved) == before
    assert desk.get("/studies/moved/").status_code == 200
    assert moved.memberships.get().user.username == moved.collection.owner.username == "rosa"
    assert not Upload.objects.exists()


def test_how_far_it_is_is_told(busy, desk, tmp_path, monkeypatch):
    content = archive_of(busy, tmp_path / "study.zip").read_bytes()
    upload = send(desk, "study.zip", content)
    read: list[int] = []
    monkeypatch.setattr(archives, "import_progress", lambda job, files: read.append)
    names = {"upload": str(upload.key), "study": "moved", "collection": "moved"}
    desk.post(ADDRESS, names)
    assert import_files() == 1
    assert len(read) > 2
    assert sum(read) == len(content)


def test_a_fault_is_told_with_file_and_line_and_nothing_stays(busy, desk, tmp_path):
    whole = archive_of(busy, tmp_path / "study.zip")
    broken = rewritten(
        whole, with_row("judgments.jsonl", 2, lambda row: {**row, "score": -1}), tmp_path / "b.zip"
    )
    upload = send(desk, "study.zip", broken.read_bytes())
    names = {"upload": str(upload.key), "study": "moved", "collection": "moved"}
    page = desk.post(ADDRESS, names).url
    assert import_files() == 1
    job = ImportJob.objects.get()
    assert (job.state, job.fault_file, job.fault_line) == ("failed", "judgments.jsonl", 2)
    assert escape(job.fault) in desk.get(page).content.decode()
    assert not Study.objects.filter(slug="moved").exists()
    assert Upload.objects.get().job is None, "it can be imported again"


def test_what_is_no_archive_is_refused_at_once(desk):
    upload = send(desk, "topics.zip", b'{"query_id": "1", "title": "a topic"}\n')
    page = desk.post(ADDRESS, {"upload": str(upload.key)}).content.decode()
    assert "topics.zip: damaged or cut short" in page
    assert not ImportJob.objects.exists()
    assert "Choose a file." in desk.post(ADDRESS, {"study": ""}).content.decode()


def test_nobody_brings_what_somebody_else_has_sent(desk):
    upload = send(desk, "topics.jsonl", b'{"query_id": "1", "title": "a topic"}\n')
    otto = at_desk(User.objects.create_user("otto"))
    page = otto.post(ADDRESS, {"upload": str(upload.key)}).content.decode()
    assert "is not in the list" in page
    assert Client().get(ADDRESS).url == f"/login/?next={ADDRESS}"
