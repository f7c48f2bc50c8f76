"""Gains by name through the API, and on the results page."""

import json
import random
import re
from html import unescape
from urllib.parse import quote

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from evaluation import results
from evaluation.pipeline import MEASURES, evaluate
from evaluation.publishing import exports
from judging.models import Study
from magnitudes.measures.names import parse
from tests.api.html import look
from tests.factory import later
from tests.factory.completed import complete, graded_study, judged_study, random_levels

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(for_all):
    return graded_study()[0]


@pytest.fixture
def graded(db, made):
    """What a test changes in it is undone after the test."""
    return Study.objects.get(pk=made.pk)


OF_LEVELS = ["linear", "exponential", "udm:1/3", "raw", "weighted", "unanimity:0.2"]


@pytest.mark.parametrize("gains", OF_LEVELS)
def test_rankings_and_qrels_by_name(researcher, gains, graded):
    address = f"/api/v1/studies/{graded.slug}/"
    told = researcher.get(f"{address}rankings/?measure=nDCG@3&gains={gains}").json()
    assert told["gains"] == gains
    found = {(s["run"], t["query_id"]): t["value"] for s in told["results"] for t in s["topics"]}
    rows = [row for row in exports.rankings(graded, "nDCG@3", gains) if row["query_id"] != "all"]
    assert found == {(row["run"], row["query_id"]): row["value"] for row in rows}
    lines = b"".join(researcher.get(f"{address}qrels/?gains={gains}"))
    assert lines.decode() == "".join(exports.lines(graded, "qrels", "trec", gains=gains))


def test_a_name_has_one_spelling_and_a_tag_of_its_own(researcher, graded):
    address = f"/api/v1/studies/{graded.slug}/rankings/?gains="
    one, other = (researcher.get(address + name) for name in ("unanimity:0.20", "udm:1/3"))
    assert one.json()["gains"] == "unanimity:0.2"
    assert one["ETag"] != other["ETag"]
    again = researcher.get(address + "udm:1/3", headers={"If-None-Match": other["ETag"]})
    assert again.status_code == 304
    complete(graded, "one more", random_levels(random.Random(1)), later(1000))
    evaluate(graded)
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
def test_a_bad_name_is_a_problem_that_says_what_there_is(researcher, way, gains, said, graded):
    response = researcher.get(f"/api/v1/studies/{graded.slug}/{way}gains={gains}")
    assert response.status_code == 400
    assert response["Content-Type"].startswith("application/problem+json")
    assert said in json.dumps(response.json(), ensure_ascii=False)
    assert "gains" in response.json()["errors"]


def test_gains_that_cannot_be_computed_and_other_schemes_are_a_problem(researcher):
    study, _ = judged_study(1, topics=1, units=1)
    evaluate(study)
    address, scheme = f"/api/v1/studies/{study.slug}/", "normalisation=median"
    for way, said in (
        ("rankings/?gains=udm:1/3", "udm:1/3: disagreement needs two judges"),
        ("qrels/?gains=udm:1/3", "udm:1/3: disagreement needs two judges"),
        (f"qrels/?{scheme}&gains=linear", "linear goes with the usual scheme alone, geometric and"),
    ):
        response = researcher.get(address + way)
        assert response.status_code == 400
        assert said in response.content.decode()
    assert researcher.get(f"{address}qrels/?{scheme}&gains=magnitude").status_code == 200


def test_chances_of_the_best_need_someone_who_found_it(researcher, at_desk, graded):
    graded.levels = [*graded.levels, "Best"]
    graded.save(update_fields=["levels"])
    said = "udm:1/3: no opinion has the level Best, so that the gain of every document is 0"
    for way in ("rankings/", "qrels/"):
        response = researcher.get(f"/api/v1/studies/{graded.slug}/{way}?gains=udm:1/3")
        assert response.status_code == 400
        assert said in response.content.decode()
    page = look(at_desk, f"/studies/{graded.slug}/?gains=udm:1/3")
    assert f"These gains cannot be shown: {said}. Below are the usual ones, linear." in page.text
    assert at_desk.get(f"/studies/{graded.slug}/qrels.trec?gains=udm:1/3").status_code == 404
    with pytest.raises(CommandError, match=said):
        call_command("export", graded.slug, "qrels", "--gains", "udm:1/3")


def test_a_measure_that_does_not_go_with_the_gains_is_a_problem(researcher, graded):
    address = f"/api/v1/studies/{graded.slug}/rankings/?measure=GAP@3&gains="
    assert researcher.get(address + "udm:1/3").status_code == 200
    response = researcher.get(address + "udm:2/3")
    assert response.status_code == 400
    assert "needs M = 1 in udm:M/N" in response.content.decode()


# --- the results page -------------------------------------------------------------------------


@pytest.mark.parametrize("gains", ["exponential", "udm:1/3", "unanimity:0.5"])
def test_the_results_page_shows_other_gains(at_desk, gains, graded):
    for name in reversed(MEASURES):
        asked = "" if name == MEASURES[0] else f"&measure={quote(name)}"
        page = look(at_desk, f"/studies/{graded.slug}/?gains={gains}{asked}")
        ranking = results.ranking(graded, parse(name), gains)
        assert f"systems by {parse(name).title} of the gains {gains}" in page.text
        for system in ranking["results"]:
            assert f"{system['run']} {system['mean']:.4f}" in page.text
    asked = f"?gains={quote(gains)}"
    assert f"/studies/{graded.slug}/ranking.svg{asked}" in page.links
    address = f"/studies/{graded.slug}/share/files/?gains={quote(gains, safe='')}"
    assert address in page.links
    files = look(at_desk, address)
    assert f"qrels and rankings are of the gains {gains}" in files.text
    for file in (f"qrels.trec{asked}", f"rankings.csv{asked}&for=spreadsheet"):
        assert f"/studies/{graded.slug}/{file}" in files.links
    assert f"/studies/{graded.slug}/units.csv?for=spreadsheet" in files.links


