"""Files into a collection, for the first time."""

import json
import tarfile

import pytest

from judging.collections.importing import CannotImport, import_collection
from judging.models import Collection, Document, Label, RankedList, Run, Topic
from tests.judging.importing.files import ranking

pytestmark = pytest.mark.django_db
LABELS = "401 0 A 2\n401 0 B 0\n"


def test_topics_documents_runs_and_labels(files):
    done = import_collection(
        "home",
        topics=[files.topics("401", "402")],
        documents=[files.documents("A", "B", "C")],
        qrels={"reference": [files.qrels()], "students": [files.qrels("402 0 C 0.5\n", "other")]},
        runs=[files.run("one", "A", "B"), files.run("two", "B", "C")],
    )
    assert (done.topics, done.documents, done.runs, done.lists) == (2, 3, 2, 2)
    assert done.labels == {"reference": 2, "students": 1}
    assert (done.without_text, done.unknown_topics) == (0, set())
    topic = Topic.objects.get(query_id="401")
    assert (topic.title, topic.description) == ("topic 401", "What of 401?")
    document = Document.objects.get(doc_id="A")
    assert (document.title, document.text, document.words) == ("About A", "Words on A.", 5)
    assert ranking("one") == [("A", 1, 99.0), ("B", 2, 98.0)]
    labels = Label.objects.values_list("label_set__name", "topic__query_id", "doc_id", "level")
    assert set(labels) == {
        ("reference", "401", "A", 2),
        ("reference", "401", "B", 0),
        ("students", "402", "C", 0.5),
    }


def test_part_by_part_is_the_same_as_all_at_once(files):
    parts = {"topics": "401", "documents": "AB", "qrels": LABELS, "one": "AB"}
    for name, part in parts.items():
        files.bring(slug="parts", **{name: part})
    files.bring(slug="whole", **parts)
    for model in (Topic, Document, Run):
        rows = [
            [str(row) for row in model.objects.filter(collection__slug=slug).order_by("pk")]
            for slug in ("parts", "whole")
        ]
        assert rows[0] == rows[1]
    assert RankedList.objects.count() == 2
    assert Label.objects.count() == 4


def test_an_archive_of_everything(files, tmp_path):
    with tarfile.open(tmp_path / "runs.tar.gz", "w:gz") as archive:
        for tag in ("one", "two"):
            archive.add(files.run(tag, "A"), f"runs/{tag}")
    import_collection("home", topics=[files.topics("401")], runs=[tmp_path / "runs.tar.gz"])
    assert sorted(Run.objects.values_list("tag", flat=True)) == ["one", "two"]


PAGE = "<html><script>var x = 1 + 2</script><p class='a b c'>Three small words"
AWKWARD = 'tab\there, "quotes", back\\slash, \\N, \\.\n\\.\nnew\r\nline, é\u2028😀'


@pytest.mark.parametrize(
    ("row", "stored"),
    [
        ({"title": "T", "html": PAGE}, ("T", PAGE, True, 4)),  # words that a reader sees
        ({"title": "\\N", "text": AWKWARD}, ("\\N", AWKWARD, False, 12)),
    ],
)
def test_texts_arrive_unharmed_and_html_keeps_its_mark(files, row, stored):
    path = files.write("d.jsonl", json.dumps({"doc_id": "A", **row}) + "\n")
    import_collection("home", documents=[path])
    assert Document.objects.values_list("title", "text", "is_html", "words").get() == stored


# --- documents without text, topics that are missing --------------------------------------------
def test_how_many_documents_have_no_text(files):
    done = files.bring("401", "A", qrels="401 0 A 1\n401 0 L 1\n", one="ABC")
    assert done.without_text == 3
    assert files.bring(documents="B").without_text == 0
    assert files.bring(two="BC").without_text == 1


def test_runs_and_labels_of_unknown_topics_are_left_out_and_named(files):
    runs = [files.run("one", "A"), files.run("two", "A", topic="498")]
    labels = {"reference": [files.qrels("401 0 A 1\n499 0 A 1\n")]}
    done = import_collection("home", topics=[files.topics("401")], qrels=labels, runs=runs)
    assert (done.lists, done.unknown_topics) == (1, {"498", "499"})
    assert (Label.objects.count(), RankedList.objects.count()) == (1, 1)
    assert Run.objects.get().tag == "one"  # the other would stand in every ranking, with nothing
    done = import_collection("home", topics=[files.topics("498")], runs=runs[1:])
    assert (done.topics, done.lists) == (1, 1), "it comes with a later import"
    assert ranking("two", "498") == [("A", 1, 99.0)]


def test_unknown_topics_alone(files):
    """Nothing would be kept; a mistyped name would make a collection that is empty."""
    with pytest.raises(
        CannotImport,
        match="The runs are on topics that collection home does not have, 498 among them; its "
        "topics: none",
    ):
        import_collection("home", runs=[files.run("one", "A", topic="498")])
    assert not Collection.objects.exists()
    files.bring("401", qrels=LABELS)
    with pytest.raises(CannotImport, match=r"labels reference are on topics .* its topics: 401"):
        files.bring(qrels="499 0 A 1\n")
    assert Label.objects.count() == 2  # the set that is there is not replaced by nothing
