"""Cranfield as BEIR and MS MARCO would have it: the same collection, whichever way it came.

DATA names the folder that holds `cranfield/`.
"""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judging.collections import vocabulary
from judging.models import Collection, Document, Label, RankedList
from magnitudes.files.containers.archives import open_members
from magnitudes.files.documents import Document as Read
from magnitudes.files.documents import read_documents
from magnitudes.files.ids import decoded
from magnitudes.files.labels.qrels import read_qrels
from magnitudes.files.runs import Run, read_runs
from magnitudes.files.topics import Topic, read_topics
from tests.acceptance import cranfield
from tests.acceptance.cranfield import DATA, FILES, RUNS, TOPICS, here

pytestmark = [*cranfield.pytestmark, pytest.mark.whole]
EMPTY = ("CRAN-0471", "CRAN-0995")  # in Cranfield as it was published


def documents() -> Iterator[Read]:
    for member in open_members([DATA / "documents.trec"]):
        yield from read_documents(member)


def topics() -> Iterator[Topic]:
    for member in open_members([DATA / "topics.trec"]):
        yield from read_topics(member)


def labels() -> Iterator[tuple[str, str, int]]:
    for query_id, doc_id, label in read_qrels(open_members([DATA / "qrels.txt"])).rows():
        yield query_id, doc_id, int(label)


def runs() -> list[Run]:
    return list(read_runs(open_members([DATA / "runs"])))


def table(header: str, rows: Any) -> str:
    return header + "".join("\t".join(map(str, row)) + "\n" for row in rows)


def rows(slug: str) -> dict[str, list]:
    home = Collection.objects.get(slug=slug)
    fields = ("doc_id", "title", "text", "is_html", "words", "cleaned")
    levels = ("topic__query_id", "doc_id", "level")
    return {
        "topics": sorted(home.topics.values_list("query_id", "title")),
        "documents": sorted(Document.objects.filter(collection=home).values_list(*fields)),
        "labels": sorted(Label.objects.filter(label_set__collection=home).values_list(*levels)),
    }


def lists(slug: str) -> dict[tuple[str, str], list[str]]:
    """The documents of each run and topic in the order of evaluation."""
    stored = RankedList.objects.filter(run__collection__slug=slug).select_related("run", "topic")
    ids = {row.topic_id: vocabulary.read(row.topic) for row in stored.distinct("topic")}
    return {
        (row.run.tag, row.topic.query_id): [
            ids[row.topic_id][code] for code in vocabulary.codes(row.codes).tolist()
        ]
        for row in stored
    }


def scores(slug: str) -> dict[tuple[str, str], bytes]:
    stored = RankedList.objects.filter(run__collection__slug=slug)
    columns = stored.values_list("run__tag", "topic__query_id", "scores")
    return {(tag, query_id): bytes(packed) for tag, query_id, packed in columns}


@pytest.fixture
def cranfield(db: None) -> None:
    here("import_collection", "trec", *FILES)


def test_beir_in_one_zip_each(cranfield: None, tmp_path: Path) -> None:
    corpus = [{"_id": d.doc_id, "title": d.title, "text": d.text} for d in documents()]
    corpus += [{"_id": doc_id, "title": "", "text": "", "metadata": {}} for doc_id in EMPTY]
    queries = [{"_id": topic.query_id, "text": topic.title, "metadata": {}} for topic in topics()]
    parts = {
        "--documents": "\n".join(map(json.dumps, corpus)),
        "--topics": "\n".join(map(json.dumps, queries)),
        "--qrels": table("query-id\tcorpus-id\tscore\n", labels()),
    }
    for part, text in parts.items():
        with zipfile.ZipFile(tmp_path / part[2:], "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("cranfield/file", text)
    files = [argument for part in parts for argument in (part, tmp_path / part[2:])]
    told = here("import_collection", "beir", *files, "--runs", DATA / "runs")
    assert f"2 documents are empty, and left out: {', '.join(EMPTY)}" in told
    assert rows("beir") == rows("trec")
    assert (lists("beir"), scores("beir")) == (lists("trec"), scores("trec"))


def test_ms_marco(cranfield: None, tmp_path: Path) -> None:
    texts = ((d.doc_id, " ".join(f"{d.title} {d.text}".split())) for d in documents())
    (tmp_path / "collection.tsv").write_text(table("", texts))
    (tmp_path / "queries.tsv").write_text(table("", ((t.query_id, t.title) for t in topics())))
    (tmp_path / "qrels.tsv").write_text(table("", ((q, 0, d, label) for q, d, label in labels())))
    (tmp_path / "runs").mkdir()
    for run in runs():
        ranked = (
            (query_id, doc_id, rank)
            for query_id, topic in run.topics.items()
            for rank, doc_id in enumerate(decoded(topic.doc_ids), 1)
        )
        (tmp_path / "runs" / f"{run.tag}.tsv").write_text(table("", ranked))
    here(
        *("import_collection", "marco", "--documents", tmp_path / "collection.tsv"),
        *("--topics", tmp_path / "queries.tsv", "--qrels", tmp_path / "qrels.tsv"),
        *("--runs", tmp_path / "runs"),
    )
    trec, marco = rows("trec"), rows("marco")
    assert (marco["topics"], marco["labels"]) == (trec["topics"], trec["labels"])
    assert [row[0] for row in marco["documents"]] == [row[0] for row in trec["documents"]]
    assert [row[4] for row in marco["documents"]] == [row[4] for row in trec["documents"]]  # words
    assert len(lists("marco")) == RUNS * TOPICS
    assert lists("marco") == lists("trec")
