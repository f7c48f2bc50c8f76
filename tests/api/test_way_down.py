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

from evaluation.pipeline import MEASURES, evaluate
from evaluation.store import keeping
from judging.collections import vocabulary
from judging.collections.cleaning import clean_text
from judging.models import Document, PooledDocument, Run, Study
from judging.studies import table_one
from tests.api.html import Page
from tests.factory.completed import busy_study, judged_study
from web.text import natural

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(for_all: None) -> Study:
    study, _ = judged_study(3, topics=7, units=16)
    evaluate(study)
    return study


@pytest.fixture
def study(judged: Study, db: None) -> Study:
    return judged


@pytest.fixture
def tested(study: Study, at_desk: Client) -> Study:
    """With the test of all pairs."""
    at_desk.get(reverse("systems", args=[study.slug]))
    assert keeping.bring_up_to_date() == 1
    return study


def look(client: Client, name: str, *parts: str, **query: str) -> Page:
    response = client.get(reverse(name, args=parts), query)
    assert response.status_code == 200
    page = Page(response.content.decode())
    assert page.faults == []
    return page


def exported(client: Client, study: Study, table: str) -> list[dict[str, str]]:
    response = client.get(f"/studies/{study.slug}/{table}.csv")
    return list(csv.DictReader(io.StringIO(b"".join(response).decode())))  # type: ignore[call-overload]


# --- systems ----------------------------------------------------------------------------------
def test_the_ranking_has_the_exported_means_and_leads_to_each(
    at_desk: Client, tested: Study
) -> None:
    page = look(at_desk, "systems", tested.slug)
    rows = [
        row
        for row in exported(at_desk, tested, "rankings")
        if row["query_id"] == "all" and row["measure"] == MEASURES[0]
    ]
    assert len(rows) == 6
    for row in rows:
        assert f"{float(row['value']):.4f}" in page.text
        assert reverse("system", args=[tested.slug, row["run"]]) in page.links
    assert "Too early to rank" in page.text
    assert "more than" not in page.text  # nobody is told from the best yet


def test_before_the_test_is_computed_nothing_is_said_to_differ(
    at_desk: Client, study: Study
) -> None:
    page = look(at_desk, "systems", study.slug).text
    assert "being computed" in page
    assert "told from" not in page


def test_few_topics_cannot_say(at_desk: Client) -> None:
    few, _ = judged_study(4, topics=2, units=6)
    evaluate(few)
    at_desk.get(reverse("systems", args=[few.slug]))
    keeping.bring_up_to_date()
    page = look(at_desk, "systems", few.slug).text
    assert "Too few topics to say which systems differ" in page
    assert " to 0." not in page  # no interval


@pytest.mark.parametrize("measure", ["ERR@10", "AP", "P@5"])
def test_another_measure_goes_along_to_the_systems(
    at_desk: Client, study: Study, measure: str
) -> None:
    page = look(at_desk, "systems", study.slug, measure=measure)
    (link, *_) = [link for link in page.links if "/systems/run" in link]
    assert link.endswith(f"?measure={measure.replace('@', '%40')}")
    assert at_desk.get(link).status_code == 200


def test_a_measure_there_is_not_is_refused_by_name(at_desk: Client, study: Study) -> None:
    page = look(at_desk, "systems", study.slug, measure="foo").text
    assert "Systems cannot be ranked so: measure “foo”" in page


def test_a_system_has_its_exported_value_on_every_topic(at_desk: Client, study: Study) -> None:
    rows = [row for row in exported(at_desk, study, "rankings") if row["measure"] == MEASURES[0]]
    run = rows[0]["run"]
    response = at_desk.get(reverse("system", args=[study.slug, run]))
    by_topic = {row.query_id: row for row, _ in response.context["drawn"]}
    own = {row["query_id"]: row for row in rows if row["run"] == run}
    assert by_topic.keys() == own.keys() - {"all"}
    for query_id, shown in by_topic.items():
        of_all = [float(row["value"]) for row in rows if row["query_id"] == query_id]
        assert shown.value == float(own[query_id]["value"])
        assert shown.place == int(own[query_id]["rank"])
        assert shown.best == max(of_all)


def test_unjudged_documents_are_those_without_a_gain(at_desk: Client, study: Study) -> None:
    qrels = {(row["query_id"], row["doc_id"]) for row in exported(at_desk, study, "qrels")}
    for run in Run.objects.filter(collection=study.collection):
        response = at_desk.get(reverse("system", args=[study.slug, run.tag]))
        listed = [(row.query_id, doc_id) for row, doc_id in response.context["unjudged_named"]]
        assert not {*listed} & qrels
        share = next(row.judged for row in response.context["systems"] if row.run == run.tag)
        assert (share == 1) == (not listed)


def test_a_system_there_is_not_is_not_found(at_desk: Client, study: Study) -> None:
    response = at_desk.get(reverse("system", args=[study.slug, "nothing"]))
    assert response.status_code == 404


