"""Whatever leaves a site as a file has no template tag left in it, and its README reads well."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from evaluation.analyses import of_study
from evaluation.analyses.study.data import load
from evaluation.pipeline import evaluate
from evaluation.report import folder as report_folder
from judging.models import Study
from tests.factory.completed import graded_study, judged_study
from tests.workspace.leaving.conftest import archive_of
from tests.workspace.leaving.test_archive import judged_elsewhere
from workspace.publishing.releasing import ReleaseOptions, release, write

pytestmark = pytest.mark.django_db
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
def test_no_release_or_archive_holds_a_tag(
    busy: Study, tmp_path: Path, values: dict[str, object]
) -> None:
    study = with_values(busy, values)
    for free in (False, True):
        study.collection.free_to_share = free
        study.collection.save()
        readme(with_values(study, {}), tmp_path / f"release-{free}")
    with ZipFile(archive_of(study, tmp_path / "busy.zip")) as archive:
        archive.extractall(tmp_path / "archive")
    assert list(unread_tags(tmp_path)) == []


@pytest.mark.parametrize("values", [FULL, EMPTY], ids=["full", "empty"])
def test_no_report_holds_a_tag(tmp_path: Path, values: dict[str, object]) -> None:
    study, _ = judged_study(topics=2, units=4, runs=3)
    evaluate(study)
    study = with_values(study, values)
    report = report_folder.write(load(study, ""), tmp_path / "report", lambda name: None)
    assert report.results.keys() == of_study(study).keys() - report.faults.keys()
    assert (tmp_path / "report/index.html").exists()
    assert list(unread_tags(tmp_path)) == []


def test_the_readme_has_consent_ethics_contact_and_what_was_judged(
    busy: Study, tmp_path: Path
) -> None:
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


def test_the_readme_of_levels_and_of_judgments_from_elsewhere(tmp_path: Path) -> None:
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
def test_the_readme_names_artificial_workers(
    busy: Study, tmp_path: Path, values: dict[str, object], sentence: str
) -> None:
    text = readme(with_values(busy, values), tmp_path / "out")
    assert [each for each in (ARTIFICIAL, BOTH) if each in text] == ([sentence] if sentence else [])


def test_the_version_is_the_product_s(busy: Study, tmp_path: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert readme(busy, tmp_path / "out").count(f"Computed by magnitudes {version} on Python") == 1
    with ZipFile(archive_of(busy, tmp_path / "busy.zip")) as archive:
        assert json.loads(archive.read("manifest.json"))["product"] == version
