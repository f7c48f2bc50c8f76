"""Pages of files: without scripts, from sending to what came of it."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from judging.models import Collection
from magnitudes.files.containers.archives import first_of
from magnitudes.files.recognising import kind_of
from tests.workspace.imports.test_importing import uploaded
from workspace.imports.forms import FORMATS
from workspace.models import ImportJob, Upload
from workspace.tasks import import_files


def sent(path: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(Path(path).name, Path(path).read_bytes())


def test_without_scripts_files_become_a_collection(desk, rosa, files):
    picture = files.write("picture.png", b"\x89PNG\r\n\x1a\n")
    chosen = [sent(path) for path in (files.topics("401"), files.run("one", "A"), picture)]
    answer = desk.post("/uploads/", {"file": chosen, "back": "/collections/new/"}, follow=True)
    page = answer.content.decode()
    assert "2 files are here" in page
    assert "Choose a file" not in page
    assert "picture.png: none of the known formats" in page
    rows = {upload.name: upload.key.hex for upload in Upload.objects.all()}
    kinds = {f"{rows['topics']}-kind": "topics", f"{rows['one.run']}-kind": "runs"}
    again = desk.post("/collections/new/", {"name": "!", **kinds})
    assert "Use letters or digits, as in abstracts-1033." in again.content.decode()
    nothing = desk.post("/collections/new/", {"name": "home"})
    assert "No file is chosen" in nothing.content.decode()
    job = desk.post("/collections/new/", {"name": "Our home", **kinds})
    waiting = desk.get(job.url).content.decode()
    assert "It waits for its turn" in waiting
    assert '<meta http-equiv="refresh"' in waiting
    assert import_files() == 1
    done = desk.get(job.url).content.decode()
    assert "Import finished" in done
    assert "refresh" not in done
    assert desk.get("/collections/our-home/").status_code == 200
    assert Collection.objects.get().owner == rosa


@pytest.mark.parametrize(("kind", "name", "example"), FORMATS)
def test_every_example_on_the_page_is_what_it_is_said_to_be(kind, name, example):
    member = first_of("example", example.encode())
    assert member is not None
    assert kind_of(member) == kind, name


def test_what_is_sent_twice_is_left_out_unless_wanted(desk, files):
    for _ in range(2):
        desk.post("/uploads/", {"file": sent(files.run("one", "A"))})
    desk.post("/uploads/", {"file": sent(files.run("two", "B"))})
    page = desk.get("/collections/new/")
    rows = [(row.is_duplicate, row["kind"].value()) for row in page.context["rows"]]
    assert rows == [(False, "runs"), (True, ""), (False, "runs")]
    assert page.content.decode().count("uploaded before") == 1


def test_a_form_needs_its_token_and_somebody_who_has_logged_in(rosa):
    file = SimpleUploadedFile("one.run", b"401 Q0 A 1 9 one\n")
    client = Client(enforce_csrf_checks=True)
    assert client.post("/uploads/", {"file": file}).url.startswith("/login/")
    client.force_login(rosa)
    assert client.post("/uploads/", {"file": file}).status_code == 403
    assert not Upload.objects.exists()


def test_a_failed_import_is_shown_with_its_place_and_asked_for_again_as_it_was(desk, rosa, files):
    bad = uploaded(rosa, files.write("bad.run", "401 Q0 A 1 9 one\n401 Q0 B two 8 one\n"))
    fields = {kind: f"{bad.upload.hex}-{kind}" for kind in ("kind", "labels")}
    asked = {"name": "home", fields["kind"]: "labels", fields["labels"]: "mine"}
    desk.post("/collections/new/", {**asked, "make_topics": "on"})
    import_files()
    failed = ImportJob.objects.get()
    assert "nothing was imported" in desk.get("/collections/").content.decode()
    address = f"/collections/new/?again={failed.pk}"
    shown = desk.get(f"/imports/{failed.pk}/").content.decode()
    for text in (address, "Nothing was imported", "bad.run, line "):
        assert text in shown
    page = desk.get(address)
    assert page.context["form"].initial == {"name": "home", "make_topics": True}
    assert page.context["rows"][0].initial["labels"] == "mine"
    assert desk.get("/collections/new/?again=x").context["form"].initial == {}
    good = uploaded(rosa, files.topics("401"))
    desk.post(address, {"name": "home", f"{good.upload.hex}-kind": "topics"})
    import_files()
    assert "nothing was imported" not in desk.get("/collections/").content.decode()


def test_to_remove_a_file_leads_to_no_other_site(desk, rosa, files):
    address = f"/uploads/{uploaded(rosa, files.run('one', 'A')).upload}/remove/"
    assert desk.post(address, {"back": "//elsewhere.org"}).url == "/collections/new/"
