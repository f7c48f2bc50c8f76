"""Analyses over REST, on the pages of researchers, and in one folder."""

import csv
import re
from collections import Counter
from io import StringIO

import pytest
from django.http import QueryDict
from django.utils.html import escape

from evaluation.analyses import ANALYSES, SECTIONS, of_study, papers, sections_of
from evaluation.cache import part_files, stored
from evaluation.cache.page import Links, prepared
from evaluation.models import CachedAnalysis, Verdict
from evaluation.pages import replication
from evaluation.pipeline import evaluate
from evaluation.presentation import cells
from evaluation.presentation.parts import Result, Table
from judging.departures import AS_IN_PAPER, departures
from judging.models import PooledDocument, Study
from tests.database import there_for_all
from tests.factory import NOON, make_study
from tests.factory.arrays import random_study
from tests.factory.completed import judged_study
from tests.factory.texts import with_texts

pytestmark = pytest.mark.django_db
LINKS = Links("study", frozenset(), "reference")
CSV = {"file_format": "csv"}


@pytest.fixture(scope="module")
def judged(for_all):
    study, _ = judged_study(1, topics=2, units=6)
    evaluate(study)
    return study


@pytest.fixture
def study(judged, db):
    return judged


@pytest.fixture(scope="module")
def results(judged, django_db_blocker):
    """Every analysis of the study, computed once for all tests."""
    with there_for_all(django_db_blocker):
        for name in of_study(judged):
            CachedAnalysis.objects.create(
                study=judged, name=name, label_set="reference", wanted_at=judged.created_at
            )
        assert stored.bring_up_to_date() == len(of_study(judged))
        return list(CachedAnalysis.objects.all())


@pytest.fixture
def computed(study, results):
    CachedAnalysis.objects.bulk_create(results)
    return study


def api(study: Study, path: str = "") -> str:
    return f"/api/v1/studies/{study.slug}/analyses/{path}"


# --- REST -------------------------------------------------------------------------------------
def test_what_there_is_is_listed_with_its_address(researcher, study):
    listed = researcher.get(api(study)).json()
    assert [one["name"] for one in listed] == list(of_study(study))
    assert {one["section"] for one in listed} == set(sections_of(study))
    assert researcher.get(listed[0]["url"]).status_code in (200, 202)
    listed = researcher.get(api(study), {"labels": "reference"}).json()
    assert all(one["url"].endswith("?labels=reference") for one in listed)


def test_an_analysis_is_computed_for_who_asks(researcher, study):
    part = researcher.get(api(study, "spread/ratios/"))
    assert (part.status_code, "not computed yet" in part.json()["detail"]) == (404, True)
    first = researcher.get(api(study, "spread/"))
    assert (first.status_code, first["Retry-After"]) == (202, "2")
    assert (first.json()["waits"], first.json()["parts"]) == (True, [])
    stored.bring_up_to_date()
    found = researcher.get(api(study, "spread/"))
    assert found.status_code == 200
    told = found.json()
    assert (told["current"], told["waits"], told["fault"]) == (True, False, "")
    assert (told["units"], told["crowd"], told["label_set"]) == (6, "people", "reference")
    figure = next(part for part in told["parts"] if part["kind"] == "figure")
    assert len(figure["columns"]) == len(figure["rows"][0])
    assert "svg" not in figure


