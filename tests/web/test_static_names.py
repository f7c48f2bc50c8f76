"""Static files: names that tell their content, and never one of old under them."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.finders import get_finder
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.files.storage import storages
from django.core.management import call_command
from django.http import HttpResponseNotFound
from django.test import RequestFactory, override_settings

from web.static_names import StaticFilesMiddleware

# An answer that is closed looks at connections, which other tests may have left open.
pytestmark = pytest.mark.django_db
FINDER = "django.contrib.staticfiles.finders.FileSystemFinder"
SHEET = "body { color: black } " * 100


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sources/css").mkdir(parents=True)
    (tmp_path / "sources/css/page.css").write_text(SHEET)
    return tmp_path


@contextmanager
def process(folder: Path) -> Iterator[StaticFilesMiddleware]:
    """A web process that starts now: what it serves."""
    with override_settings(
        STATICFILES_DIRS=[folder / "sources"],
        STATICFILES_FINDERS=[FINDER],
        STATIC_ROOT=folder / "collected",
        STORAGES=settings.STORAGES,  # so that each has a storage of its own
        WHITENOISE_AUTOREFRESH=False,
    ):
        get_finder.cache_clear()
        yield StaticFilesMiddleware(lambda request: HttpResponseNotFound())
    get_finder.cache_clear()


def get(served: StaticFilesMiddleware, path: str, **headers: str):
    answer = served(RequestFactory().get(path, headers=headers))
    content = b"".join(answer) if answer.status_code == 200 else b""
    answer.close()
    return answer, content


def test_names_are_plain_where_nothing_was_collected(folder):
    with process(folder) as served:
        assert staticfiles_storage.url("css/page.css") == "/static/css/page.css"
        answer, content = get(served, "/static/css/page.css")
        assert content.decode() == SHEET
        assert answer["Cache-Control"] == "max-age=60, public"


def test_names_tell_the_content_where_it_was(folder):
    with process(folder):
        call_command("collectstatic", "--no-input", verbosity=0)
    with process(folder) as served:
        name = staticfiles_storage.url("css/page.css")
        assert name != "/static/css/page.css"
        answer, content = get(served, name)
        assert content.decode() == SHEET
        assert "immutable" in answer["Cache-Control"]
        answer, content = get(served, name, **{"Accept-Encoding": "gzip"})
        assert gzip.decompress(content).decode() == SHEET
        assert get(served, "/static/css/page.css")[0]["Cache-Control"] == "max-age=60, public"


def test_what_an_upgrade_changed_is_never_old(folder):
    """Not even where nobody collected again; and a page of the old release is led to the new."""
    with process(folder):
        call_command("collectstatic", "--no-input", verbosity=0)
    with process(folder):
        old = staticfiles_storage.url("css/page.css")
    (folder / "sources/css/page.css").write_text("body { color: white }")
    with process(folder) as served:
        name = staticfiles_storage.url("css/page.css")
        assert name == "/static/css/page.css"
        assert get(served, name)[1] == b"body { color: white }"
        call_command("collectstatic", "--no-input", verbosity=0)
    with process(folder) as served:
        new = staticfiles_storage.url("css/page.css")
        assert new not in (old, name)
        assert get(served, new)[1] == b"body { color: white }"


def test_a_name_of_another_release_leads_to_the_file_of_this(folder):
    for collected in (False, True):
        with process(folder):
            if collected:
                call_command("collectstatic", "--no-input", verbosity=0)
        with process(folder) as served:
            answer, _ = get(served, "/static/css/page.0123456789ab.css")
            assert answer.status_code == 302
            assert answer["Location"] == staticfiles_storage.url("css/page.css")
            assert answer["Cache-Control"] == "no-store"
            for unknown in ("none.0123456789ab.css", "../settings.0123456789ab.py", "none.css"):
                assert get(served, f"/static/css/{unknown}")[0].status_code == 404


def test_the_product_s_own_can_all_be_collected(tmp_path):
    """A sheet that names a file that is not there would stop it."""
    with override_settings(
        STATIC_ROOT=tmp_path, STATICFILES_FINDERS=[FINDER], STORAGES=settings.STORAGES
    ):
        get_finder.cache_clear()
        call_command("collectstatic", "--no-input", verbosity=0)
        assert storages["staticfiles"].are_hashed
    get_finder.cache_clear()
