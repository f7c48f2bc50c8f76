"""Archives brought in a browser: sent, chosen, imported in the background."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.html import escape

from accounts.models import User
from judging.models import Study
from tests.workspace.leaving.conftest import archive_of, exported, rewritten, with_row
from workspace.imports import archives
from workspace.models import ImportJob, Upload
from workspace.tasks import import_files

pytestmark = pytest.mark.django_db
ADDRESS = "/archives/new/"


@pytest.fixture
def desk(settings, tmp_path: Path) -> Client:
    settings.UPLOAD_DIR = str(tmp_path / "uploads")
    client = Client()
    client.force_login(User.objects.create_user("rosa"))
    return client


def send(client: Client, name: str, content: bytes) -> Upload:
    """Send a file as a browser without scripts does."""
    sent = {"file": SimpleUploadedFile(name, content), "back": ADDRESS}
    assert client.post("/uploads/", sent).url == ADDRESS
    return Upload.objects.latest("begun_at")


def test_an_archive_is_brought(busy: Study, desk: Client, tmp_path: Path) -> None:
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
    assert "Everything is in" in page
    assert "/studies/moved/" in page
    moved = Study.objects.get(slug="moved")
    assert exported(moved) == before
    assert desk.get("/studies/moved/").status_code == 200
    assert moved.memberships.get().user.username == moved.collection.owner.username == "rosa"
    assert not Upload.objects.exists()


def test_how_far_it_is_is_told(
    busy: Study, desk: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = archive_of(busy, tmp_path / "study.zip").read_bytes()
    upload = send(desk, "study.zip", content)
    read: list[int] = []
    monkeypatch.setattr(archives, "import_progress", lambda job, files: read.append)
    names = {"upload": str(upload.key), "study": "moved", "collection": "moved"}
    desk.post(ADDRESS, names)
    assert import_files() == 1
    assert len(read) > 2
    assert sum(read) == len(content)


def test_a_fault_is_told_with_file_and_line_and_nothing_stays(
    busy: Study, desk: Client, tmp_path: Path
) -> None:
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


def test_what_is_no_archive_is_refused_at_once(desk: Client) -> None:
    upload = send(desk, "topics.zip", b'{"query_id": "1", "title": "a topic"}\n')
    page = desk.post(ADDRESS, {"upload": str(upload.key)}).content.decode()
    assert "topics.zip: damaged or cut short" in page
    assert not ImportJob.objects.exists()
    assert "Choose a file." in desk.post(ADDRESS, {"study": ""}).content.decode()


def test_nobody_brings_what_somebody_else_has_sent(desk: Client) -> None:
    upload = send(desk, "topics.jsonl", b'{"query_id": "1", "title": "a topic"}\n')
    otto = Client()
    otto.force_login(User.objects.create_user("otto"))
    page = otto.post(ADDRESS, {"upload": str(upload.key)}).content.decode()
    assert "not one of the available choices" in page
    assert Client().get(ADDRESS).url == f"/login/?next={ADDRESS}"
