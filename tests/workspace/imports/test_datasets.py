"""Data sets of ir_datasets: a small one of local files, as the operator lists it."""

import sys

import pytest

from accounts.models import User
from judging.collections.importing import import_collection
from judging.models import Collection, Document, Label
from operations.doctor.variables import variables
from workspace.imports import datasets
from workspace.imports.importing import BadImport
from workspace.models import ImportJob
from workspace.tasks import import_files


@pytest.fixture
def small(files, settings, monkeypatch):
    """A data set with three documents, of which labels name two."""
    library = pytest.importorskip("ir_datasets")
    monkeypatch.setenv("IR_DATASETS_HOME", str(files.folder / "home"))
    dataset = library.create_dataset(
        docs_tsv=files.write("docs.tsv", "A\tWords on A.\nB\tWords on B.\nC\tWords on C.\n"),
        queries_tsv=files.write("queries.tsv", "401\tforeign minorities\n402\tbehaviour\n"),
        qrels_trec=files.write("qrels.txt", "401 0 A 2\n401 0 B 0\n"),
    )
    monkeypatch.setitem(library.registry._registered, "small", dataset)
    settings.IR_DATASETS = {"small": "2", "vaswani": "100"}
    return "small"


def imported(owner: User, name: str, slug: str = "home") -> ImportJob:
    job = datasets.request_import(owner, slug, name)
    assert import_files() == 1
    job.refresh_from_db()
    return job


def test_a_data_set_becomes_a_collection(rosa, small):
    job = imported(rosa, small)
    assert job.fault == ""
    assert job.result["topics"] == 2
    assert sorted(Document.objects.values_list("doc_id", "text")) == [
        ("A", "Words on A."),
        ("B", "Words on B."),
    ]
    assert Label.objects.count() == 2
    assert Collection.objects.get().owner == rosa


def test_pools_of_the_collection_get_their_texts_within_the_bound(rosa, small, files, settings):
    topics, run = files.topics("401", title="foreign minorities"), files.run("one", "C")
    import_collection("home", topics=[topics], runs=[run], by=rosa)
    job = imported(rosa, small)
    assert "name 3 documents of small; at most 2" in job.fault
    assert not Document.objects.exists()
    settings.IR_DATASETS = {"small": "3"}
    assert imported(rosa, small).result["documents"] == 3


def test_what_is_not_offered(rosa, small, settings):
    with pytest.raises(BadImport, match="none of the data sets"):
        datasets.request_import(rosa, "home", "msmarco-passage")
    job = datasets.request_import(rosa, "home", small)
    settings.IR_DATASETS = {"nowhere": "5"}
    import_files()
    job.refresh_from_db()
    assert "no longer offered" in job.fault
    assert "has none of this name" in imported(rosa, "nowhere").fault


def test_a_site_without_the_library_says_so(rosa, small, monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    assert "must install the library ir_datasets" in imported(rosa, small).fault
    assert "is not installed" in next(variables()).sentence
    monkeypatch.undo()
    assert not list(variables())


def test_the_page_tells_sizes(desk, small, settings):
    page = desk.get("/collections/new/dataset/").content.decode()
    assert "vaswani: 11,429 documents, 93 topics, 2,083 labels, at most 100 documents" in page
    assert desk.post(
        "/collections/new/dataset/", {"dataset": small, "name": "home"}
    ).url.startswith("/imports/")
    settings.IR_DATASETS = {}
    assert desk.get("/collections/new/dataset/").status_code == 404
    assert "ir_datasets" not in desk.get("/collections/new/").content.decode()