@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.whole)])
def test_every_part_is_there_in_every_format(researcher, at_desk, computed, every):
    """Asked for is one in so many, and one of each kind: a report draws and sets them all."""
    parts = [
        (row.name, part)
        for row in CachedAnalysis.objects.filter(study=computed)
        for part in stored.all_rows(row)["parts"]
    ]
    begins, kinds = {"svg": b"<svg", "pdf": b"%PDF", "tex": b"% "}, set()
    for number, (name, part) in enumerate(parts):
        table = part_files.written(part, "csv", "people")
        head, *rows = csv.reader(StringIO(table.decode()))
        assert head == [*part["columns"], "crowd"]
        assert len(rows) == len(part["rows"])
        if number % every and part["kind"] in kinds:
            continue
        kinds.add(part["kind"])
        is_live = ANALYSES[name].live is not None  # read from the database, whoever has it already
        of = api(computed, f"{name}/{part['name']}/")
        answer = researcher.get(of, CSV)
        file = at_desk.get(f"/studies/{computed.slug}/analyses/{name}/{part['name']}.csv")
        assert answer.content == file.content == table
        assert f"{computed.slug}-{name}-{part['name']}.csv" in file["Content-Disposition"]
        for written in {"figure": ("svg", "pdf"), "table": ("tex",)}[part["kind"]]:
            drawn = researcher.get(of, {"file_format": written})
            assert drawn.content.startswith(begins[written]), (name, part["name"], written)
            assert is_live or drawn["ETag"] != answer["ETag"]
        assert answer.has_header("ETag") != is_live
        again = researcher.get(of, CSV, headers={"If-None-Match": answer.get("ETag", "")})
        assert again.status_code == (200 if is_live else 304)


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("nothing/", 404, "There is no analysis nothing; there are"),
        ("spread/?labels=gold", 400, "“gold”: expected one of reference"),
        ("spread/?labels=%00", 400, ""),
        ("spread/nothing/", 404, "spread has no part nothing; it has ratios"),
        ("spread/ratios/?labels=%00", 400, ""),
        ("spread/ratios/?file_format=tex", 400, "“tex”: expected one of csv, svg, pdf"),
        ("spread/ratios/?file_format=a%0Ab", 400, ""),
        ("spread/quantiles/?file_format=pdf", 400, "“pdf”: expected one of csv, tex"),
    ],
)
def test_what_cannot_be_had_is_refused_by_name(researcher, computed, path, status, said):
    response = researcher.get(api(computed, path))
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    assert said in response.content.decode()
    whatever = researcher.get(api(computed, path), headers={"If-None-Match": "*"})
    assert whatever.status_code == status


# --- pages ------------------------------------------------------------------------------------
def test_a_page_asks_for_its_analysis_and_the_index_for_all(at_desk, study):
    for path, names in (("profiles/", ["profiles"]), ("", list(of_study(study)))):
        page = at_desk.get(f"/studies/{study.slug}/method/{path}").content.decode()
        assert "aits for its turn" in page
        assert 'data-live="2"' in page
        asked = CachedAnalysis.objects.filter(study=study).values_list("name", flat=True)
        assert sorted(asked) == sorted(names)


@pytest.mark.parametrize("section", sorted(SECTIONS.keys() - {"systems", "model"}))
def test_a_section_has_moved_to_its_place_in_the_index(at_desk, stranger, study, section):
    old, asked = f"/studies/{study.slug}/{section}/", "?labels=reference&run=S1"
    assert at_desk.get(old)["Location"] == f"/studies/{study.slug}/method/#{section}"
    to = at_desk.get(f"{old}{asked}")["Location"]
    assert to == f"/studies/{study.slug}/method/{asked}#{section}"
    assert f'id="{section}"' in at_desk.get(to).content.decode()
    assert stranger.get(old)["Location"] == f"/login/?next={old}"


def test_the_index_has_each_finding_and_leads_to_its_analysis(at_desk, computed):
    address = f"/studies/{computed.slug}/method/"
    page = at_desk.get(address).content.decode()
    assert "data-live" not in page
    for row in CachedAnalysis.objects.filter(study=computed):
        assert row.finding
        assert row.numbers == row.result["numbers"]
        assert escape(row.finding) in page
        assert f'href="{address}{row.name}/"' in page
    groups, end = page.split('id="rest"')
    assert "The collection has no other study with results to compare with" in end
    assert "The collection has no other study with results to compare with" not in groups
    assert "only imported labels can be on several aspects of a document" in end
    alone = at_desk.get(f"{address}internal/").content.decode()
    assert 'id="internal-by-topic"' in alone
    assert f'href="{address}levels/" rel="next"' in alone
    nothing = at_desk.get(f"{address}nothing/")
    assert nothing.status_code == 404
    assert "There is no analysis “nothing”" in nothing.content.decode()
    assert f'href="{address}levels/"' in nothing.content.decode()
    labelled = at_desk.get(f"{address}?labels=reference").content.decode()
    assert f'href="/studies/{computed.slug}/?labels=reference"' in labelled


