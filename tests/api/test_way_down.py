"""From a ranking down by links: systems, topics, documents; numbers as the exports have them."""

import csv
import io
import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urljoin, urlparse

import numpy as np
import pytest
import scipy
from django.test import Client
from django.urls import reverse

from evaluation.cache import stored
from evaluation.pipeline import MEASURES, evaluate
from judging.collections import vocabulary
from judging.collections.cleaning import clean_text
from judging.models import Document, PooledDocument, Run, Study
from judging.studies import table_one
from tests.api import html
from tests.api.html import Page
from tests.desks import body_of
from tests.factory.completed import busy_study, judged_study
from web.text import natural

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(for_all):
    study, _ = judged_study(3, topics=7, units=16)
    evaluate(study)
    return study


@pytest.fixture
def study(judged, db):
    return judged


@pytest.fixture
def tested(study, at_desk):
    """With the test of all pairs."""
    at_desk.get(reverse("systems", args=[study.slug]))
    assert stored.bring_up_to_date() == 1
    return study


def look(client: Client, name: str, *parts: str, **query: str) -> Page:
    return html.look(client, reverse(name, args=parts), **query)


def exported(client: Client, study: Study, table: str) -> list[dict[str, str]]:
    response = client.get(f"/studies/{study.slug}/{table}.csv")
    return list(csv.DictReader(io.StringIO(body_of(response).decode())))


def measured(client: Client, study: Study) -> list[dict[str, str]]:
    """The exported values of the first measure, means among them."""
    return [row for row in exported(client, study, "rankings") if row["measure"] == MEASURES[0]]


def exported_gains(client: Client, study: Study) -> dict[tuple[str, str], float]:
    return {
        (row["query_id"], row["doc_id"]): float(row["relevance"])
        for row in exported(client, study, "qrels")
    }


def listed(run: Run, query_id: str, depth: int) -> list[str]:
    """The first documents of a run's list on a topic, as it was imported."""
    ranked = run.lists.filter(topic__query_id=query_id).first()
    codes = vocabulary.codes(ranked.codes)[:depth].tolist() if ranked else []
    ids = vocabulary.read(run.collection.topics.get(query_id=query_id))
    return [ids[code] for code in codes]


def first_topic(study: Study) -> str:
    return study.topics.select_related("topic").first().topic.query_id


# --- systems ----------------------------------------------------------------------------------
def test_the_ranking_has_the_exported_means_and_leads_to_each(at_desk, tested):
    page = look(at_desk, "systems", tested.slug)
    rows = [row for row in measured(at_desk, tested) if row["query_id"] == "all"]
    assert len(rows) == 6
    for row in rows:
        assert f"{float(row['value']):.4f}" in page.text
        assert reverse("system", args=[tested.slug, row["run"]]) in page.links
    assert "Too early to rank" in page.text
    assert "more than" not in page.text  # nobody is told from the best yet


def test_before_the_test_is_computed_nothing_is_said_to_differ(at_desk, study):
    page = look(at_desk, "systems", study.slug).text
    assert "being computed" in page
    assert "told from" not in page
    page = look(at_desk, "systems", study.slug, measure="foo").text
    assert "Systems cannot be ranked so: measure “foo”" in page


def test_few_topics_cannot_say(at_desk):
    few, _ = judged_study(4, topics=2, units=6)
    evaluate(few)
    at_desk.get(reverse("systems", args=[few.slug]))
    stored.bring_up_to_date()
    page = look(at_desk, "systems", few.slug).text
    assert "Too few topics to say which systems differ" in page
    assert " to 0." not in page  # no interval


@pytest.mark.parametrize("measure", ["ERR@10", "AP", "P@5"])
def test_another_measure_goes_along_to_the_systems(at_desk, study, measure):
    page = look(at_desk, "systems", study.slug, measure=measure)
    (link, *_) = [link for link in page.links if "/systems/run" in link]
    assert link.endswith(f"?measure={measure.replace('@', '%40')}")
    assert at_desk.get(link).status_code == 200


def test_a_system_has_its_exported_value_on_every_topic(at_desk, study):
    rows = measured(at_desk, study)
    run = rows[0]["run"]
    page = look(at_desk, "system", study.slug, run)
    by_topic = {row.query_id: row for row, _ in page.context["drawn"]}
    own = {row["query_id"]: row for row in rows if row["run"] == run}
    assert by_topic.keys() == own.keys() - {"all"}
    for query_id, shown in by_topic.items():
        of_all = [float(row["value"]) for row in rows if row["query_id"] == query_id]
        assert shown.value == float(own[query_id]["value"])
        assert shown.place == int(own[query_id]["rank"])
        assert shown.best == max(of_all)


