"""Gains by name through the API."""

import json
import random

import pytest
from django.test import Client

from evaluation import exports
from evaluation.pipeline import evaluate
from tests.api.making import complete, graded_study, judged_study, random_levels
from tests.factory import later, make_study

pytestmark = pytest.mark.django_db
OF_LEVELS = ["linear", "exponential", "udm:1/3", "raw", "weighted", "unanimity:0.2"]


@pytest.mark.parametrize("gains", OF_LEVELS)
def test_rankings_and_qrels_by_name(researcher: Client, gains: str) -> None:
    study, _ = graded_study()
    address = f"/api/v1/studies/{study.slug}/"
    told = researcher.get(f"{address}rankings/?measure=nDCG@3&gains={gains}").json()
    assert told["gains"] == gains
    found = {(s["run"], t["query_id"]): t["value"] for s in told["results"] for t in s["topics"]}
    rows = [row for row in exports.rankings(study, ("nDCG@3",), gains) if row["query_id"] != "all"]
    assert found == {(row["run"], row["query_id"]): row["value"] for row in rows}
    lines = b"".join(researcher.get(f"{address}qrels/?gains={gains}"))  # type: ignore[call-overload]
    assert lines.decode() == "".join(exports.lines(study, "qrels", "trec", gains=gains))


def test_a_name_has_one_spelling_and_a_tag_of_its_own(researcher: Client) -> None:
    study, _ = graded_study()
    address = f"/api/v1/studies/{study.slug}/rankings/?gains="
    one, other = (researcher.get(address + name) for name in ("unanimity:0.20", "udm:1/3"))
    assert one.json()["gains"] == "unanimity:0.2"
    assert one["ETag"] != other["ETag"]
    again = researcher.get(address + "udm:1/3", headers={"If-None-Match": other["ETag"]})
    assert again.status_code == 304
    complete(study, "one more", random_levels(random.Random(1)), later(1000))
    evaluate(study)
    later_on = researcher.get(address + "udm:1/3", headers={"If-None-Match": other["ETag"]})
    assert later_on.status_code == 200
    assert later_on.json()["results"] != other.json()["results"]


@pytest.mark.parametrize("way", ["rankings/?", "qrels/?", "qrels/?file_format=csv&"])
@pytest.mark.parametrize(
    ("gains", "said"),
    [
        ("magnitudes", "no gain is called 'magnitudes'; there are magnitude, linear, exp"),
        ("", "no gain is called ''"),
        ("udm:4/3", "needs 1 <= M <= N"),
        ("magnitude", "has levels, whose size says nothing of how much better one is; there are l"),
    ],
)
def test_a_bad_name_is_a_problem_that_says_what_there_is(
    researcher: Client, way: str, gains: str, said: str
) -> None:
    study, _ = graded_study()
    response = researcher.get(f"/api/v1/studies/{study.slug}/{way}gains={gains}")
    assert response.status_code == 400
    assert response["Content-Type"].startswith("application/problem+json")
    assert said in json.dumps(response.json(), ensure_ascii=False)
    assert "gains" in response.json()["errors"]


def test_gains_that_cannot_be_computed_are_a_problem(researcher: Client) -> None:
    study, _ = judged_study(1, topics=1, units=1)
    evaluate(study)
    for way in ("rankings/", "qrels/"):
        response = researcher.get(f"/api/v1/studies/{study.slug}/{way}?gains=udm:1/3")
        assert response.status_code == 400
        assert "udm:1/3: disagreement needs two judges" in response.content.decode()


def test_other_schemes_are_for_the_usual_gains_alone(researcher: Client) -> None:
    study, _ = judged_study(1, topics=1, units=3)
    evaluate(study)
    address = f"/api/v1/studies/{study.slug}/qrels/?normalisation=median"
    assert researcher.get(f"{address}&gains=magnitude").status_code == 200
    response = researcher.get(f"{address}&gains=linear")
    assert response.status_code == 400
    assert "linear goes with the usual scheme alone, geometric and median" in str(response.json())


def test_before_anything_is_published(researcher: Client) -> None:
    study = make_study()
    address = f"/api/v1/studies/{study.slug}/"
    told = researcher.get(f"{address}rankings/?gains=udm:1/3").json()
    assert (told["results"], told["source"], told["gains"]) == ([], None, "udm:1/3")
    assert b"".join(researcher.get(f"{address}qrels/?gains=raw")) == b""  # type: ignore[call-overload]
