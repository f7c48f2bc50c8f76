"""One collection in several formats: the same rows, whichever way it came."""

import json
import zipfile

import pytest

from judging.collections.importing import import_collection
from judging.models import Collection, Document, Label, RankedList, Topic
from tests.judging.importing.files import Files, ranking

pytestmark = pytest.mark.django_db
TEXTS = {"D1": ("Ships", "Ships on the sea."), "D2": ("", "No title here."), "D#3": ("Nets", "x")}
TOPICS = {"401": "ships at sea", "q-2": "nets"}
LABELS = [("401", "D1", 2), ("401", "D2", 0), ("q-2", "D#3", 1)]
LISTS = {"401": ["D2", "D1"], "q-2": ["D#3", "D1"]}


def as_trec(files: Files) -> dict:
    doc = "<DOC><DOCNO>{}</DOCNO><TITLE>{}</TITLE><TEXT>{}</TEXT></DOC>\n"
    top = "<top><num>{}<title>{}</top>\n"
    documents = "".join(doc.format(doc_id, *texts) for doc_id, texts in TEXTS.items())
    lines = [
        f"{query_id} Q0 {doc_id} {rank} {-rank} bm25\n"
        for query_id, doc_ids in LISTS.items()
        for rank, doc_id in enumerate(doc_ids, 1)
    ]
    qrels = "# by hand\n" + "".join(f"{q} 0 {d} {label}\n" for q, d, label in LABELS)
    return {
        "topics": [files.write("t.trec", "".join(top.format(*item) for item in TOPICS.items()))],
        "documents": [files.write("d.trec", documents)],
        "qrels": {"reference": [files.write("trec.qrels", qrels)]},
        "runs": [files.write("a.run", "".join(lines) + "# end")],
    }


def as_beir(files: Files) -> dict:
    corpus = [{"_id": i, "title": t, "text": x, "metadata": {}} for i, (t, x) in TEXTS.items()]
    queries = [{"_id": query_id, "text": text} for query_id, text in TOPICS.items()]
    qrels = "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{n}\n" for q, d, n in LABELS)
    return {
        "topics": [files.write("queries.jsonl", "\n".join(map(json.dumps, queries)))],
        "documents": [files.write("corpus.jsonl", "\n".join(map(json.dumps, corpus)))],
        "qrels": {"reference": [files.write("test.tsv", qrels)]},
        "runs": as_trec(files)["runs"],
    }


def as_ms_marco(files: Files) -> dict:
    lines = [
        f"{query_id}\t{doc_id}\t{rank}\n"
        for query_id, doc_ids in LISTS.items()
        for rank, doc_id in enumerate(doc_ids, 1)
    ]
    return {
        "topics": [files.write("q.tsv", "".join(f"{q}\t{text}\n" for q, text in TOPICS.items()))],
        "documents": as_trec(files)["documents"],
        "qrels": {
            "reference": [files.write("q", "".join(f"{q}\t0\t{d}\t{n}\n" for q, d, n in LABELS))]
        },
        "runs": [files.write("bm25.tsv", "".join(lines))],
    }


def as_web_track(files: Files) -> dict:
    xml = '<topic number="{}" type="single"><query>{}</query></topic>\n'
    topics = "<web>\n" + "".join(xml.format(*item) for item in TOPICS.items()) + "</web>"
    return as_trec(files) | {"topics": [files.write("web.xml", topics)]}


def as_zip(files: Files) -> dict:
    parts = as_trec(files)
    flat = {**parts, "qrels": parts["qrels"]["reference"]}
    for part, (path,) in flat.items():
        with zipfile.ZipFile(files.folder / f"{part}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(path, f"folder/{part}")
    zipped = {part: [files.folder / f"{part}.zip"] for part in flat}
    return zipped | {"qrels": {"reference": zipped["qrels"]}}


def rows(slug: str) -> dict:
    home = Collection.objects.get(slug=slug)
    lists = RankedList.objects.filter(run__collection=home)
    fields = ("doc_id", "title", "text", "is_html", "words", "cleaned")
    levels = ("topic__query_id", "doc_id", "level")
    return {
        "topics": sorted(home.topics.values_list("query_id", "title", "description", "narrative")),
        "documents": sorted(Document.objects.filter(collection=home).values_list(*fields)),
        "labels": sorted(Label.objects.filter(label_set__collection=home).values_list(*levels)),
        "lists": {
            (query_id, tag): (bytes(codes), bytes(ranks), bytes(scores))
            for query_id, tag, codes, ranks, scores in lists.values_list(
                "topic__query_id", "run__tag", "codes", "ranks", "scores"
            )
        },
    }


@pytest.mark.parametrize("form", [as_beir, as_ms_marco, as_web_track, as_zip])
def test_the_same_rows_whichever_way_it_came(files, form):
    import_collection("trec", **as_trec(files))
    import_collection("other", **form(files))
    expected = rows("trec")
    assert len(expected["documents"]) == len(expected["labels"]) == 3
    assert expected["lists"].keys() == {("401", "bm25"), ("q-2", "bm25")}
    assert rows("other") == expected


def test_empty_documents_count_as_documents_without_text(files):
    done = import_collection(
        "home",
        topics=[files.topics("401")],
        documents=[files.documents("A"), files.write("b", "<DOC><DOCNO>B</DOCNO> </DOC>")],
        qrels={"reference": [files.qrels()]},
        runs=[files.run("one", "A", "B")],
    )
    assert (done.documents, done.empty, done.without_text) == (1, ["B"], 1)
    assert Document.objects.get().doc_id == "A"


def test_topics_of_labels_and_runs_are_made_without_text_once(files):
    parts = {
        "qrels": {"reference": [files.qrels("402 0 A 1\n401 0 B 1\n")]},
        "runs": [files.run("one", "A", topic="403"), files.run("two", "B", "A")],
    }
    done = import_collection("home", **parts, make_topics=True)
    assert done.made_topics == {"401", "402", "403"}
    assert (done.labels, done.lists, done.unknown_topics) == ({"reference": 2}, 2, set())
    assert set(Topic.objects.values_list("title", "description", "narrative")) == {("", "", "")}
    assert ranking("one", "403") == [("A", 1, 99.0)]
    assert import_collection("home", **parts, make_topics=True).made_topics == set()
    import_collection("home", topics=[files.topics("401")])
    assert Topic.objects.get(query_id="401").title == "topic 401"
    assert Label.objects.count() == 2
