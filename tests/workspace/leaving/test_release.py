"""A release: what is in it, who can read it, and that it tells nothing of who judged."""

import csv
import hashlib
import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import chdir
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import ir_measures
import numpy as np
import pytest
import yaml
from django.core.management import CommandError, call_command

from evaluation.analyses import of_study
from evaluation.pipeline import evaluate
from evaluation.publishing import exports
from evaluation.report import folder as report_folder
from evaluation.study.data import load
from judging.collections.changing import mark_free_to_share
from judging.departures import AS_IN_PAPER, departures
from judging.models import PlatformAccount, Study, TrailEntry, Visit
from tests.factory import make_study
from tests.factory.completed import EXTERNAL_ID, PLATFORM_IDS, WORDS, graded_study, judged_study
from tests.workspace.leaving.conftest import archive_of
from tests.workspace.leaving.test_archive import judged_elsewhere
from workspace.publishing import anonymous, describing
from workspace.publishing.describing import MEANINGS
from workspace.publishing.releasing import CannotRelease, ReleaseOptions, as_zip, release, write
from workspace.running.trail_sentences import in_words

pytestmark = pytest.mark.django_db
CLOCK = re.compile(r"\b([01]?\d|2[0-3]):[0-5]\d\b|\d{4}-\d\d-\d\dT\d\d")


def released(study: Study, folder: Path, **asked: Any) -> Path:
    write(release(study, ReleaseOptions(**asked), by=None), folder)
    return folder


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(path.read_text())))


def test_nothing_tells_who_judged(busy, tmp_path):
    Visit.objects.update(hidden_seconds=86123.5, pasted_characters=86321)
    folder = released(busy, tmp_path / "out", gains=("linear",))
    secrets = {*PLATFORM_IDS.values(), EXTERNAL_ID, *busy.assignments.all().codes()}
    secrets |= set(busy.workers.values_list("pseudonym", flat=True))
    secrets |= set(busy.workers.values_list("resume_code", flat=True))
    secrets |= set(busy.assignments.values_list("token", flat=True))
    assert PlatformAccount.objects.filter(study=busy).exists()
    secrets |= {"86123.5", "86321", "pasted_characters", "hidden_seconds"}
    assert "" not in secrets
    for path in folder.rglob("*"):
        text = "" if path.is_dir() else path.read_text()
        assert not [name for name in secrets if re.search(rf"\b{re.escape(name)}\b", text)], path
        assert not CLOCK.search(text), path
        assert WORDS not in text
        assert "Text of D401" not in text
        assert "What about 401?" not in text
    assert not (folder / "documents.jsonl").exists()


def test_what_is_in_it(busy, tmp_path):
    folder = released(
        busy, tmp_path / "out", gains=("unanimity:0",), authors=("Gödel, K.", 'A: "B"')
    )
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files == {
        *("README.md", "CITATION.cff", "SHA256SUMS", "settings.json", "runs.txt"),
        *("judgments.csv", "crowdkit.csv"),
        *("qrels/magnitude.txt", "qrels/magnitude-x1000.txt"),
        *("qrels/unanimity-0.txt", "qrels/unanimity-0-x1000.txt"),
        *("rankings/magnitude.csv", "rankings/magnitude.svg"),
        *("rankings/unanimity-0.csv", "rankings/unanimity-0.svg"),
    }
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, path = line.split("  ")
        assert hashlib.sha256((folder / path).read_bytes()).hexdigest() == digest
        files.remove(path)
    assert files == {"SHA256SUMS"}
    qrels = "".join(exports.lines(busy, "qrels", "trec"))
    assert (folder / "qrels/magnitude.txt").read_text() == qrels
    rankings = "".join(exports.lines(busy, "rankings", "csv", gains="unanimity:0"))
    assert (folder / "rankings/unanimity-0.csv").read_text() == rankings
    citation = yaml.safe_load((folder / "CITATION.cff").read_text())
    assert [author["name"] for author in citation["authors"]] == ["Gödel, K.", 'A: "B"']
    assert (citation["title"], citation["type"]) == (busy.title, "dataset")
    readme = (folder / "README.md").read_text()
    assert f"with the seed {busy.plan_seed}." in readme
    entry = TrailEntry.objects.filter(study=busy).latest("id")
    assert (entry.action, entry.details["gains"]) == ("made a release", ["unanimity:0"])
    assert in_words(entry).startswith("made a release: gains unanimity:0")


