"""The page of publishing: a release and an archive are downloaded by who may have them."""

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client

from accounts.models import User
from judging.models import Membership, Study, TrailEntry
from tests.factory import make_study

pytestmark = pytest.mark.django_db


def desk(study: Study, role: str, *, sees_platform_ids: bool = False) -> Client:
    user = User.objects.create_user(f"{role}-of-it")
    Membership.objects.create(
        study=study, user=user, role=role, sees_platform_ids=sees_platform_ids
    )
    client = Client()
    client.force_login(user)
    return client


def at(study: Study, part: str = "") -> str:
    return f"/studies/{study.slug}/publish/{part}"


def zip_in(response: Any) -> ZipFile:
    assert response["Content-Type"] == "application/zip"
    return ZipFile(BytesIO(b"".join(response.streaming_content)))


def test_an_editor_downloads_a_release(busy: Study) -> None:
    client = desk(busy, "editor")
    page = client.get(at(busy)).content.decode()
    assert "Download the release" in page
    assert "Download the archive" not in page
    sent = {"gains": ["linear"], "authors": "Gödel, Kurt\n\n Noether, Emmy "}
    files = zip_in(client.post(at(busy, "release/"), sent))
    assert f"{busy.slug}/qrels/linear.txt" in files.namelist()
    citation = files.read(f"{busy.slug}/CITATION.cff").decode()
    assert 'name: "Gödel, Kurt"\n  - name: "Noether, Emmy"' in citation
    assert b"justification" not in files.read(f"{busy.slug}/judgments.csv").splitlines()[0]
    entry = TrailEntry.objects.filter(study=busy).latest("id")
    assert (entry.action, entry.by.username) == ("made a release", "editor-of-it")


def test_what_cannot_be_released_is_said_on_the_page(busy: Study) -> None:
    page = desk(busy, "editor").post(at(busy, "release/"), {"gains": "nonsense"})
    assert page.status_code == 200
    assert "nonsense is not one of the available choices" in page.content.decode()


def test_of_a_draft_nothing_is_to_be_released_yet(db: None) -> None:
    draft = make_study(opened=False)
    page = desk(draft, "owner").get(at(draft)).content.decode()
    assert "There is nothing to release yet" in page
    assert "Download the release" not in page
    assert "Download the archive" in page


def test_an_owner_downloads_an_archive(busy: Study) -> None:
    client = desk(busy, "owner")
    assert "Passphrase" not in client.get(at(busy)).content.decode()
    files = zip_in(client.post(at(busy, "archive/")))
    assert {"manifest.json", "judgments.jsonl"} <= set(files.namelist())
    assert "platform_ids.sealed" not in files.namelist()
    sent = {"platform_ids": "on", "passphrase": "correct horse battery"}
    assert client.post(at(busy, "archive/"), sent).status_code == 403


def test_platforms_ids_go_with_the_right_a_tick_and_a_passphrase(busy: Study) -> None:
    client = desk(busy, "owner", sees_platform_ids=True)
    passphrase = {"passphrase": "correct horse battery"}
    files = zip_in(client.post(at(busy, "archive/"), passphrase))
    assert "platform_ids.sealed" not in files.namelist(), "nobody has ticked"
    files = zip_in(client.post(at(busy, "archive/"), passphrase | {"platform_ids": "on"}))
    assert "platform_ids.sealed" in files.namelist()
    page = client.post(at(busy, "archive/"), {"platform_ids": "on", "passphrase": "horse"})
    assert "at least 12 characters" in page.content.decode()


def test_the_owner_of_the_collection_says_whether_texts_are_free(busy: Study) -> None:
    client = desk(busy, "editor")
    assert client.post(at(busy, "free-texts/"), {"free": "yes"}).status_code == 403
    busy.collection.owner = User.objects.get(username="editor-of-it")
    busy.collection.save()
    page = client.post(at(busy, "free-texts/"), {"free": "yes"}, follow=True).content.decode()
    assert "may be published" in page
    files = zip_in(client.post(at(busy, "release/")))
    assert f"{busy.slug}/documents.jsonl" in files.namelist()
    assert TrailEntry.objects.filter(study=busy, action="marked as free to share").exists()