def test_two_systems_differ_as_their_exported_values(at_desk: Client, tested: Study) -> None:
    rows = [row for row in exported(at_desk, tested, "rankings") if row["measure"] == MEASURES[0]]
    one, other = sorted({row["run"] for row in rows})[:2]
    look(at_desk, "against", tested.slug, one, other)
    response = at_desk.get(reverse("against", args=[tested.slug, one, other]))
    values = {(row["run"], row["query_id"]): float(row["value"]) for row in rows}
    shown = {row.query_id: row.difference for row, _ in response.context["drawn"]}
    assert shown == {
        query_id: values[one, query_id] - values[other, query_id] for query_id in shown
    }
    differences = np.array([*shown.values()])
    low, high = scipy.stats.ttest_1samp(differences, 0).confidence_interval()
    mean = response.context["mean"]
    assert (mean.difference, mean.low, mean.high) == pytest.approx((differences.mean(), low, high))
    assert response.context["differ"] is None  # units are still to be done


def test_documents_of_a_comparison_have_their_ranks(at_desk: Client, study: Study) -> None:
    one, other = Run.objects.filter(collection=study.collection).order_by("tag")[:2]
    response = at_desk.get(reverse("against", args=[study.slug, one.tag, other.tag]))
    rows = response.context["documents"].rows
    assert rows
    gains = {
        (row["query_id"], row["doc_id"]): float(row["relevance"])
        for row in exported(at_desk, study, "qrels")
    }
    for row in rows:
        assert row.gain == gains[row.query_id, row.doc_id]
        topic = study.collection.topics.get(query_id=row.query_id)
        for run, rank in ((one, row.one), (other, row.other)):
            ranked = run.lists.filter(topic=topic).first()
            codes = vocabulary.codes(ranked.codes)[:10].tolist() if ranked else []
            ids = vocabulary.read(topic)
            listed = [ids[code] for code in codes]
            assert (listed.index(row.doc_id) + 1 if row.doc_id in listed else None) == rank


def test_a_list_leads_to_a_comparison(at_desk: Client, study: Study) -> None:
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
    html = client.get(where).content.decode()
    found = re.findall(r'<a href="([^"]+)"[^>]*>([\d.,]+%?)</a>', html)
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


def test_every_number_that_is_a_link_leads_somewhere(at_desk: Client, tested: Study) -> None:
    slug, query_id = tested.slug, "401"
    (one, other) = Run.objects.filter(collection=tested.collection).order_by("tag")[:2]
    for where in (
        *(
            f"/studies/{slug}/{path}"
            for path in ("", "systems/", "topics/", "monitor/", "workers/")
        ),
        reverse("system", args=[slug, one.tag]),
        reverse("against", args=[slug, one.tag, other.tag]),
        reverse("topic", args=[slug, query_id]),
        reverse("monitor-topic", args=[slug, query_id]),
    ):
        links = figure_links(at_desk, where)
        assert links or "/monitor/topics/" in where, where
        for address in {address for _, address in links}:
            path, _, place = address.partition("#")
            html = at_desk.get(path).content.decode()
            assert f'id="{place}"' in html if place else html, (where, address)


def test_a_mean_leads_to_the_values_by_topic_that_it_is_the_mean_of(
    at_desk: Client, tested: Study
) -> None:
    links = figure_links(at_desk, reverse("systems", args=[tested.slug]))
    means = [(text, address) for text, address in links if address.endswith("/#topics")]
    assert len(means) == 6
    for text, address in means:
        values = [row.value for row in rows_behind(at_desk, address, "list")]
        assert f"{np.mean(values):.4f}" == text


@pytest.mark.parametrize("measure", ["nDCG(dcg='jk')@10", "P@5"])
def test_a_value_leads_to_the_list_that_it_is_measured_on(
    at_desk: Client, study: Study, measure: str
) -> None:
    run = Run.objects.filter(collection=study.collection).order_by("tag")[0]
    system = reverse("system", args=[study.slug, run.tag])
    shown = at_desk.get(system, {"measure": measure}).context
    depth = shown["depth"]
    for row, _ in shown["drawn"]:
        where = reverse("system-on-topic", args=[study.slug, run.tag, row.query_id])
        page = look(at_desk, "system-on-topic", study.slug, run.tag, row.query_id, measure=measure)
        assert f"{row.value:.4f}" in page.text
        rows = at_desk.get(where, {"measure": measure}).context["rows"]
        ranked = run.lists.filter(topic__query_id=row.query_id).first()
        codes = vocabulary.codes(ranked.codes)[:depth].tolist() if ranked else []
        ids = vocabulary.read(study.collection.topics.get(query_id=row.query_id))
        assert [one.doc_id for one, _ in rows] == [ids[code] for code in codes]
        if (
            measure != "P@5" and rows
        ):  # rank 2 is not discounted in Järvelin's and Kekäläinen's form
            by = 1 / np.maximum(1, np.log2(np.arange(1, depth + 1)))
            gains, best = (
                np.array([known or 0.0 for known in column] + [0.0] * (depth - len(rows)))
                for column in ([one.gain for one, _ in rows], [ideal for _, ideal in rows])
            )
            if len(rows) == depth:
                assert row.value == pytest.approx((gains @ by) / (best @ by))