def test_the_papers_places_stand_beside_ours(at_desk, computed):
    """Every part that names a figure or table of a paper is at that place, and the other way."""
    shorts = {
        "": papers.MAGNITUDES,
        " of Demeester and others, WSDM 2014": papers.DISAGREEMENT,
        " of De Beer and Moens, SIGIR 2006": papers.PREFERENCES,
        " of Smucker and Clarke, SIGIR 2012": papers.TIME,
        " of Sakai, EVIA 2017": papers.UNANIMITY,
    }
    there = {
        (place.name, paper, place.analysis) for paper in papers.PAPERS for place in paper.places
    }
    too_small_for = (
        *("subruns", "resampling", "prediction", "mappings", "reader", "reading", "consistency"),
        *("preferences", "power", "unanimity", "robustness"),
    )
    others = {("Table 2", "definitions"), ("Table 3", "significance")}  # shown again elsewhere
    for row in CachedAnalysis.objects.filter(study=computed):
        for part in row.result["parts"]:
            name, of, paper = part["source"].partition(" of ")
            if name.startswith(("Figure", "Table")) and (name, row.name) not in others:
                expected = (name, shorts[(of + paper).split(", of times")[0]], row.name)
                assert expected in there, part["source"]
    page = at_desk.get(f"/studies/{computed.slug}/replication/").content.decode()
    for paper in papers.PAPERS:
        for place in paper.places:
            assert escape(place.shows) in page
            if place.analysis in ANALYSES:
                kept = CachedAnalysis.objects.filter(study=computed, name=place.analysis).first()
                unknown = set(place.parts) - set(kept.titles if kept else place.parts)
                assert not unknown or place.analysis in too_small_for, place
    assert "levels/#levels-all-topics" in page


def test_the_replication_says_where_the_study_departs_from_the_paper(at_desk, computed):
    address = f"/studies/{computed.slug}/replication/"
    page = at_desk.get(address).content.decode()
    listed = departures(computed)
    assert f"in {len(listed)} settings:" in page
    for each in listed:
        assert f"<li>{each.label}: {each.value} (in the paper: {each.paper_value})</li>" in page
    Study.objects.filter(pk=computed.pk).update(**AS_IN_PAPER)
    page = at_desk.get(address).content.decode()
    assert "(in the paper:" not in page
    assert "protocol are those of the paper on magnitudes." in page


def test_artificial_workers_are_not_held_against_the_papers_people(at_desk, computed):
    address = f"/studies/{computed.slug}/replication/"
    assert escape(papers.RESEMBLANCE) not in at_desk.get(address).content.decode()
    assert "comparisons are in" in at_desk.get(address).content.decode()
    Study.objects.filter(pk=computed.pk).update(crowd=Study.Crowd.ARTIFICIAL)
    page = at_desk.get(address).content.decode()
    assert page.count(escape(papers.RESEMBLANCE)) == 1
    theirs = [place.theirs for paper in papers.PAPERS for place in paper.places if place.theirs]
    assert not [text for text in theirs if escape(text) in page]
    for words in ("same quantity", "other quantity", "Difference", "comparisons are in"):
        assert words not in page
    rows = list(csv.DictReader(StringIO(at_desk.get(f"{address[:-1]}.csv").content.decode())))
    assert {row["papers_value"] for row in rows} == {""}


def test_the_replication_counts_the_states_and_what_lies_within(at_desk, computed):
    response = at_desk.get(f"/studies/{computed.slug}/replication/")
    pairs = [pair for _, pairs, _ in response.context["groups"] for pair in pairs]
    states = Counter(pair.state for pair in pairs)
    page = response.content.decode()
    assert states.keys() == {"same quantity", "other quantity", "none"}
    said = [f"{states['same quantity']} have the same quantity here"]
    said += [f"{states['other quantity']} another one, {states['none']} none"]
    assert not [text for text in said if text not in page]
    compared = [of for pair in pairs for of in pair.compared]
    assert not any(of.interval for of in compared)  # on two topics
    assert f"{len(compared)} numbers of the papers stand beside the same quantity" in page
    assert f"All {len(compared)} comparisons are in" in page


def test_comparisons_are_a_file(at_desk, stranger, computed):
    address = f"/studies/{computed.slug}/replication.csv"
    rows = list(csv.DictReader(StringIO(at_desk.get(address).content.decode())))
    places = [(paper.short, place.name) for paper in papers.PAPERS for place in paper.places]
    assert list(dict.fromkeys((row["paper"], row["place"]) for row in rows)) == places
    with_values = [row for row in rows if row["value"]]
    assert with_values
    for row in with_values:
        difference = float(row["value"]) - float(row["papers_value"])
        assert float(row["difference"]) == pytest.approx(difference)
        assert row["state"] == "same quantity"
    assert stranger.get(address)["Location"] == f"/login/?next={address}"


def test_pictures_of_the_replication_lead_to_their_analysis(at_desk, computed):
    page = at_desk.get(f"/studies/{computed.slug}/replication/").content.decode()
    levels = f"/studies/{computed.slug}/method/levels/"
    assert f'<a href="{levels}#levels-all-topics"><span role="img"' in page
    large = f"/studies/{computed.slug}/analyses/levels/all-topics.svg"
    assert f'href="{large}"' in page
    assert at_desk.get(large).content.decode().startswith("<svg")
    assert len(page) < 300_000