def test_unjudged_documents_are_those_without_a_gain(at_desk, study):
    qrels = exported_gains(at_desk, study).keys()
    for run in Run.objects.filter(collection=study.collection):
        shown = look(at_desk, "system", study.slug, run.tag).context
        unjudged = {(row.query_id, doc_id) for row, doc_id in shown["unjudged_named"]}
        assert not unjudged & qrels
        share = next(row.judged for row in shown["systems"] if row.run == run.tag)
        assert (share == 1) == (not unjudged)


def test_two_systems_differ_as_their_exported_values(at_desk, tested):
    rows = measured(at_desk, tested)
    one, other = sorted({row["run"] for row in rows})[:2]
    page = look(at_desk, "against", tested.slug, one, other)
    values = {(row["run"], row["query_id"]): float(row["value"]) for row in rows}
    shown = {row.query_id: row.difference for row, _ in page.context["drawn"]}
    assert shown == {
        query_id: values[one, query_id] - values[other, query_id] for query_id in shown
    }
    differences = np.array([*shown.values()])
    low, high = scipy.stats.ttest_1samp(differences, 0).confidence_interval()
    mean = page.context["mean"]
    assert (mean.difference, mean.low, mean.high) == pytest.approx((differences.mean(), low, high))
    assert page.context["differ"] is None  # units are still to be done


def test_documents_of_a_comparison_have_their_ranks(at_desk, study):
    one, other = Run.objects.filter(collection=study.collection).order_by("tag")[:2]
    rows = look(at_desk, "against", study.slug, one.tag, other.tag).context["documents"].rows
    assert rows
    gains = exported_gains(at_desk, study)
    for row in rows:
        assert row.gain == gains[row.query_id, row.doc_id]
        for run, rank in ((one, row.one), (other, row.other)):
            ids = listed(run, row.query_id, 10)
            assert (ids.index(row.doc_id) + 1 if row.doc_id in ids else None) == rank


def test_a_list_leads_to_a_comparison(at_desk, study):
    one, other = Run.objects.filter(collection=study.collection).order_by("tag")[:2]
    where = reverse("system", args=[study.slug, one.tag])
    response = at_desk.get(where, {"with": other.tag, "measure": "AP"})
    assert response.status_code == 302
    assert response["Location"] == f"{where}against/{other.tag}/?measure=AP"
    for nobody in ("nothing", one.tag):
        assert at_desk.get(where, {"with": nobody}).status_code == 200
        assert at_desk.get(f"{where}against/{nobody}/").status_code == 404


# --- from a figure to its rows ----------------------------------------------------------------
def figure_links(client: Client, where: str) -> list[tuple[str, str]]:
    """The links of a page whose text is a number: text and address."""
    page = client.get(where).content.decode()
    found = re.findall(r'<a href="([^"]+)"[^>]*>([\d.,]+%?)</a>', page)
    return [(text, unescape(urljoin(where, address))) for address, text in found]


def rows_behind(client: Client, address: str, name: str) -> list[Any]:
    """All rows of a list that an address leads to, page by page."""
    rows: list[Any] = []
    while address:
        response = client.get(address)
        assert response.status_code == 200
        rows += response.context[name].rows
        after = response.context[name].after
        address = urljoin(address, after) if after else ""
    return rows


def test_every_number_that_is_a_link_leads_somewhere(at_desk, tested):
    at, query_id = f"/studies/{tested.slug}/", "401"
    one, other = Run.objects.filter(collection=tested.collection).order_by("tag")[:2]
    places: dict[str, set[str]] = {}
    for where in (
        *(f"{at}{path}" for path in ("", "systems/", "topics/", "monitor/", "monitor/workers/")),
        reverse("system", args=[tested.slug, one.tag]),
        reverse("against", args=[tested.slug, one.tag, other.tag]),
        reverse("topic", args=[tested.slug, query_id]),
        reverse("monitor-topic", args=[tested.slug, query_id]),
    ):
        links = figure_links(at_desk, where)
        assert links or "/monitor/topics/" in where, where
        for _, address in links:
            path, _, place = address.partition("#")
            places.setdefault(path, set()).add(place)
    for path, of_path in places.items():
        page = at_desk.get(path).content.decode()
        assert page
        for place in of_path - {""}:
            assert f'id="{place}"' in page, (path, place)


