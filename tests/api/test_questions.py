"""Analyses that are asked with another measure, other gains, another reader."""

import pytest
from django.test import Client

from evaluation import results
from evaluation.analyses import question as asking
from evaluation.cache import stored
from evaluation.models import CachedAnalysis
from judging.models import Study
from magnitudes.comparison.tukey import tukey_hsd
from magnitudes.measures.names import parse
from tests.factory.completed import graded_study, judged_study

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def graded(for_all):
    return graded_study(3)[0]


@pytest.fixture
def study(graded, db):
    return graded


def api(study: Study, path: str) -> str:
    return f"/api/v1/studies/{study.slug}/analyses/{path}"


def computed(client: Client, study: Study, path: str, **asked: str) -> dict:
    """What is there once it is computed."""
    assert client.get(api(study, path), asked).status_code == 202
    stored.bring_up_to_date()
    found = client.get(api(study, path), asked)
    assert found.status_code == 200
    return found.json()


def rows(told: dict, name: str) -> list[dict]:
    (part,) = (part for part in told["parts"] if part["name"] == name)
    return [dict(zip(part["columns"], row, strict=True)) for row in part["rows"]]


def test_systems_are_tested_by_any_measure_and_gains(researcher, study):
    asked = {"measure": "AP@5", "gains": "udm:1/3"}
    told = computed(researcher, study, "significance/", **asked)
    assert told["asked"] == {**asked, "reader": "", "first": "", "tries": ""}
    assert not told["fault"]
    assert "the gains udm:1/3" in told["says"][0]
    table = results.table(study, parse("AP@5"), "udm:1/3")
    means = table.values.mean(axis=0)
    found = {row["system"]: row for row in rows(told, "all-ap")}
    assert {name: row["mean"] for name, row in found.items()} == pytest.approx(
        dict(zip(table.runs, means.tolist(), strict=True))
    )
    order = [table.runs.index(row["system"]) for row in rows(told, "all-ap")]
    test = tukey_hsd(table.values[:, order], seed=told["seed"])
    assert [row["p_best"] for row in rows(told, "all-ap")] == test.p[0].tolist()


def test_the_usual_answer_is_kept_beside_others(researcher, study):
    usual = computed(researcher, study, "significance/")
    other = computed(researcher, study, "significance/", gains="exponential")
    assert usual["says"] != other["says"]
    again = researcher.get(api(study, "significance/")).json()
    assert again["says"] == usual["says"]
    assert CachedAnalysis.objects.filter(study=study, name="significance").count() == 2
    same = researcher.get(api(study, "significance/"), {"gains": "linear"}).json()
    assert same["says"] == usual["says"]


def test_so_many_answers_are_kept(researcher, study, monkeypatch):
    monkeypatch.setattr(stored, "MOST_ASKED", 2)
    for cutoff in range(1, 5):
        researcher.get(api(study, "significance/"), {"measure": f"P@{cutoff}"})
        researcher.get(api(study, "power/"))
    rows = CachedAnalysis.objects.filter(study=study).order_by("pk")
    assert [row.asked for row in rows] == ["", "measure=P%403", "measure=P%404"]


def test_an_old_answer_that_is_wanted_again_is_there(researcher, at_desk, study, monkeypatch):
    monkeypatch.setattr(stored, "MOST_ASKED", 1)
    researcher.get(api(study, "significance/"), {"measure": "P@1"})
    asked = {"measure": "P@1"}  # power is not kept, and significance is the one to go
    assert at_desk.get(f"/studies/{study.slug}/systems/", asked).status_code == 200


def test_power_takes_one_measure_more(researcher, study):
    usual, other = (
        {row["measure"] for row in rows(computed(researcher, study, "power/", **asked), "shares")}
        for asked in ({}, {"measure": "rpref@10", "gains": "raw"})
    )
    assert other - usual == {"rpref@10"}


