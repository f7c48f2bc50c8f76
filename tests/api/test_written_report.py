"""A report is asked for on a page, written in the background, and taken away as a zip archive."""

import zipfile
from datetime import timedelta
from io import BytesIO

import pytest
from django.test import Client

from evaluation.analyses import ANALYSES
from evaluation.models import WrittenReport
from evaluation.pipeline import evaluate
from evaluation.report import folder, jobs
from evaluation.waiting import REPORT_RETENTION
from judging.models import Study
from tests.factory import make_study
from tests.factory.completed import judged_study
from web import clock
from web.background import work

FEW = ("spread", "numbers")


@pytest.fixture(scope="module")
def judged(for_all):
    study, _ = judged_study(2, topics=1, units=2)
    evaluate(study)
    return study


@pytest.fixture
def study(db, judged, monkeypatch):
    monkeypatch.setattr(folder, "of_study", lambda study: {name: ANALYSES[name] for name in FEW})
    return judged


def address(study: Study) -> str:
    return f"/studies/{study.slug}/share/report/"


def look(client: Client, study: Study) -> str:
    return client.get(address(study)).content.decode()


def names(client: Client, study: Study) -> list[str]:
    response = client.get(f"/studies/{study.slug}/report.zip")
    assert response.status_code == 200
    assert response["Content-Type"] == "application/zip"
    with zipfile.ZipFile(BytesIO(response.content)) as archive:
        assert archive.testzip() is None
        return archive.namelist()


def test_it_is_asked_for_written_and_taken_away(at_desk, study):
    assert "A report of this study can be written" in look(at_desk, study)
    assert at_desk.get(f"/studies/{study.slug}/report.zip").status_code == 404
    response = at_desk.post(address(study))
    assert (response.status_code, response["Location"]) == (302, address(study))
    waiting = look(at_desk, study)
    assert "It waits for its turn." in waiting
    assert '<meta http-equiv="refresh"' in waiting  # without scripts
    WrittenReport.objects.update(state="writing", progress=0.25)
    assert '<progress max="1" value="0.250">' in look(at_desk, study)
    WrittenReport.objects.update(state="waiting", progress=0)
    assert jobs.bring_up_to_date() == 1
    assert jobs.bring_up_to_date() == 0
    ready = look(at_desk, study)
    assert "The report is ready" in ready
    assert "Judgments have come since" not in ready
    files = names(at_desk, study)
    root = study.file_name("report", "").removesuffix(".")
    assert {f"{root}/{name}" for name in ("index.html", "main.tex", "references.bib")} <= {*files}
    assert f"{root}/figures/spread-ratios.pdf" in files
    row = WrittenReport.objects.get(study=study)
    assert (row.files, row.missing, row.progress) == (len(files), [], 0)


def test_an_older_one_stays_until_a_new_one_is_there(at_desk, study):
    jobs.ask_report(study, None, "reference")
    jobs.bring_up_to_date()
    assert jobs.report_of(study).is_current
    Study.objects.filter(pk=study.pk).update(title="Another title")
    assert not jobs.report_of(study).is_current
    WrittenReport.objects.update(version="of older data")
    assert "Judgments have come since" in look(at_desk, study)
    at_desk.post(address(study))
    assert "The one before" in look(at_desk, study)
    assert names(at_desk, study)


def test_what_cannot_be_written_is_said(at_desk, study, monkeypatch):
    empty = make_study()
    jobs.ask_report(empty, None, "reference")
    jobs.bring_up_to_date()
    assert "there is nothing to report" in look(at_desk, empty)

    def fail(*args):
        raise OSError("no disk")

    monkeypatch.setattr(jobs, "load", fail)
    jobs.ask_report(study, None, "reference")
    jobs.bring_up_to_date()
    page = look(at_desk, study)
    assert "The report could not be written" in page
    assert "It ended with an error" in page
    assert "no disk" not in page


def test_one_that_is_interrupted_again_and_again_ends(study):
    jobs.ask_report(study, None, "reference")
    WrittenReport.objects.update(state="writing", tries=work.MAX_TRIES)
    jobs.bring_up_to_date()
    row = WrittenReport.objects.get(study=study)
    assert (row.state, row.fault) == ("failed", work.INTERRUPTED)


def test_who_asks_again_supersedes_what_is_written(study, monkeypatch):
    monkeypatch.setattr(work, "PROGRESS_SECONDS", -1)
    asked = jobs.ask_report(study, None, "reference")
    load, again = jobs.load, iter([True])

    def ask_meanwhile(*args):
        if next(again, False):
            jobs.ask_report(study, None, "reference")
        return load(*args)

    monkeypatch.setattr(jobs, "load", ask_meanwhile)
    assert jobs.bring_up_to_date() == 2
    row = WrittenReport.objects.get(study=study)
    assert (row.state, row.tries) == ("done", 1)
    assert row.asked_at > asked.asked_at


def test_it_is_for_the_team_and_for_some_days(at_desk, stranger, study):
    jobs.ask_report(study, None, "reference")
    jobs.bring_up_to_date()
    for path in (address(study), f"/studies/{study.slug}/report.zip"):
        assert stranger.get(path)["Location"].startswith("/login/")
    WrittenReport.objects.update(others=[make_study().pk])
    WrittenReport.objects.update(made_at=clock.now() - REPORT_RETENTION - timedelta(hours=1))
    jobs.bring_up_to_date()
    assert not WrittenReport.objects.exists()
    assert at_desk.get(f"/studies/{study.slug}/report.zip").status_code == 404


def test_it_is_had_by_rest_as_on_the_page(researcher, at_desk, outsider, study):
    below = f"/api/v1/studies/{study.slug}/report"
    nobody = researcher.get(f"{below}/")
    assert (nobody.status_code, "POST" in nobody.json()["detail"]) == (404, True)
    assert "POST to report/" in researcher.get(f"{below}.zip").json()["detail"]
    asked = researcher.post(f"{below}/", {"labels": "reference"}, content_type="application/json")
    assert asked.status_code == 202
    assert (asked.json()["state"], asked.json()["size"]) == ("waiting", 0)
    WrittenReport.objects.update(state="writing", progress=0.25)
    assert researcher.get(f"{below}/").json()["progress"] == 0.25
    jobs.bring_up_to_date()
    done = researcher.get(f"{below}/").json()
    archive = researcher.get(f"{below}.zip")
    on_page = at_desk.get(f"/studies/{study.slug}/report.zip")
    assert (done["state"], done["current"], done["missing"]) == ("done", True, [])
    assert (len(archive.content), archive["Content-Type"]) == (done["size"], "application/zip")
    assert archive.content == on_page.content
    assert archive["Content-Disposition"] == on_page["Content-Disposition"]
    for address in (f"{below}/", f"{below}.zip"):
        assert outsider.get(address).status_code == 404
        assert Client().get(address).status_code == 401


def test_labels_that_are_not_there_are_refused_by_rest(researcher, study):
    address = f"/api/v1/studies/{study.slug}/report/"
    for body in ({"labels": "gold"}, {"labels": 5}, {"set": "reference"}):
        refused = researcher.post(address, body, content_type="application/json")
        assert refused.status_code == 400, body
    assert not WrittenReport.objects.exists()
