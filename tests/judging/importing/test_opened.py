"""An import beside studies that have opened."""

import pytest

from judging.collections.importing import CannotImport
from judging.models import Document
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.settings import create_study
from judging.studies.unit_plans import plan
from tests.factory import OPTIONS
from tests.judging.importing.files import everything


@pytest.fixture
def judged(db, files):
    """A collection with an open study."""
    files.bring("401", "ABCDEFGH", qrels="401 0 A 2\n401 0 B 0\n", one="ABCDEFGH")
    topic = {"question": "q", "options": OPTIONS, "answer": OPTIONS[0]}
    study = create_study("s", "home", {"title": "t", "topics": {"401": topic}})
    plan(study)
    return open_study("s")


@pytest.mark.parametrize("stage", ["open", "closed"])
@pytest.mark.parametrize(
    "new",
    [{"topics": "401", "title": "new"}, {"documents": "C", "text": "new"}, {"one": "BA"}],
)
def test_other_content_is_refused_once_a_study_has_opened(judged, files, new, stage):
    if stage == "closed":  # whoever is still judging reads these texts
        close_study("s")
    before = everything()
    with pytest.raises(CannotImport, match=r"is there with (another text|other content), and a "):
        files.bring(**new)
    assert everything() == before


def test_more_is_welcome_although_a_study_has_opened(judged, files):
    done = files.bring("401 402", "AI", qrels="401 0 A 1\n", one="ABCDEFGH", two="I")
    assert (done.topics, done.documents, done.runs) == (1, 1, 1)


def test_neither_an_open_study_elsewhere_nor_a_draft_freezes_anything(judged, files):
    files.bring("401", "A", slug="there")
    create_study("draft", "there", {"title": "t"})
    done = files.bring("401", "A", slug="there", title="new", text="new")
    assert (done.topics, done.documents) == (1, 1)
    assert Document.objects.get(collection__slug="there").text == "new"
