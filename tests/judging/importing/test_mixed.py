"""A data set in one archive or folder, as BEIR's are: each file is taken for what it holds."""

import json
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from judging.models import Collection, Document, Label

pytestmark = pytest.mark.django_db
CORPUS = [
    {"_id": f"D{n}", "title": f"Title {n}", "text": "A long text on ships at sea. " * 9}
    for n in range(3)
]
QUERIES = [{"_id": "q1", "text": "ships"}, {"_id": "q2", "text": "nets"}]
LABELS = {"train": [("q1", "D0", 1), ("q1", "D1", 0)], "test": [("q2", "D2", 2)]}


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    """A folder as BEIR's data sets have it."""
    folder = tmp_path / "sea"
    (folder / "qrels").mkdir(parents=True)
    for name, rows in (("corpus", CORPUS), ("queries", QUERIES)):
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines)
    for name, labels in LABELS.items():
        lines = "".join(f"{q}\t{d}\t{label}\n" for q, d, label in labels)
        (folder / f"qrels/{name}.tsv").write_text(f"query-id\tcorpus-id\tscore\n{lines}")
    return folder


def packed(folder: Path) -> Path:
    archive = folder.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        for path in sorted(folder.rglob("*.*")):
            files.write(path, path.relative_to(folder.parent))
    return archive


@pytest.mark.parametrize("as_zip", [True, False])
def test_a_beir_set_is_imported_as_one(beir: Path, as_zip: bool) -> None:
    call_command("import_collection", "sea", "--files", str(packed(beir) if as_zip else beir))
    collection = Collection.objects.get(slug="sea")
    topics = dict(collection.topics.values_list("query_id", "title"))
    assert topics == {row["_id"]: row["text"] for row in QUERIES}
    documents = Document.objects.filter(collection=collection)
    assert set(documents.values_list("doc_id", flat=True)) == {row["_id"] for row in CORPUS}
    labels = Label.objects.filter(label_set__collection=collection, label_set__name="reference")
    assert labels.count() == 3


def test_what_is_named_by_its_kind_comes_along(beir: Path, tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("q1 Q0 D0 1 2.5 bm25\nq2 Q0 D2 1 2.5 bm25\n")
    call_command("import_collection", "sea", "--files", str(packed(beir)), "--runs", str(run))
    collection = Collection.objects.get(slug="sea")
    assert (collection.topics.count(), collection.runs.get().tag) == (2, "bm25")


def test_a_file_of_no_kind_is_refused_by_name(beir: Path) -> None:
    (beir / "notes.txt").write_text("to be sorted out\n")
    with pytest.raises(CommandError, match=r"notes\.txt.*none of the known formats") as refused:
        call_command("import_collection", "sea", "--files", str(packed(beir)))
    assert "topics, documents, labels, runs" in str(refused.value)
    assert not Collection.objects.filter(slug="sea", topics__isnull=False).exists()