def test_verdicts_stand_beside_the_papers(computed):
    place = next(place for _, place in papers.places_of("differences"))
    kept = {"differences": CachedAnalysis.objects.get(study=computed, name="differences")}
    without = replication.pair(computed, place, kept)
    assert without.state in (replication.OTHER, replication.NONE)
    documents = PooledDocument.objects.filter(study_topic__study=computed)[:4]
    for document, finding in zip(documents, ("labels", "crowd", "topic", "crowd"), strict=True):
        Verdict.objects.create(
            document=document, label_set="reference", finding=finding, at=computed.created_at
        )
    kept["differences"].titles = {"documents": "Documents that differ"}
    ours = replication.pair(computed, place, kept)
    assert ours.is_same
    shares = {of.quantity: of.ours.text for of in ours.compared}
    assert shares == {"labels wrong": "25.0%", "crowd wrong": "50.0%", "topic unclear": "25.0%"}


def test_a_place_of_a_paper_has_its_own_number_of_ours():
    """No two places of one paper repeat each other's sentence."""
    data = with_texts(random_study(topics=7, units=20))
    kept = {}
    for name in ("unanimity", "reading"):
        result = ANALYSES[name].of(data)
        titles = {part["name"]: part["says"] for part in result["parts"]}
        kept[name] = CachedAnalysis(
            name=name,
            titles=titles,
            numbers=result["numbers"],
            finding=ANALYSES[name].finding(result),
            computed_at=NOON,
        )
    for paper in (papers.UNANIMITY, papers.TIME):
        ours = [
            (*one.ours, *one.compared)
            for place in paper.places
            if place.analysis in kept
            for one in [replication.pair(data.study, place, kept)]
        ]
        assert len(set(ours)) == len(ours), ours
    of_table_2 = replication.pair(data.study, papers.UNANIMITY.places[1], kept)
    numbers = kept["unanimity"].numbers
    taus = [numbers[f"tau_{by}_UG, p = 0.2"] for by in ("nG@1", "P+@10", "nERR@10")]
    assert [of.ours.number for of in of_table_2.compared] == [min(taus)]
    line = replication.pair(data.study, papers.TIME.places[1], kept).ours[0]
    assert "T_D(l) = " in line


def test_what_is_asked_goes_along_to_every_analysis(at_desk, computed):
    index = f"/studies/{computed.slug}/method/"
    asked = "?measure=AP%4010&gains=udm%3A1%2F3&labels=reference&run=S1"
    page = at_desk.get(f"{index}{asked}&sort=x").content.decode()
    kept = escape(asked)
    for name in of_study(computed):
        assert f'href="{index}{name}/{kept}"' in page
    significance = CachedAnalysis.objects.filter(study=computed, name="significance")
    assert significance.exclude(asked="").get().asked == "measure=AP%4010&gains=udm%3A1%2F3"
    assert CachedAnalysis.objects.filter(study=computed, name="internal").count() == 1
    alone = at_desk.get(f"{index}internal/{asked}").content.decode()
    assert "The measure and the gains that you chose do not change this analysis." in alone
    assert f'href="{index}levels/{kept}" rel="next"' in alone
    assert 'value="udm:1/3"' in alone
    for path in ("", "internal/", "significance/"):
        wrong = at_desk.get(f"{index}{path}?measure=foo").content.decode()
        assert "measure “foo”: " in wrong
        assert 'aria-describedby="ask-measure-error"' in wrong


def test_an_analysis_shows_every_part(at_desk, computed):
    for row in CachedAnalysis.objects.filter(study=computed):
        page = at_desk.get(f"/studies/{computed.slug}/method/{row.name}/").content.decode()
        assert "data-live" not in page
        assert "aits for its turn" not in page
        assert "could not be computed" not in page
        for part in row.result["parts"]:
            assert f'id="{row.name}-{part["name"]}"' in page


def test_each_figure_has_its_title_and_tables_of_up_to_12_rows_stand_open(at_desk, computed):
    parts = {}
    for name in ("significance", "internal", "enough", "workers", "order"):
        response = at_desk.get(f"/studies/{computed.slug}/method/{name}/")
        parts |= {part.id: part for part in response.context["result"]["parts"]}
        text = response.content.decode()
        figures = re.findall(r'<figure class="plot" id="[^"]+">\s*<h2>([^<]+)</h2>', text)
        assert len(figures) == text.count("<figure")
        assert all(figures)
    tables = [part for part in parts.values() if part.content["kind"] == "table"]
    long = [part for part in tables if part.of > 12 and not part.content["page"]]
    assert [part for part in tables if part.is_folded] == long
    assert len(tables) > len(long) > 0