def test_files_are_of_what_was_asked(researcher, at_desk, study):
    asked = {"measure": "P+@10"}
    computed(researcher, study, "significance/", **asked)
    address = api(study, "significance/all-p-plus/")
    found = researcher.get(address, asked)
    assert found.status_code == 200
    assert found["ETag"]
    assert researcher.get(address).status_code == 404  # the usual one is not computed
    page = f"/studies/{study.slug}/analyses/significance/all-p-plus.csv"
    assert at_desk.get(page, asked).content == found.content


def test_a_reader_is_drawn_by_the_numbers_given(researcher, study):
    for number in range(8):
        text = {"text": "Far.", "words": 300, "cleaner": 1}
        study.collection.documents.create(doc_id=f"elsewhere-{number}", **text)
    told = computed(researcher, study, "reader/", reader="TBG(half_life=500,summary=2)")
    says = " ".join(told["says"])
    assert "The reader of TBG(half_life=500,summary=2) saves " in says
    assert "takes 2 s for a summary" in says
    named = results.table(study, parse("TBG(half_life=500,summary=2)"))
    found = {row["system"]: row["tbg"] for row in rows(told, "systems")}
    assert found == pytest.approx(
        dict(zip(named.runs, named.values.mean(axis=0).tolist(), strict=True))
    )
    usual = computed(researcher, study, "reader/")
    assert rows(usual, "gain-in-time") != rows(told, "gain-in-time")


@pytest.mark.parametrize(
    ("name", "asked", "option", "said"),
    [
        ("significance", {"measure": "NDCG@10"}, "measure", "there is no NDCG"),
        ("significance", {"measure": "P"}, "measure", "needs a cutoff"),
        ("power", {"gains": "magnitude"}, "gains", "no gain is called magnitude here"),
        ("power", {"gains": "udm:3/1"}, "gains", "needs 1 <= M <= N"),
        ("power", {"gains": f"unanimity:0.{'0' * 90}"}, "gains", "at most 60"),
        ("significance", {"measure": "GAP@10", "gains": "udm:2/3"}, "measure", "needs M = 1"),
        ("spread", {"measure": "AP@10"}, "measure", "this analysis takes only tries"),
        ("reader", {"measure": "AP@10"}, "measure", "takes only reader"),
        ("reader", {"reader": "AP@10"}, "reader", "expected TBG with some of half_life"),
        ("reader", {"reader": "TBG(norm='unlimited')"}, "reader", "expected TBG with some of"),
        ("reader", {"reader": "TBG(half_life=0)"}, "reader", "half_life"),
    ],
)
def test_odd_questions(researcher, study, name, asked, option, said):
    if name == "spread":
        study, _ = judged_study(1, topics=1, units=0)
    answer = researcher.get(api(study, f"{name}/"), asked)
    assert answer.status_code == 400
    assert said in answer.json()["errors"][option][0]
    assert not CachedAnalysis.objects.filter(study=study).exists()


def test_the_page_asks_answers_and_says_what_is_wrong(at_desk, study):
    address = f"/studies/{study.slug}/method/significance/"
    at_desk.get(address, {"measure": "AP@5"})
    stored.bring_up_to_date()
    page = at_desk.get(address, {"measure": "AP@5", "gains": ""}).content.decode()
    assert 'name="measure" value="AP@5"' in page
    assert "all-ap.csv?labels=reference&amp;measure=AP%405" in page
    wrong = at_desk.get(address, {"gains": "nothing", "measure": "AP@5"})
    assert wrong.status_code == 200
    page = wrong.content.decode()
    assert 'aria-describedby="ask-gains-error"' in page
    assert "no gain is called &#x27;nothing&#x27;" in page
    assert 'value="nothing"' in page


def test_a_question_that_nothing_answers_says_why(researcher, study):
    told = computed(researcher, study, "significance/", measure="TBG")
    assert "length" in told["fault"]


def test_one_spelling():
    study = Study(slug="s", scale="graded", levels=["a", "b"])
    takes = ("measure", "gains")
    given = {"measure": " nDCG( dcg = 'log2' ) @ 10", "gains": "linear"}
    assert asking.question(study, takes, given) == asking.Question("nDCG@10")
    assert not str(asking.question(study, takes, {"measure": " ", "gains": "linear"}))
