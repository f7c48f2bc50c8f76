"""A run dropped on a study: ranked on the page, kept only if somebody asks who may."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluation import results
from evaluation.pipeline import evaluate
from evaluation.publishing.dropped_run import rank_with
from judging.models import Membership, Role, Run
from magnitudes.files.containers.archives import Member
from magnitudes.files.runs import Run as ReadRun
from magnitudes.files.runs import read_run
from magnitudes.measures.names import parse
from tests.api.html import Page
from tests.database import there_for_all
from tests.factory.completed import judged_study
from workspace.imports import importing
from workspace.models import ImportJob, Upload
from workspace.tasks import IMPORTS

RUN = "401 Q0 D401-003 1 9 mine\n401 Q0 D401-001 2 8 mine\n999 Q0 x 1 1 mine\n"


@pytest.fixture(scope="module")
def study(django_db_setup, django_db_blocker):
    with there_for_all(django_db_blocker):
        study, _ = judged_study(3, topics=2, units=4, runs=3)
        evaluate(study)
        yield study


@pytest.fixture
def address(study, rosa):
    Membership.objects.create(study=study, user=rosa, role=Role.VIEWER)
    return f"/uploads/run/{study.slug}/"


def dropped(client: Client, address: str, content: str = RUN, **asked: str) -> Page:
    file = SimpleUploadedFile("mine.run", content.encode())
    answer = client.post(address, {"run": file, "gains": "magnitude", **asked})
    assert answer.status_code == 200
    page = Page(answer.content.decode())
    assert page.faults == []
    return page


def test_it_is_ranked_and_gone(desk, study, address):
    page = dropped(desk, address, measure="nDCG@5")
    kept = results.ranking(study, parse("nDCG@5"))["results"]
    for system in kept:
        assert f"{system['run']} {system['mean']:.4f}" in page.text
    assert "mine has rank" in page.text
    assert "by nDCG at 5" in page.text
    assert "Nothing is judged here on 1 of its topics, 999 first" in page.text
    assert "It has no list for 1 of the topics" in page.text
    assert not Run.objects.filter(tag="mine").exists()
    assert not Upload.objects.exists()
    assert "mine" not in desk.get(f"/studies/{study.slug}/?measure=nDCG@5").content.decode()


def test_its_owner_keeps_it(desk, study, address, rosa):
    assert "Keep it in the collection" not in Page(desk.get(address).content.decode()).text
    dropped(desk, address, keep="on")  # who may not change the collection
    assert not ImportJob.objects.exists()
    study.collection.owner = rosa
    study.collection.save()
    page = dropped(desk, address, keep="on", measure="AP")
    assert "The run is being imported" in page.text
    before = rank_with(study, _read(), "AP").ranking["results"]
    while importing.import_next(IMPORTS):
        pass
    job = ImportJob.objects.get()
    assert job.fault == ""
    evaluate(study)
    assert results.ranking(study, parse("AP"))["results"] == before


def _read() -> ReadRun:
    """The run as it is read."""
    return read_run(Member("mine.run", io.BufferedReader(io.BytesIO(RUN.encode()))))


@pytest.mark.parametrize(
    ("content", "asked", "words"),
    [
        ("401 Q0 D401-003 1 x mine\n", {}, "mine.run, line 1"),
        ("", {}, "empty"),
        (RUN, {"measure": "nGDC@5"}, "there is no nGDC"),
        (RUN, {"gains": "udm:9/1"}, "is not in the list"),
        ("998 Q0 x 1 1 mine\n", {}, "Its topics, 998 first"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(desk, address, content, asked, words):
    text = dropped(desk, address, content, **asked).text
    assert words in text
    assert "There is a problem" in text


def test_it_takes_a_token_of_the_form_and_a_log_in(study, rosa, address):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(address, {"run": SimpleUploadedFile("r", b"x")}).status_code == 302
    strict.force_login(rosa)
    assert strict.post(address, {"run": SimpleUploadedFile("r", b"x")}).status_code == 403
