"""The sample collection: one button where there is nothing yet, and an import like any other."""

import pytest

from judging.models import Collection, Run
from tests.desks import at_desk
from workspace.imports import uploads
from workspace.models import ImportJob, Upload
from workspace.tasks import import_files

pytestmark = pytest.mark.django_db
BUTTON = "Try it with a sample collection"
ADDRESS = "/collections/new/sample/"


@pytest.mark.parametrize("page", ["/studies/", "/collections/"])
def test_who_has_nothing_is_offered_it(desk, page):
    assert BUTTON in desk.get(page).content.decode()


def test_it_is_imported_as_files_are(desk, rosa, otto):
    answer = desk.post(ADDRESS)
    job = ImportJob.objects.get()
    assert answer.headers["Location"] == f"/imports/{job.pk}/"
    assert import_files() == 1
    sample = Collection.objects.get()
    assert (sample.slug, sample.owner) == ("sample", rosa)
    assert sample.topics.count()
    assert sample.documents.count()
    assert sample.label_sets.filter(name="reference").exists()
    assert (
        Run.objects.filter(collection=sample).count()
        == len(job.files) - 2 - sample.label_sets.count()
    )
    assert not Upload.objects.exists()
    assert BUTTON not in desk.get("/collections/").content.decode()
    assert BUTTON in at_desk(otto).get("/collections/").content.decode()


def test_another_gets_one_of_their_own(desk, otto):
    Collection.objects.create(slug="sample", owner=otto)
    desk.post(ADDRESS)
    assert ImportJob.objects.get().collection == "sample-2"


def test_where_there_is_no_room_it_says_so(desk, settings):
    settings.MAX_UPLOAD_BYTES_OF_A_PERSON = uploads.MIB // 100
    page = desk.post(ADDRESS, follow=True).content.decode()
    assert "Import or remove some first" in page
    assert not ImportJob.objects.exists()


def test_strangers_log_in_first(client):
    assert client.post(ADDRESS).headers["Location"].startswith("/login/")
    assert not Upload.objects.exists()