def test_a_mean_leads_to_the_values_by_topic_that_it_is_the_mean_of(at_desk, tested):
    links = figure_links(at_desk, reverse("systems", args=[tested.slug]))
    means = [(text, address) for text, address in links if address.endswith("/#topics")]
    assert len(means) == 6
    for text, address in means:
        values = [row.value for row in rows_behind(at_desk, address, "list")]
        assert f"{np.mean(values):.4f}" == text


@pytest.mark.parametrize("measure", ["nDCG(dcg='jk')@10", "P@5"])
def test_a_value_leads_to_the_list_that_it_is_measured_on(at_desk, study, measure):
    run = Run.objects.filter(collection=study.collection).order_by("tag")[0]
    shown = look(at_desk, "system", study.slug, run.tag, measure=measure).context
    depth = shown["depth"]
    # Rank 2 is not discounted in Järvelin's and Kekäläinen's form.
    by = 1 / np.maximum(1, np.log2(np.arange(1, depth + 1)))
    for row, _ in shown["drawn"]:
        page = look(at_desk, "system-on-topic", study.slug, run.tag, row.query_id, measure=measure)
        assert f"{row.value:.4f}" in page.text
        rows = page.context["rows"]
        assert [one.doc_id for one, _ in rows] == listed(run, row.query_id, depth)
        if measure != "P@5" and len(rows) == depth:
            gains = np.array([one.gain or 0.0 for one, _ in rows])
            best = np.array([ideal or 0.0 for _, ideal in rows])
            assert row.value == pytest.approx((gains @ by) / (best @ by))


def test_numbers_of_a_topic_are_those_of_its_units(at_desk, study):
    where = reverse("topics", args=[study.slug])
    look(at_desk, "topics", study.slug)
    stored.bring_up_to_date()
    topics = {row.query_id: row for row in at_desk.get(where).context["list"].rows}
    checked = set()
    for text, address in figure_links(at_desk, where):
        if not address.endswith("#units"):
            continue
        units = rows_behind(at_desk, address, "units")
        seconds = [each for unit in units for each in unit.seconds]
        shares = [unit.agreement for unit in units if unit.agreement is not None]
        figures = {
            "unit": str(len(seconds)),
            "agreement": f"{np.mean(shares):.3f}" if shares else "",
            "-seconds": f"{np.median(seconds):.1f}",
        }
        (kind,) = parse_qs(urlparse(address).query)["units-sort"]
        assert figures[kind] == text, address
        checked.add((address.split("/topics/")[1].split("/")[0], kind))
    assert len(checked) == sum(2 + (row.agreement is not None) for row in topics.values())


def test_cells_of_table_one_lead_to_as_many_units(at_desk, study):
    links = figure_links(at_desk, reverse("results", args=[study.slug]))
    cells = [(text, address) for text, address in links if address.endswith("#units")]
    total = table_one.total(table_one.table1(study))
    counted: dict[str, int] = {}
    for text, address in cells:
        units = rows_behind(at_desk, address, "units")
        assert len(units) == int(text), address
        option = urlparse(address).query
        counted[option] = counted.get(option, 0) + len(units)
    assert counted["units-of=plan"] == total["completed"]
    assert counted["units-back=0"] == total["back_0"]
    assert counted.get("units-failed=2%2B", 0) == total["fail_2plus"]


def test_a_gain_leads_to_the_scores_that_it_is_the_median_of(at_desk, study):
    query_id = first_topic(study)
    where = reverse("topic", args=[study.slug, query_id])
    for row in rows_behind(at_desk, where, "list")[:8]:
        address = reverse("judged-document", args=[study.slug, query_id, row.doc_id])
        scores = rows_behind(at_desk, address, "list")
        assert len(scores) == len(row.scores)
        if row.gain is not None:
            assert row.gain == pytest.approx(np.median([score.normalised for score in scores]))


def test_a_rate_leads_to_the_failures_that_it_counts(at_desk):
    study = busy_study()
    rows = at_desk.get(reverse("topics", args=[study.slug])).context["list"].rows
    assert sum(row.failed.failures for row in rows) == 1
    for row in rows:
        where = reverse("monitor-topic", args=[study.slug, row.query_id])
        newest = [a for _, a in figure_links(at_desk, where) if "check=anchors" in a]
        assert bool(newest) == bool(row.failed and row.failed.failures)
        for address in newest:
            failures = at_desk.get(address.partition("#")[0]).context["newest"]
            assert len(failures) == row.failed.failures


