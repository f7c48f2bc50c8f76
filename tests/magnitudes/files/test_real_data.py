"""The readers against real collections: DATA names the folder that holds them."""

import csv
import os
from collections import defaultdict
from pathlib import Path

import pytest

from magnitudes.files.containers.archives import open_members, total_size
from magnitudes.files.documents import Document, read_documents
from magnitudes.files.ids import decoded
from magnitudes.files.labels.qrels import Qrels, read_qrels
from magnitudes.files.runs import Run, read_runs
from magnitudes.files.topics import Topic, read_topics

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif("DATA" not in os.environ, reason="DATA names no folder"),
]


def data(path: str) -> Path:
    return Path(os.environ["DATA"]) / path


def topics(path: str) -> list[Topic]:
    return [topic for member in open_members([data(path)]) for topic in read_topics(member)]


def documents(path: str) -> list[Document]:
    return [found for member in open_members([data(path)]) for found in read_documents(member)]


def qrels(path: str) -> Qrels:
    return read_qrels(open_members([data(path)]))


def pool_sizes(runs: list[Run]) -> dict[str, int]:
    """Documents whose rank field is at most 10, per topic."""
    pools = defaultdict(set)
    for run in runs:
        for query_id, topic in run.topics.items():
            pools[query_id].update(decoded(topic.doc_ids[topic.ranks <= 10]))
    return {query_id: len(pool) for query_id, pool in pools.items()}


@pytest.fixture(scope="module")
def cranfield_runs() -> list[Run]:
    return list(read_runs(open_members([data("cranfield/runs")])))


@pytest.fixture(scope="module")
def trec8_runs() -> list[Run]:
    path = data("trec8/runs_129_18topics_depth1000.tar.xz")
    steps: list[int] = []
    runs = list(read_runs(open_members([path], steps.append)))
    assert sum(steps) == total_size([path])
    return runs


def lines(runs: list[Run]) -> int:
    return sum(len(topic.scores) for run in runs for topic in run.topics.values())


def test_cranfield_documents():
    found = documents("cranfield/documents.trec")
    # As many as the file has <DOC>: Cranfield's 1,400 but for the two without a text.
    assert len(found) == data("cranfield/documents.trec").read_text().count("<DOC>\n") == 1398
    assert all(document.title and document.text and not document.is_html for document in found)
    assert not any("<" in document.text for document in found)


def test_cranfield_topics_and_labels():
    found = topics("cranfield/topics.trec")
    assert len(found) == 12
    assert all(topic.title and topic.description and not topic.narrative for topic in found)
    labels = qrels("cranfield/qrels.txt").by_topic()
    assert labels.keys() == {topic.query_id for topic in found}
    values = {label for topic in labels.values() for label in topic.labels.tolist()}
    assert values <= {0, 1, 2, 3, 4}


def test_cranfield_runs(cranfield_runs):
    assert len(cranfield_runs) == 34
    assert sum(pool_sizes(cranfield_runs).values()) == 734
    texts = {document.doc_id for document in documents("cranfield/documents.trec")}
    for run in cranfield_runs:
        assert len(run.topics) == 12
        for topic in run.topics.values():
            assert texts.issuperset(decoded(topic.doc_ids))


def test_trec8_topics():
    found = topics("trec8/topics.401-450.txt")
    assert [topic.query_id for topic in found] == [str(n) for n in range(401, 451)]
    assert all(topic.title and topic.description and topic.narrative for topic in found)
    texts = [text for topic in found for text in (topic.title, topic.description, topic.narrative)]
    assert not any(":" in text[:12] or "<" in text for text in texts)


def test_trec8_labels():
    found = qrels("trec8/qrels.trec8.adhoc.txt")
    assert len(found) == 86_830
    assert len(found.by_topic()) == 50
    assert set(found.labels.tolist()) == {0, 1}


def test_trec8_runs(trec8_runs):
    assert len({run.tag for run in trec8_runs}) == 129
    assert lines(trec8_runs) == 2_257_490
    for run in trec8_runs:
        for topic in run.topics.values():
            assert (topic.scores[1:] <= topic.scores[:-1]).all()


def test_trec8_pools_have_the_published_sizes(trec8_runs):
    with data("trec8/table1.tsv").open() as table:
        published = {
            row["topic"]: int(row["documents"]) for row in csv.DictReader(table, delimiter="\t")
        }
    assert pool_sizes(trec8_runs) == published
    assert sum(published.values()) == 4_269