def test_the_readme_lists_where_the_study_departs_from_the_paper(busy):
    qrels = [describing.Qrels("qrels/magnitude.txt", "magnitude", is_whole=True, remarks=[])]

    def readme():
        described = describing.Described(qrels=qrels)
        (file, *_) = describing.files(Study.objects.get(pk=busy.pk), described)
        return b"".join(file.pieces).decode()

    assert departures(busy)
    for each in departures(busy):
        assert f"\n- {each.label}: {each.value} (there: {each.paper_value})\n" in readme()
    Study.objects.filter(pk=busy.pk).update(**AS_IN_PAPER)
    assert "(there:" not in readme()
    assert "\nThe settings of the protocol are those of Maddalena, Mizzaro," in readme()
    Study.objects.filter(pk=busy.pk).update(crowd=Study.Crowd.IMPORTED)
    assert "of Maddalena" not in readme()


def test_the_judgments_are_those_of_the_study(busy, tmp_path):
    rows = table(released(busy, tmp_path / "out", justifications=True) / "judgments.csv")
    mine = list(csv.DictReader(StringIO("".join(exports.lines(busy, "judgments", "csv")))))
    number_of: dict[str, str] = {}
    by_place = {(row["unit"], row["doc_id"]): row for row in mine}
    assert len(rows) == len(mine)
    for row in rows:
        same = by_place.pop((row["unit"], row["doc_id"]))
        assert number_of.setdefault(same["worker"], row["worker"]) == row["worker"]
        for name in row.keys() - {"worker", "submitted_on"}:
            assert row[name] == same[name]
        assert row["submitted_on"] == same["submitted_at"][:10]
        assert row["justification"] == WORDS
    assert len(set(number_of.values())) == len(number_of)
    places = [(row["query_id"], row["worker"], int(row["position"])) for row in rows]
    assert places == sorted(places)


def test_workers_are_numbered_anew_each_time(busy):
    numbers = [anonymous.Anonymous(busy, justifications=False).numbers for _ in range(20)]
    assert len({tuple(each.items()) for each in numbers}) > 1
    assert {tuple(sorted(each.values())) for each in numbers} == {
        tuple(f"w{number}" for number in range(1, busy.workers.count() + 1))
    }


def test_every_column_of_judgments_is_published_or_withheld():
    columns = {
        name
        for tables in (exports.EXPORTS, exports.OF_IMPORTED, exports.OF_MAGNITUDES)
        for name in tables["judgments"].columns
    }
    assert columns == {*anonymous.PUBLISHED, *anonymous.OPTIONAL, *anonymous.WITHHELD}
    names = {anonymous.RENAMED.get(name, name) for name in columns - anonymous.WITHHELD.keys()}
    assert names == set(MEANINGS)


@pytest.mark.parametrize("free", [False, True])
def test_the_readme_s_lines_are_read_by_ir_datasets_and_pandas(busy, tmp_path, free):
    mark_free_to_share(busy.collection, is_free=free, by=None)
    folder = released(Study.objects.get(pk=busy.pk), tmp_path / "out")
    blocks = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 2
    names: dict[str, Any] = {}
    with chdir(folder):
        for block in blocks:
            exec(block, names)
        dataset = names["dataset"]
        if free:
            queries = {query.query_id: query.text for query in dataset.queries_iter()}
            assert queries["401"] == "topic 401"
            documents = {document.doc_id: document.text for document in dataset.docs_iter()}
            assert documents["D401-000"] == "Text of D401-000."
    names["ir_datasets"].registry._registered.pop(busy.slug)
    lines = (folder / "qrels/magnitude.txt").read_text().splitlines()
    cells = [line.split() for line in lines]
    gains = {(query_id, doc_id): float(gain) for query_id, _, doc_id, gain in cells}
    assert {(q.query_id, q.doc_id): q.relevance for q in names["qrels"]} == {
        key: round(1000 * gain) for key, gain in gains.items()
    }
    read = list(ir_measures.read_trec_qrels(str(folder / "qrels/magnitude-x1000.txt")))
    assert len(read) == len(gains)
    medians = names["medians"]
    assert len(medians) == len(gains)
    for (query_id, doc_id), gain in gains.items():
        assert np.isclose(medians[f"{query_id} {doc_id}"], gain, rtol=1e-12)