# --- topics and documents ---------------------------------------------------------------------
def test_topics_have_their_counts_in_natural_order(at_desk, study):
    look(at_desk, "topics", study.slug)
    stored.bring_up_to_date()
    rows = look(at_desk, "topics", study.slug).context["list"].rows
    judgments = exported(at_desk, study, "judgments")
    assert [row.query_id for row in rows] == sorted(
        {row["query_id"] for row in judgments}, key=natural
    )
    values = measured(at_desk, study)
    for row in rows:
        assert row.judgments == sum(one["query_id"] == row.query_id for one in judgments)
        of_topic = [float(one["value"]) for one in values if one["query_id"] == row.query_id]
        assert row.mean == pytest.approx(sum(of_topic) / len(of_topic))
        assert row.failed.tries > 0
    assert any(row.alpha is not None for row in rows)


def test_a_topic_has_the_exported_gains_and_scores(at_desk, study):
    gains = exported_gains(at_desk, study)
    judgments = exported(at_desk, study, "judgments")
    for topic in study.topics.select_related("topic"):
        query_id = topic.topic.query_id
        page = look(at_desk, "topic", study.slug, query_id)
        assert reverse("monitor-topic", args=[study.slug, query_id]) in page.links
        rows = [row for row, _ in page.context["drawn"]]
        known = [row.gain for row in rows if row.gain is not None]
        assert known == sorted(known, reverse=True)
        assert {row.doc_id: row.gain for row in rows if row.gain is not None} == {
            doc_id: gain for (of, doc_id), gain in gains.items() if of == query_id
        }
        for row in rows:
            given = [
                float(one["normalised"])
                for one in judgments
                if (one["query_id"], one["doc_id"]) == (query_id, row.doc_id)
            ]
            assert row.scores == sorted(given)


def test_a_document_has_every_score_and_leads_to_the_workers(at_desk, study):
    judgments = exported(at_desk, study, "judgments")
    (query_id, doc_id) = judgments[0]["query_id"], judgments[0]["doc_id"]
    page = look(at_desk, "judged-document", study.slug, query_id, doc_id)
    own = [one for one in judgments if (one["query_id"], one["doc_id"]) == (query_id, doc_id)]
    assert f"{len(own)} score" in page.text
    for one in own:
        link = reverse("monitor-worker", args=[study.slug, one["worker"]])
        assert any(address.startswith(f"{link}#unit-") for address in page.links)
        assert one["justification"] in page.text
    assert f"Text of {doc_id}." in page.text


def test_from_document_to_document_by_gain(at_desk, study):
    query_id = first_topic(study)
    drawn = look(at_desk, "topic", study.slug, query_id).context["drawn"]
    ids = [row.doc_id for row, _ in drawn]
    for before, doc_id, after in zip(ids, ids[1:], ids[2:], strict=False):
        page = look(at_desk, "judged-document", study.slug, query_id, doc_id)
        for other in (before, after):
            assert reverse("judged-document", args=[study.slug, query_id, other]) in page.links


def test_a_text_on_the_way_down_cannot_do_harm(at_desk, study):
    document = PooledDocument.objects.filter(study_topic__study=study).select_related(
        "study_topic__topic"
    )[0]
    harmful = "<p>good</p><script>bad()</script>"
    Document.objects.filter(pk=document.document_id).update(
        title="<b>bold</b>", text=harmful, is_html=True, cleaned=clean_text(harmful, is_html=True)
    )
    of = [study.slug, document.study_topic.topic.query_id]
    for page in (
        look(at_desk, "topic", *of),
        look(at_desk, "judged-document", *of, document.doc_id),
    ):
        assert "&lt;b&gt;bold" in page.html
        assert "<b>bold" not in page.html
        assert "bad()" not in page.html
    assert "<p>good</p>" in page.html


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        *(("system", ["nothing"]), ("topic", ["none"])),
        *(("judged-document", ["401", "none"]), ("judged-document", ["x", "y"])),
    ],
)
def test_what_there_is_not_is_not_found(at_desk, study, name, parts):
    assert at_desk.get(reverse(name, args=[study.slug, *parts])).status_code == 404
