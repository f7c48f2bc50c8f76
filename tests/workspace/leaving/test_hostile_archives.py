"""Archives that no site wrote are refused, with file and line, and nothing of them is imported."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judging.collections import bulk
from judging.models import Collection, Document, StagedDocument, Study
from magnitudes.files.errors import BadFile
from tests.workspace.leaving.conftest import archive_of, rewritten, with_row
from workspace.archive import unpacking
from workspace.archive.importing import import_archive

pytestmark = pytest.mark.django_db
Files = dict[str, bytes]
Change = Callable[[Files], None]


@pytest.fixture(scope="module")
def good(busy, tmp_path_factory):
    return archive_of(busy, tmp_path_factory.mktemp("archive") / "good.zip")


def bring(path: Path) -> Study:
    return import_archive(path, by=None, slug="moved", collection="moved").study


def refusal(path: Path) -> str:
    before = Collection.objects.count(), Study.objects.count(), Document.objects.count()
    with pytest.raises(BadFile) as fault:
        bring(path)
    assert (Collection.objects.count(), Study.objects.count(), Document.objects.count()) == before
    assert not StagedDocument.objects.exists()
    return str(fault.value)


def put(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda row: row.update(values)


def without_last(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda row: row[name].pop() and None


def first_line(file: str, line: bytes) -> Change:
    return lambda files: files.update({file: line + b"\n" + files[file]})


DOCUMENT_AGAIN = b'{"doc_id":"D401-001","title":"","text":"x","is_html":false,"language":""}'
# A line that comes first in a file: by what is wrong, the file, the line, and what is said of it.
FIRST_LINES: dict[str, tuple[str, bytes, str]] = {
    "no JSON": ("topics", b"{", "not JSON"),
    "a list": ("runs", b"[1]", "no JSON object"),
    "nested for ever": ("trail", b"[" * 100_000, "not JSON"),
    "NaN": ("labels", b'{"level":NaN}', "not JSON"),
    "Latin-1": ("topics", b'{"title":"\xe9"}', "not JSON"),
    "a digit too many": ("runs", b"9" * 5000, "not JSON"),
}
# A row that is changed: by what is wrong, the file, the line, its change, and what is said of it.
ROWS: dict[str, tuple[str, int, Callable[[dict[str, Any]], Any], str]] = {
    "another column": ("workers", 2, put(is_admin=True), "missing or unknown: is_admin"),
    "a column less": (
        "visits",
        3,
        lambda row: row.pop("position") and None,
        "missing or unknown: position",
    ),
    "a number as text": ("judgments", 1, put(score="1"), "score: '\"1\"'; expected a number"),
    "truth as a number": ("judgments", 1, put(score=True), "score: 'true'; expected a number"),
    "infinity": ("judgments", 2, put(score=1e308 * 10), "not JSON"),
    "a huge score": (
        *("judgments", 2, put(score=1e300)),
        "score: '1e+300'; expected a number from 0 to 1,000,000,000,000",
    ),
    "a huge number": ("units", 4, put(number=2**40), "number"),
    "a huge revision": ("study_topics", 1, put(revision=2**62), "revision"),
    "a state that is none": (
        *("assignments", 1, put(state="paid")),
        "state: 'paid'; expected one of practice",
    ),
    "a worker that is not there": (
        *("assignments", 2, put(worker="nobody")),
        "worker: there is no 'nobody' in workers.jsonl",
    ),
    "a name that is a list": ("assignments", 2, put(worker=["ada"]), "worker: there is no"),
    "another unit's documents": (
        *("assignments", 1, without_last("order")),
        "order: 7 documents; expected each document of the unit once",
    ),
    "two who hold one unit": (
        *("assignments", 2, put(state="judging", finished_at=None, seconds=None)),
        "",
    ),
    "an option too many": ("assignments", 1, put(option_order=[0, 1, 2, 4]), "option_order"),
    "a page beyond the last": ("visits", 1, put(position=9), "page 9"),
    "a visit backwards": ("visits", 1, put(closed_at="1999-01-01T00:00:00+00:00"), "new row"),
    "a time without a zone": ("visits", 1, put(opened_at="2026-01-01T00:00:00"), "opened_at"),
    "the year 9999": (
        *("assignments", 1, put(deadline_at="9999-12-31T23:59:59+00:00")),
        "deadline_at",
    ),
    "another document's judgment": (
        *("judgments", 1, put(doc_id="D401-013x")),
        "document: document 'D401-013x' on page",
    ),
    "a level among magnitudes": (
        *("judgments", 1, put(graded=True, score=1.0)),
        "graded true; expected as the study's scale is",
    ),
    "a code of another document": ("pool", 2, put(code=0), "code 0 of"),
    "a code beyond all": (
        *("lists", 1, lambda row: row["codes"].__setitem__(0, 10**6)),
        "codes beyond the vocabulary, or twice",
    ),
    "a code beyond all numbers": (
        *("lists", 1, lambda row: row["codes"].__setitem__(0, 10**30)),
        "codes",
    ),
    "scores that rise": ("lists", 2, lambda row: row["scores"].reverse(), "scores that rise"),
    "a rank too few": ("lists", 2, without_last("ranks"), ""),
    "lists in a list": ("lists", 1, put(ranks=[[1], [2, 3]]), "ranks"),
    "a document of nothing": (
        *("documents", 1, put(title="", text="")),
        "a document without title and text",
    ),
    "half a character": ("documents", 1, put(text="\ud800"), "text"),
    "NUL": ("documents", 1, put(text="a\0b"), "text"),
    "NUL in what was done": ("trail", 1, put(details={"a": ["\0"]}), "details"),
    "an id with a blank": ("topics", 1, put(query_id="4 01"), "query_id"),
    "a colour of the terminal": ("runs", 1, put(tag="\x1b[31mrun"), "tag"),
    "a study of no stage": ("study", 1, put(stage="draft"), "Constraint"),
    "a study that holds units for ever": ("study", 1, put(expiry_minutes=1e300), "expiry_minutes"),
}
# What is changed, and what the refusal says, its place first.
BROKEN: dict[str, tuple[Change, str]] = {
    **{
        what: (first_line(f"{file}.jsonl", line), f"{file}.jsonl, line 1: {said}")
        for what, (file, line, said) in FIRST_LINES.items()
    },
    **{
        what: (with_row(f"{file}.jsonl", line, change), f"{file}.jsonl, line {line}: {said}")
        for what, (file, line, change, said) in ROWS.items()
    },
    "no score in a completed unit": (
        with_row("judgments.jsonl", 1, put(score=None)),
        "assignments.jsonl, line 2: a completed assignment with 7 scores; expected 8",
    ),
    "a document twice": (
        first_line("documents.jsonl", DOCUMENT_AGAIN),
        "documents.jsonl, line 3: D401-001 a second time; expected each document once",
    ),
    "two studies": (
        lambda files: files.update({"study.jsonl": files["study.jsonl"] * 2}),
        "study.jsonl: 2 rows; expected one study",
    ),
    "a study judged elsewhere with units": (
        with_row("study.jsonl", 1, put(crowd="imported")),
        "assignments.jsonl: assignments; expected none",
    ),
    "a way out": (
        lambda files: files.update({"../../etc/passwd": b"x"}),
        "the file '../../etc/passwd' in it",
    ),
    "a file less": (lambda files: files.pop("trail.jsonl") and None, "no trail.jsonl in it"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_refused_with_its_place(good, tmp_path, what, monkeypatch):
    monkeypatch.setattr(bulk, "BATCH", 300)  # lines are counted through all batches of a file
    change, expected = BROKEN[what]
    assert expected in refusal(rewritten(good, change, tmp_path / "bad.zip"))


def test_html_is_cleaned_as_in_any_import(good, tmp_path):
    html = "<p onclick=steal()>read<script>steal()</script><iframe src=//evil></iframe></p>"
    change = with_row("documents.jsonl", 1, put(text=html, is_html=True))
    study = bring(rewritten(good, change, tmp_path / "html.zip"))
    document = study.collection.documents.order_by("pk")[0]
    assert (document.text, document.cleaned) == (html, "<p>read</p>")


def zip_of(path: Path, files: dict[str, bytes], twice: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        if twice:
            with pytest.warns(UserWarning, match="Duplicate"):
                archive.writestr(twice, b"")
    return path


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_what_the_manifest_does_not_say_is_refused(good, tmp_path):
    files, path = contents(good), tmp_path / "bad.zip"
    more = files | {"labels.jsonl": files["labels.jsonl"].replace(b"1", b"2", 1)}
    assert "labels.jsonl: another checksum" in refusal(zip_of(path, more))
    less = files | {"trail.jsonl": b""}
    assert "trail.jsonl: 0 rows; expected" in refusal(zip_of(path, less))
    assert "each once" in refusal(zip_of(path, files, twice="runs.jsonl"))
    manifest = json.loads(files["manifest.json"])
    for change, expected in (
        ({"version": 2}, "version 2 of the format; expected version 1"),
        ({"format": "holiday pictures"}, "a zip archive of something else"),
        ({"files": []}, "another list of files"),
        ({"study": 7}, "no names"),
    ):
        other = files | {"manifest.json": json.dumps(manifest | change).encode()}
        assert expected in refusal(zip_of(path, other))


def test_what_is_no_archive_is_refused(good, tmp_path):
    path = tmp_path / "bad.zip"
    assert "expected an archive" in refusal(path)
    path.write_bytes(b"not a zip")
    assert "damaged" in refusal(path)
    path.write_bytes(good.read_bytes()[:-100])
    assert "damaged" in refusal(path)
    whole = bytearray(good.read_bytes())
    whole[5000:5100] = bytes(100)
    path.write_bytes(whole)
    assert refusal(path)


def test_a_bomb_does_not_go_off(good, tmp_path, monkeypatch):
    monkeypatch.setattr("magnitudes.files.containers.streams.EXPANDED_FREELY", 1 << 20)
    bomb = {"documents.jsonl": b'{"doc_id":"' + b" " * (1 << 26)}
    path = zip_of(tmp_path / "bomb.zip", contents(good) | bomb)
    assert path.stat().st_size < 1 << 18
    assert "come out of it" in refusal(path)
    monkeypatch.setattr(unpacking, "MAX_ROW_BYTES", 3000)
    long = {"topics.jsonl": b" " * 6000}
    assert "topics.jsonl, line 1: a line without an end" in refusal(
        zip_of(tmp_path / "long.zip", contents(good) | long)
    )