def test_a_study_without_a_unit_says_so(at_desk):
    study = make_study()
    at_desk.get(f"/studies/{study.slug}/method/")
    stored.bring_up_to_date()
    for path in ("", *(f"{name}/" for name in of_study(study))):
        page = at_desk.get(f"/studies/{study.slug}/method/{path}").content.decode()
        assert "No unit is completed yet" in page
    assert not CachedAnalysis.objects.exclude(fault="").exists()


@pytest.mark.parametrize(
    "path",
    [
        *("method/?labels=gold", "method/?labels=%00", "method/spread/?labels=gold"),
        *("analyses/spread/ratios.csv", "analyses/spread/ratios.csv?labels=%00"),
        *("analyses/nothing/ratios.csv", "analyses/spread/ratios.exe"),
    ],
)
def test_addresses_of_nothing_are_not_found_and_strangers_see_none(at_desk, client, study, path):
    assert at_desk.get(f"/studies/{study.slug}/{path}").status_code == 404
    assert client.get(f"/studies/{study.slug}/{path}")["Location"].startswith("/login/")


# --- tables and links -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", [None, "b", 3, 10]),
        ("numbers-t.sort=0", [3, 10, "b", None]),
        ("numbers-t.sort=-0", ["b", 10, 3, None]),
        ("numbers-t.sort=7", [None, "b", 3, 10]),
        ("other-t.sort=0", [None, "b", 3, 10]),
        ("numbers-t.sort=x", [None, "b", 3, 10]),
    ],
)
def test_a_table_is_sorted_as_its_address_asks(sort, expected):
    table = Table("t", "Things", ("thing",), [(one,) for one in (None, "b", 3, 10)])
    result = Result(["Said."], [table]).to_json()
    (part,) = prepared("numbers", result, QueryDict(sort), LINKS)["parts"]
    assert [cell.text for (cell,) in part.rows] == [cells.cell(one) for one in expected]


def test_what_a_table_names_leads_to_its_page(at_desk, computed):
    links = {
        "workers": "/monitor/workers/worker-00/",
        "internal": "/topics/401/",
        "differences": "/differences/401/D401-",
        "significance": "/systems/run-",
        "spread": "/topics/401/documents/D401-",
        "distributions": "/topics/402/",
    }
    for name, end in links.items():
        page = at_desk.get(f"/studies/{computed.slug}/method/{name}/").content.decode()
        found = re.search(rf'<a href="(/studies/{computed.slug}{end}[^"?]*)', page)
        assert found, name
        assert at_desk.get(found[1]).status_code == 200
        assert "/topics/all" not in page


def test_a_huge_number_is_a_real_everywhere(researcher, study):
    result = {"large": 1e60, "whole": 12345, "small": 1e-9}
    row = CachedAnalysis.objects.create(
        study=study, name="spread", label_set="reference", result=result
    )
    row.refresh_from_db()
    assert {name: repr(value) for name, value in row.result.items()} == {
        name: repr(value) for name, value in result.items()
    }


def test_a_long_table_is_cut_on_its_page_and_whole_in_its_file(
    at_desk, researcher, study, monkeypatch
):
    monkeypatch.setattr("evaluation.cache.stored.MOST_ROWS", 5)
    monkeypatch.setattr("evaluation.cache.page.FOLDED_ROWS", 3)
    CachedAnalysis.objects.create(
        study=study, name="spread", label_set="reference", wanted_at=study.created_at
    )
    stored.bring_up_to_date()
    row = CachedAnalysis.objects.get(study=study, name="spread")
    (part,) = [one for one in row.result["parts"] if one["name"] == "geometric-sd"]
    assert len(part["rows"]) == 5 < part["n"]
    page = at_desk.get(f"/studies/{study.slug}/method/spread/").content.decode()
    assert f"<span>1 to 3 of {part['n']}</span>" in page
    assert 'href="?spread-geometric-sd.page=2#spread-geometric-sd" rel="next"' in page
    second = at_desk.get(f"/studies/{study.slug}/method/spread/?spread-geometric-sd.page=2")
    assert f"<span>4 to 6 of {part['n']}</span>" in second.content.decode()
    told = researcher.get(api(study, "spread/")).json()
    (whole,) = [one for one in told["parts"] if one["name"] == "geometric-sd"]
    assert len(whole["rows"]) == whole["n"] == part["n"]
    largest = max(one[4] for one in whole["rows"])
    ordered = at_desk.get(f"/studies/{study.slug}/method/spread/?spread-geometric-sd.sort=-4")
    assert cells.cell(largest) in ordered.content.decode()