def test_labels_from_elsewhere_are_released_too(tmp_path):
    folder = released(judged_elsewhere(tmp_path), tmp_path / "out")
    rows = table(folder / "judgments.csv")
    assert {row["score"] for row in rows} <= {"0", "1", "2", ""}
    assert {row["worker"][0] for row in rows} == {"w"}
    assert "levels: Non, Rel, HRel" in (folder / "README.md").read_text()
    assert [row["occasion"] for row in rows if row["occasion"]] == ["1"]
    assert "again" not in (folder / "judgments.csv").read_text()


def test_the_command_writes_a_folder_or_a_zip(busy, tmp_path, capsys):
    folder, archive = tmp_path / "out", tmp_path / "out.zip"
    call_command("release", busy.slug, "--out", str(folder), "-g", "linear")
    call_command("release", busy.slug, "--out", str(archive), "-g", "linear")
    number = sum(path.is_file() for path in folder.rglob("*"))
    assert f"{folder}: {number} files" in capsys.readouterr().out
    with ZipFile(archive) as files:
        assert files.testzip() is None
        assert {info.filename for info in files.infolist()} == {
            f"{busy.slug}/{path.relative_to(folder)}" for path in folder.rglob("*.*")
        } | {f"{busy.slug}/SHA256SUMS"}
        assert {info.date_time for info in files.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    for arguments, expected in (
        (("--out", str(folder)), "is there already: name a new folder"),
        (("--out", str(archive)), "is there already: name a new file"),
        (("--out", str(tmp_path / "x"), "-g", "nonsense"), "no gain is called .nonsense"),
    ):
        with pytest.raises(CommandError, match=expected):
            call_command("release", busy.slug, *arguments)
    with pytest.raises(CommandError, match="There is no study nothing"):
        call_command("release", "nothing", "--out", str(folder))


def test_a_study_without_judgments_has_nothing_to_release():
    with pytest.raises(CannotRelease, match="no judgments that count yet"):
        release(make_study(), ReleaseOptions(), by=None)


def test_a_zip_is_sent_in_pieces(busy):
    pieces = as_zip(busy, release(busy, ReleaseOptions(), by=None))
    with ZipFile(BytesIO(b"".join(pieces))) as files:
        assert files.read(f"{busy.slug}/runs.txt").count(b"\n") == 4


# --- no template tag is left in any file, and the README reads well -------------------------------
ROOT = Path(__file__).parents[3]
CONSENT = "You see eight texts.\n\nYou may leave at any time."
FULL = {
    "consent": CONSENT,
    "contact": "you@example.org",
    "ethics_approval": "Board X, 2026-17",
    "retention_days": 30,
    "title": "News & “views”",
}
EMPTY = {"consent": "", "contact": "", "ethics_approval": "", "retention_days": None}


def with_values(study: Study, values: dict[str, object]) -> Study:
    Study.objects.filter(pk=study.pk).update(**values)
    return Study.objects.get(pk=study.pk)


def readme(study: Study, folder: Path) -> str:
    write(release(study, ReleaseOptions(), by=None), folder)
    return (folder / "README.md").read_text(encoding="utf-8")


def unread_tags(folder: Path) -> Iterator[str]:
    """The lines with a tag, of all text files. TeX and BibTeX nest braces, but without a blank."""
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in (".pdf", ".zip"):
            tag = re.compile(r"\{\{ |\{% " if path.suffix in (".tex", ".bib") else r"\{\{|\{%")
            text = path.read_text(encoding="utf-8")
            yield from (f"{path.name}: {line}" for line in text.splitlines() if tag.search(line))


@pytest.mark.parametrize("values", [FULL, EMPTY], ids=["full", "empty"])
def test_no_release_or_archive_holds_a_tag(busy, tmp_path, values):
    study = with_values(busy, values)
    for free in (False, True):
        study.collection.free_to_share = free
        study.collection.save()
        readme(with_values(study, {}), tmp_path / f"release-{free}")
    with ZipFile(archive_of(study, tmp_path / "busy.zip")) as archive:
        archive.extractall(tmp_path / "archive")
    assert list(unread_tags(tmp_path)) == []


def test_no_report_holds_a_tag(tmp_path, monkeypatch):
    study, _ = judged_study(topics=2, units=4, runs=3)
    evaluate(study)
    fitting = of_study(study)
    for name, values in (("full", FULL), ("empty", EMPTY)):
        data = load(with_values(study, values), "")
        report = report_folder.write(data, tmp_path / name, lambda name: None)
        assert report.results.keys() == fitting.keys() - report.faults.keys()
        assert (tmp_path / name / "index.html").exists()
        fitting = {each: fitting[each] for each in ("internal", "spread")}  # say no more of values
        monkeypatch.setattr(report_folder, "of_study", lambda study, few=fitting: few)
    assert list(unread_tags(tmp_path)) == []


def test_the_readme_has_consent_ethics_contact_and_what_was_judged(busy, tmp_path):
    text = readme(with_values(busy, FULL), tmp_path / "full")
    assert "\n> You see eight texts.\n>\n> You may leave at any time.\n" in text
    assert "Ethics approval: Board X, 2026-17\n" in text
    assert "Contact: you@example.org\n" in text
    batch = busy.batches.get()
    for sentence in (
        "Workers gave each document a number of their own choice, in proportion to its relevance",
        f"The study covers 4 topics of the collection `{busy.collection.slug}`.",
        f"The units were drawn with the seed {busy.plan_seed}.",
        f"Batch 1 (1 more judgment of a document) was drawn with the seed {batch.seed}.",
        "the gain of a document is the median of its normalised scores",
    ):
        assert sentence in text, text
    plain = readme(with_values(busy, EMPTY), tmp_path / "empty")
    assert "No consent text is stored with the study." in plain
    assert "No ethics approval is stored with the study." in plain
    assert "Contact" not in plain
    for each in (text, plain):
        assert not re.search(r"\n{3,}| \n|None|\[\]", each), each


def test_the_readme_of_levels_and_of_judgments_from_elsewhere(tmp_path):
    text = readme(graded_study()[0], tmp_path / "levels")
    assert "Workers put each document on one of the levels Non, Rel, HRel." in text
    assert "the median of its levels, the lowest being 0" in text
    text = readme(judged_elsewhere(tmp_path), tmp_path / "elsewhere")
    assert "The judgments were made elsewhere and imported" in text
    for words in ("seed", "consent", "Ethics", "Contact"):
        assert words not in text


ARTIFICIAL = "All workers were artificial."
BOTH = "Some workers were artificial: the column `simulated` marks their judgments."


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"crowd": "artificial"}, ARTIFICIAL),
        ({"crowd": "both", "demo": True, "payment": 0}, BOTH),
        ({"crowd": "people"}, ""),
    ],
)
def test_the_readme_names_artificial_workers(busy, tmp_path, values, sentence):
    text = readme(with_values(busy, values), tmp_path / "out")
    assert [each for each in (ARTIFICIAL, BOTH) if each in text] == ([sentence] if sentence else [])


def test_the_version_is_the_product_s(busy, tmp_path):
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert readme(busy, tmp_path / "out").count(f"Computed by magnitudes {version} on Python") == 1
    with ZipFile(archive_of(busy, tmp_path / "busy.zip")) as archive:
        assert json.loads(archive.read("manifest.json"))["product"] == version