def test_numbers_of_a_topic_are_those_of_its_units(at_desk: Client, study: Study) -> None:
    where = reverse("topics", args=[study.slug])
    look(at_desk, "topics", study.slug)
    keeping.bring_up_to_date()
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


def test_cells_of_table_one_lead_to_as_many_units(at_desk: Client, study: Study) -> None:
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


def test_a_gain_leads_to_the_scores_that_it_is_the_median_of(at_desk: Client, study: Study) -> None:
    topic = study.topics.select_related("topic").first()
    assert topic is not None
    where = reverse("topic", args=[study.slug, topic.topic.query_id])
    for row in rows_behind(at_desk, where, "list")[:8]:
        address = reverse("judged-document", args=[study.slug, topic.topic.query_id, row.doc_id])
        scores = rows_behind(at_desk, address, "list")
        assert len(scores) == len(row.scores)
        if row.gain is not None:
            assert row.gain == pytest.approx(np.median([score.normalised for score in scores]))


def test_a_rate_leads_to_the_failures_that_it_counts(at_desk: Client) -> None:
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
def test_topics_have_their_counts_in_natural_order(at_desk: Client, study: Study) -> None:
    look(at_desk, "topics", study.slug)
    keeping.bring_up_to_date()
    response = at_desk.get(reverse("topics", args=[study.slug]))
    rows = response.context["list"].rows
    judgments = exported(at_desk, study, "judgments")
    assert [row.query_id for row in rows] == sorted(
        {row["query_id"] for row in judgments}, key=natural
    )
    values = [row for row in exported(at_desk, study, "rankings") if row["measure"] == MEASURES[0]]
    for row in rows:
        assert row.judgments == sum(one["query_id"] == row.query_id for one in judgments)
        of_topic = [float(one["value"]) for one in values if one["query_id"] == row.query_id]
        assert row.mean == pytest.approx(sum(of_topic) / len(of_topic))
        assert row.failed.tries > 0
    assert any(row.alpha is not None for row in rows)


def test_a_topic_has_the_exported_gains_and_scores(at_desk: Client, study: Study) -> None:
    gains = {
        (row["query_id"], row["doc_id"]): float(row["relevance"])
        for row in exported(at_desk, study, "qrels")
    }
    judgments = exported(at_desk, study, "judgments")
    for topic in study.topics.select_related("topic"):
        query_id = topic.topic.query_id
        page = look(at_desk, "topic", study.slug, query_id)
        assert reverse("monitor-topic", args=[study.slug, query_id]) in page.links
        response = at_desk.get(reverse("topic", args=[study.slug, query_id]))
        rows = [row for row, _ in response.context["drawn"]]
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


def test_a_document_has_every_score_and_leads_to_the_workers(at_desk: Client, study: Study) -> None:
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


def test_from_document_to_document_by_gain(at_desk: Client, study: Study) -> None:
    topic = study.topics.select_related("topic").first()
    assert topic is not None
    response = at_desk.get(reverse("topic", args=[study.slug, topic.topic.query_id]))
    rows = [row.doc_id for row, _ in response.context["drawn"]]
    for before, doc_id, after in zip(rows, rows[1:], rows[2:], strict=False):
        page = look(at_desk, "judged-document", study.slug, topic.topic.query_id, doc_id)
        for other in (before, after):
            where = reverse("judged-document", args=[study.slug, topic.topic.query_id, other])
            assert where in page.links


def test_a_text_on_the_way_down_cannot_do_harm(at_desk: Client, study: Study) -> None:
    document = PooledDocument.objects.filter(study_topic__study=study).select_related(
        "study_topic__topic"
    )[0]
    harmful = "<p>good</p><script>bad()</script>"
    Document.objects.filter(pk=document.document_id).update(
        title="<b>bold</b>", text=harmful, is_html=True, cleaned=clean_text(harmful, is_html=True)
    )
    of = [study.slug, document.study_topic.topic.query_id]
    for where in (
        reverse("topic", args=of),
        reverse("judged-document", args=[*of, document.doc_id]),
    ):
        html = at_desk.get(where).content.decode()
        assert "&lt;b&gt;bold" in html
        assert "<b>bold" not in html
        assert "bad()" not in html
    assert "<p>good</p>" in html


@pytest.mark.parametrize(
    ("name", "parts"),
    [("topic", ["none"]), ("judged-document", ["401", "none"]), ("judged-document", ["x", "y"])],
)
def test_what_there_is_not_is_not_found(
    at_desk: Client, study: Study, name: str, parts: list[str]
) -> None:
    assert at_desk.get(reverse(name, args=[study.slug, *parts])).status_code == 404