def test_the_results_page_has_the_usual_gains_first(at_desk, graded):
    text = at_desk.get(f"/studies/{graded.slug}/").content.decode()
    choices = {
        name: re.findall(r'<option value="([^"]+)"( selected)?>[^<]', unescape(options))
        for name, options in re.findall(r'<select [^>]*name="(\w+)">(.*?)</select>', text)
    }
    assert choices["gains"] == [("linear", " selected"), *((name, "") for name in OF_LEVELS[1:])]
    usual, *others = choices["measure"]
    assert usual == (MEASURES[0], " selected")
    assert not any(selected for _, selected in others)
    assert "of the gains" not in text
    assert "gains=" not in text


@pytest.mark.parametrize("gains", ["none", "magnitude", "udm:3/1"])
def test_gains_that_are_none_leave_the_usual_ones(at_desk, gains, graded):
    page = look(at_desk, f"/studies/{graded.slug}/?gains={gains}")
    assert "These gains cannot be shown: " in page.text
    assert "Below are the usual ones, linear." in page.text
    for file in ("ranking.svg", "qrels.trec"):
        assert at_desk.get(f"/studies/{graded.slug}/{file}?gains={gains}").status_code == 404


def test_files_of_other_gains_say_so(at_desk, graded):
    address = f"/studies/{graded.slug}/"
    rankings = at_desk.get(f"{address}rankings.csv?gains=raw")
    body = b"".join(rankings).decode()
    assert body == "".join(exports.lines(graded, "rankings", "csv", gains="raw"))
    assert "rankings-raw.csv" in rankings["Content-Disposition"]
    plot = at_desk.get(f"{address}ranking.svg?gains=udm:1/3")
    assert "ranking-udm-1-3.svg" in plot["Content-Disposition"]
    assert "@10 of udm:1/3" in plot.content.decode()
    assert "of udm" not in at_desk.get(f"{address}ranking.svg").content.decode()
    units = at_desk.get(f"{address}units.csv?gains=raw")  # which have none
    assert units.status_code == 200
    assert "units.csv" in units["Content-Disposition"]


def test_qrels_are_offered_in_whole_numbers(at_desk, graded):
    page = look(at_desk, f"/studies/{graded.slug}/share/files/?gains=udm:1/3")
    address = f"/studies/{graded.slug}/qrels.trec?gains={quote('udm:1/3')}"
    assert {address, f"{address}&whole=yes"} <= set(page.links)
    exact, whole = (at_desk.get(link) for link in (address, f"{address}&whole=yes"))
    assert "qrels-udm-1-3-x1000.txt" in whole["Content-Disposition"]
    gains, numbers = (
        np.array([line.split()[3] for line in b"".join(answer).decode().splitlines()], float)
        for answer in (exact, whole)
    )
    assert (numbers == np.round(1000 * gains)).all()
    assert (gains % 1).any()


def test_a_new_publication_is_shown(at_desk, graded):
    address = f"/studies/{graded.slug}/?gains=raw"
    before = look(at_desk, address).text
    complete(graded, "one more", random_levels(random.Random(1)), later(1000))
    evaluate(graded)
    after = look(at_desk, address).text
    best = results.ranking(graded, parse(MEASURES[0]), "raw")["results"][0]
    assert f"{best['run']} {best['mean']:.4f}" in after
    assert before != after


def test_the_results_page_ranks_by_any_measure(at_desk, graded):
    address = f"/studies/{graded.slug}/"
    page = look(at_desk, f"{address}?measure=AP@5&gains=linear")
    ranking = results.ranking(graded, parse("AP@5"))
    for system in ranking["results"]:
        assert f"{system['run']} {system['mean']:.4f}" in page.text
    assert "systems by AP at 5" in page.text
    assert not any(f"systems by {parse(name).title}" in page.text for name in MEASURES)
    files = [link for link in page.links if "measure=AP%405" in link]
    assert f"{address}ranking.pdf?measure=AP%405" in files
    rows = b"".join(at_desk.get(f"{address}rankings.csv?measure=AP%405"))
    assert rows.decode() == "".join(exports.lines(graded, "rankings", "csv", measure="AP@5"))
    assert set(re.findall("(?m)^[^,]+,([^,]+),all", rows.decode())) == {"AP@5"}


@pytest.mark.parametrize("measure", ["nDGC@10", "AP@0", "GAP@10", "<b>"])
def test_a_measure_that_is_none_leaves_the_usual_ones(at_desk, measure, graded):
    gains = "udm:2/3" if measure == "GAP@10" else "linear"  # they do not go together
    page = look(at_desk, f"/studies/{graded.slug}/?measure={quote(measure)}&gains={gains}")
    assert "Systems cannot be ranked so: " in page.text
    usual = parse(MEASURES[0])
    assert f". Below is {usual.short}." in page.text
    assert f"systems by {usual.title}" in page.text
    for file in ("ranking.svg", "rankings.csv"):
        address = f"/studies/{graded.slug}/{file}?measure={quote(measure)}&gains={gains}"
        assert at_desk.get(address).status_code == 404
