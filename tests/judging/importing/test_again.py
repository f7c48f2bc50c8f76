"""What a second import does: the same again, more, other content."""

import pytest

from judging.collections import vocabulary
from judging.collections.importing import CannotImport, Imported, import_collection
from judging.models import Collection, Document, Label, Run, Topic
from tests.judging.importing.files import everything, ranking

pytestmark = pytest.mark.django_db
LABELS = "401 0 A 2\n401 0 B 0\n"


def counts(done: Imported) -> tuple[int, int, int, int]:
    return done.topics, done.documents, done.runs, done.lists


def test_the_same_again_changes_nothing_in_whatever_order(files):
    parts = {"topics": "401 402", "documents": "AB", "qrels": LABELS, "one": "ABC", "two": "BA"}
    files.bring(**parts)
    before = everything()
    assert counts(files.bring(**parts)) == (0, 0, 0, 0)
    lines = (files.folder / "one.run").read_text().splitlines(keepends=True)
    shuffled = files.write("shuffled", "".join(lines[::-1]))
    assert import_collection("home", runs=[shuffled]).lists == 0
    assert everything() == before


@pytest.mark.parametrize("part", ["topics", "documents"])
def test_one_thing_in_two_files_comes_once_or_is_refused(files, part):
    make = getattr(files, part)
    done = import_collection("home", **{part: [make("A", "B"), make("B", "C", name="more")]})
    assert getattr(done, part) == 3
    assert (Topic if part == "topics" else Document).objects.count() == 3
    other = {"title": "other"} if part == "topics" else {"text": "other"}
    with pytest.raises(CannotImport, match=r"401.* text"):
        import_collection("new", **{part: [make("401"), make("401", name="more", **other)]})
    assert not Collection.objects.filter(slug="new").exists()


# --- more, and other content --------------------------------------------------------------------
def test_a_second_import_adds(files):
    files.bring("401", "A", one="AB")
    codes = vocabulary.read(Topic.objects.get())
    assert counts(files.bring("401 402", "AB", two="CA")) == (1, 1, 1, 1)
    assert vocabulary.read(Topic.objects.get(query_id="401")) == [*codes, "C"]
    assert ranking("one") == [("A", 1, 99.0), ("B", 2, 98.0)]


def test_other_content_replaces(files):
    def keys() -> list[set[int]]:
        return [set(model.objects.values_list("pk", flat=True)) for model in (Topic, Document, Run)]

    files.bring("401 402", "AB", one="AB")
    before = keys()
    done = files.bring("401", "A", title="new", text="new words here", one="BC")
    assert counts(done) == (1, 1, 1, 1)
    titles = Topic.objects.order_by("query_id").values_list("title", flat=True)
    assert [*titles] == ["new", "topic 402"]
    texts = Document.objects.order_by("doc_id").values_list("text", "words")
    assert [*texts] == [("new words here", 5), ("Words on B.", 5)]
    assert ranking("one") == [("B", 1, 99.0), ("C", 2, 98.0)]
    assert keys() == before


def test_a_file_replaces_its_label_set_alone(files):
    students = {"students": [files.qrels("401 0 A 1\n", "s")]}
    files.bring("401", qrels=LABELS)
    import_collection("home", qrels=students)
    files.bring(qrels="401 0 C 3\n")
    assert set(Label.objects.values_list("label_set__name", "doc_id", "level")) == {
        ("reference", "C", 3),
        ("students", "A", 1),
    }


def test_new_runs_raise_the_collections_revision_nothing_else_does(files):
    revisions = []
    for part in ({"topics": "401", "documents": "A"}, {"one": "A"}, {"one": "A", "qrels": LABELS}):
        files.bring(**part)
        revisions.append(Collection.objects.get().revision)
    assert revisions == [0, 1, 1]


def test_collections_do_not_touch_each_other(files):
    files.bring("401", "A", slug="here")
    files.bring("401", "A", slug="there", title="new", text="new")
    assert sorted(Topic.objects.values_list("title", flat=True)) == ["new", "topic 401"]
    assert sorted(Document.objects.values_list("text", flat=True)) == ["Words on A.", "new"]
