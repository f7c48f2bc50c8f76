"""What a second import does: the same again, more, other content."""

import pytest

from judging.collections import vocabulary
from judging.collections.importing import CannotImport, import_collection
from judging.models import Collection, Document, Label, Run, Topic
from tests.judging.importing.files import everything, ranking


@pytest.mark.django_db
def test_the_same_again_changes_nothing(files):
    parts = {
        "topics": [files.topics("401", "402")],
        "documents": [files.documents("A", "B")],
        "qrels": {"reference": [files.qrels()]},
        "runs": [files.run("one", "A", "B"), files.run("two", "B", "A")],
    }
    import_collection("home", **parts)
    before = everything()
    done = import_collection("home", **parts)
    after = everything()
    assert (done.topics, done.documents, done.runs, done.lists) == (0, 0, 0, 0)
    labels = {
        name: [row.split(", ", 1)[1] for row in rows.pop("Label")]
        for name, rows in (("before", before), ("after", after))
    }
    assert labels["before"] == labels["after"]
    assert before == after


@pytest.mark.django_db
def test_the_same_in_another_order_changes_nothing(files):
    import_collection("home", topics=[files.topics("401")], runs=[files.run("one", "A", "B", "C")])
    before = everything()
    lines = (files.folder / "one.run").read_text().splitlines(keepends=True)
    shuffled = files.write("shuffled", "".join(lines[::-1]))
    assert import_collection("home", runs=[shuffled]).lists == 0
    assert everything() == before


@pytest.mark.django_db
def test_the_same_topic_in_two_files(files):
    done = import_collection(
        "home", topics=[files.topics("401", "402"), files.topics("402", "403", name="more")]
    )
    assert done.topics == 3
    assert Topic.objects.count() == 3


@pytest.mark.django_db
def test_the_same_document_in_two_files(files):
    done = import_collection(
        "home", documents=[files.documents("A", "B"), files.documents("B", "C", name="more")]
    )
    assert done.documents == 3


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["topics", "documents"])
def test_another_text_in_a_second_file(files, part):
    make = getattr(files, part)
    other = {"title": "other"} if part == "topics" else {"text": "other"}
    with pytest.raises(CannotImport, match=r"401.* text"):
        import_collection("home", **{part: [make("401"), make("401", name="more", **other)]})
    assert not Collection.objects.exists()


# --- more, and other content --------------------------------------------------------------------
@pytest.mark.django_db
def test_a_second_import_adds(files):
    import_collection(
        "home",
        topics=[files.topics("401")],
        documents=[files.documents("A")],
        runs=[files.run("one", "A", "B")],
    )
    codes = vocabulary.read(Topic.objects.get())
    done = import_collection(
        "home",
        topics=[files.topics("401", "402")],
        documents=[files.documents("A", "B")],
        runs=[files.run("two", "C", "A")],
    )
    assert (done.topics, done.documents, done.runs, done.lists) == (1, 1, 1, 1)
    assert vocabulary.read(Topic.objects.get(query_id="401")) == [*codes, "C"]
    assert ranking("one") == [("A", 1, 99.0), ("B", 2, 98.0)]


@pytest.mark.django_db
def test_other_content_replaces(files):
    import_collection(
        "home",
        topics=[files.topics("401", "402")],
        documents=[files.documents("A", "B")],
        runs=[files.run("one", "A", "B")],
    )
    keys = [set(model.objects.values_list("pk", flat=True)) for model in (Topic, Document, Run)]
    done = import_collection(
        "home",
        topics=[files.topics("401", title="new")],
        documents=[files.documents("A", text="new words here")],
        runs=[files.run("one", "B", "C")],
    )
    assert (done.topics, done.documents, done.runs, done.lists) == (1, 1, 1, 1)
    assert Topic.objects.get(query_id="401").title == "new"
    assert Topic.objects.get(query_id="402").title == "topic 402"
    assert (Document.objects.get(doc_id="A").text, Document.objects.get(doc_id="A").words) == (
        "new words here",
        5,
    )
    assert Document.objects.get(doc_id="B").text == "Words on B."
    assert ranking("one") == [("B", 1, 99.0), ("C", 2, 98.0)]
    assert keys == [
        set(model.objects.values_list("pk", flat=True)) for model in (Topic, Document, Run)
    ]


@pytest.mark.django_db
def test_a_file_replaces_its_label_set_alone(files):
    import_collection(
        "home",
        topics=[files.topics("401")],
        qrels={"reference": [files.qrels()], "students": [files.qrels("401 0 A 1\n", "s")]},
    )
    import_collection("home", qrels={"reference": [files.qrels("401 0 C 3\n", "new")]})
    assert set(Label.objects.values_list("label_set__name", "doc_id", "level")) == {
        ("reference", "C", 3),
        ("students", "A", 1),
    }


@pytest.mark.django_db
def test_new_runs_raise_the_collections_revision_nothing_else_does(files):
    def revision() -> int:
        return Collection.objects.get().revision

    import_collection("home", topics=[files.topics("401")], documents=[files.documents("A")])
    assert revision() == 0
    run = files.run("one", "A")
    import_collection("home", runs=[run])
    assert revision() == 1
    import_collection("home", runs=[run], qrels={"reference": [files.qrels()]})
    assert revision() == 1


@pytest.mark.django_db
def test_collections_do_not_touch_each_other(files):
    import_collection("here", topics=[files.topics("401")], documents=[files.documents("A")])
    import_collection(
        "there",
        topics=[files.topics("401", title="new")],
        documents=[files.documents("A", text="new")],
    )
    assert sorted(Topic.objects.values_list("title", flat=True)) == ["new", "topic 401"]
    assert sorted(Document.objects.values_list("text", flat=True)) == ["Words on A.", "new"]
