"""An import beside studies that have opened."""

import pytest

from judging.collections.importing import CannotImport, import_collection
from judging.models import Document
from judging.studies.conduct.opening import close_study, open_study
from judging.studies.configuration.settings import create_study
from judging.studies.unit_plans import plan
from tests.factory import OPTIONS
from tests.judging.importing.files import everything


@pytest.fixture
def judged(db, files):
    """A collection with an open study."""
    import_collection(
        "home",
        topics=[files.topics("401")],
        documents=[files.documents(*"ABCDEFGH")],
        qrels={"reference": [files.qrels()]},
        runs=[files.run("one", *"ABCDEFGH")],
    )
    topic = {"question": "q", "options": OPTIONS, "answer": OPTIONS[0]}
    study = create_study("s", "home", {"title": "t", "topics": {"401": topic}})
    plan(study)
    return open_study("s")


@pytest.mark.parametrize("stage", ["open", "closed"])
@pytest.mark.parametrize("part", ["topics", "documents", "runs"])
def test_other_content_is_refused_once_a_study_has_opened(judged, files, part, stage):
    if stage == "closed":  # whoever is still judging reads these texts
        close_study("s")
    before = everything()
    new = {
        "topics": lambda: files.topics("401", title="new"),
        "documents": lambda: files.documents("C", text="new"),
        "runs": lambda: files.run("one", "B", "A"),
    }
    with pytest.raises(CannotImport, match=r"is there with (another text|other content), and a "):
        import_collection("home", **{part: [new[part]()]})
    assert everything() == before


def test_more_is_welcome_although_a_study_has_opened(judged, files):
    done = import_collection(
        "home",
        topics=[files.topics("401", "402")],
        documents=[files.documents("A", "I")],
        runs=[files.run("one", *"ABCDEFGH"), files.run("two", "I")],
        qrels={"reference": [files.qrels("401 0 A 1\n")]},
    )
    assert (done.topics, done.documents, done.runs) == (1, 1, 1)


def test_an_open_study_elsewhere_freezes_nothing(judged, files):
    import_collection("there", documents=[files.documents("A")])
    import_collection("there", documents=[files.documents("A", text="new")])
    assert Document.objects.get(collection__slug="there").text == "new"


def test_a_draft_freezes_nothing(db, files):
    import_collection("home", topics=[files.topics("401")])
    create_study("s", "home", {"title": "t"})
    assert import_collection("home", topics=[files.topics("401", title="new")]).topics == 1
