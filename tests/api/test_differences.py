"""The pages of documents on which crowd and labels differ, and the verdicts recorded there."""

import csv
import io
from urllib.parse import urlsplit

import pytest
from django.urls import reverse

from evaluation.analyses import ANALYSES
from evaluation.cache import part_files, stored
from evaluation.models import CachedAnalysis, Verdict
from evaluation.pipeline import evaluate
from evaluation.report import folder as report
from evaluation.study.data import load
from judging.collections.cleaning import clean_text
from judging.models import (
    Document,
    Judgment,
    Label,
    LabelSet,
    PooledDocument,
    Study,
    StudyTopic,
    Topic,
)
from tests.api.html import Page, look
from tests.factory.completed import judged_study

pytestmark = pytest.mark.django_db
NAME = "differences"


@pytest.fixture(scope="module")
def judged(for_all):
    study, _ = judged_study(3, topics=2, units=8)
    evaluate(study)
    return study


@pytest.fixture
def study(judged, db):
    """With the list of documents that differ."""
    CachedAnalysis.objects.create(
        study=judged, name=NAME, label_set="reference", wanted_at=judged.created_at
    )
    assert stored.bring_up_to_date() == 1
    return judged


def rows(study: Study) -> list[dict[str, object]]:
    part = part_files.part(study.analyses.get(name=NAME).result, "documents")
    return [dict(zip(part["columns"], row, strict=True)) for row in part["rows"]]


def address(study: Study, place: int = 0) -> str:
    row = rows(study)[place]
    return reverse("difference", args=[study.slug, row["query_id"], row["doc_id"]])


def test_the_list_leads_to_each_document_and_on_to_the_next(at_desk, study):
    section = at_desk.get(f"/studies/{study.slug}/method/differences/").content.decode()
    listed = rows(study)
    assert len(listed) > 2
    for place, row in enumerate(listed):
        assert f'href="{address(study, place)}?labels=reference">{row["doc_id"]}</a>' in section
        page = look(at_desk, address(study, place)).text
        assert f"{place + 1} of {len(listed)}" in page
        assert f"but it fits level {row['fits_level']}" in page
        assert ("Previous" in page, "Next" in page) == (place > 0, place < len(listed) - 1)


def test_the_page_has_the_topic_the_document_and_every_score(at_desk, study):
    row = rows(study)[0]
    judgments = Judgment.objects.filter(
        document__study_topic__topic__query_id=row["query_id"],
        document__doc_id=row["doc_id"],
        assignment__state="completed",
    )
    assert judgments.count() == row["scores"]
    shown = look(at_desk, address(study))
    page, scores = shown.text, shown.context["scores"]
    for said in ("All that matters is relevant.", f"What about {row['query_id']}?"):
        assert said in page
    assert f"Text of {row['doc_id']}." in page
    assert {one.judgment.pk for one in scores} == {one.pk for one in judgments}
    normalised = [one.normalised for one in scores]
    assert normalised == sorted(normalised, reverse=True)
    middle = (normalised[(len(scores) - 1) // 2] + normalised[len(scores) // 2]) / 2
    assert middle == pytest.approx(row["gain"])
    for one in judgments:
        assert one.justification in page


def test_a_verdict_is_recorded_and_leads_to_the_next(at_desk, study):
    given = {"finding": "crowd", "note": "They missed “not”.\nAll of them.", "then": "next"}
    response = at_desk.post(address(study), given)
    assert urlsplit(response["Location"]).path == address(study, 1)
    verdict = Verdict.objects.get()
    assert (verdict.finding, verdict.label_set) == ("crowd", "reference")
    assert verdict.note.splitlines() == ["They missed “not”.", "All of them."]
    assert verdict.by.username == "rita"
    page = look(at_desk, address(study)).text
    assert "Recorded: the crowd is wrong, by rita" in page
    assert "All of them." in page


def test_another_verdict_takes_its_place(at_desk, study):
    for finding in ("crowd", "labels"):
        response = at_desk.post(address(study), {"finding": finding, "note": "", "then": "stay"})
        assert urlsplit(response["Location"]).path == address(study)
    assert [one.finding for one in Verdict.objects.all()] == ["labels"]


def test_without_a_choice_nothing_is_recorded_and_nothing_lost(at_desk, study):
    for finding in ({}, {"finding": ""}, {"finding": "nobody"}):
        sent = {**finding, "note": "what I typed <b>", "then": "next"}
        response = at_desk.post(address(study), sent)
        assert response.status_code == 200
        page = Page(response.content.decode())
        assert page.faults == []
        assert "The verdict is not recorded" in page.text
        assert 'href="#finding-labels"' in page.html
        assert "what I typed &lt;b&gt;" in page.html
    sent = {"finding": "topic", "note": "zero \0", "then": "stay"}  # which cannot be kept
    assert 'href="#note"' in at_desk.post(address(study), sent).content.decode()
    assert not Verdict.objects.exists()


def test_the_shares_of_verdicts_are_there_at_once(at_desk, researcher, study):
    section = f"/studies/{study.slug}/method/differences/"
    assert "No verdict is recorded yet" in look(at_desk, section).text
    for place, finding in enumerate(["labels", "labels", "topic"]):
        at_desk.post(address(study, place), {"finding": finding, "note": "", "then": "stay"})
    assert "Verdicts on 3 documents" in look(at_desk, section).text
    told = researcher.get(f"/api/v1/studies/{study.slug}/analyses/{NAME}/").json()
    (part,) = (part for part in told["parts"] if part["name"] == "verdicts")
    assert [row[1] for row in part["rows"]] == [2, 0, 1]
    assert [row[2] for row in part["rows"]] == pytest.approx([2 / 3, 0, 1 / 3])
    assert [round(row[4], 3) for row in part["rows"]] == [0.412, 0.265, 0.324]
    for of in (
        at_desk.get(f"/studies/{study.slug}/analyses/{NAME}/recorded.csv"),
        researcher.get(f"/api/v1/studies/{study.slug}/analyses/{NAME}/recorded/"),
    ):
        written = list(csv.DictReader(io.StringIO(of.content.decode())))
        verdicts = ["the labels are wrong"] * 2 + ["the topic is ambiguous"]
        assert sorted(row["verdict"] for row in written) == verdicts


def test_the_report_has_the_shares(at_desk, study, tmp_path, monkeypatch):
    at_desk.post(address(study), {"finding": "topic", "note": "", "then": "stay"})
    monkeypatch.setattr(report, "of_study", lambda study: {NAME: ANALYSES[NAME]})
    report.write(load(study), tmp_path, lambda name: None)
    written = (tmp_path / "data" / f"{NAME}-verdicts.csv").read_text()
    assert "the topic is ambiguous,1,1.0,11," in written
    assert "ambiguous" in (tmp_path / "tables" / f"{NAME}-recorded.tex").read_text()


def test_verdicts_on_other_labels_are_others(at_desk, study):
    LabelSet.objects.create(collection=study.collection, name="second look")
    at_desk.post(address(study), {"finding": "crowd", "note": "", "then": "stay"})
    other = f"{address(study)}?labels=second+look"
    assert "Recorded" not in look(at_desk, other).text
    at_desk.post(other, {"finding": "topic", "note": "", "then": "stay"})
    found = dict(Verdict.objects.values_list("label_set", "finding"))
    assert found == {"reference": "crowd", "second look": "topic"}
    assert at_desk.get(f"{address(study)}?labels=none").status_code == 404


def test_ids_with_slashes_and_without_a_text(at_desk, study):
    topic = Topic.objects.create(
        collection=study.collection, query_id="q/1~?", title="Slashes", description=""
    )
    study_topic = StudyTopic.objects.create(study=study, topic=topic)
    for place, doc_id in enumerate(("http://a.b/c%20d?e#f", "..", "dé")):
        PooledDocument.objects.create(study_topic=study_topic, doc_id=doc_id, code=place)
        where = reverse("difference", args=[study.slug, "q/1~?", doc_id])
        page = look(at_desk, where).text
        assert "Its text is not in the collection." in page
        assert "No completed unit has it." in page
        assert f"{doc_id}: no label" in page


def test_a_text_cannot_do_harm(at_desk, study):
    row = rows(study)[0]
    harmful = "<p>good</p><script>bad()</script>"
    Document.objects.filter(collection=study.collection, doc_id=row["doc_id"]).update(
        text=harmful, is_html=True, cleaned=clean_text(harmful, is_html=True)
    )
    html = at_desk.get(address(study)).content.decode()
    assert "<p>good</p>" in html
    assert "bad()" not in html


def test_what_is_not_judged_has_no_page(at_desk, study):
    for pair in (("401", "nothing"), ("none", "D401-001")):
        where = reverse("difference", args=[study.slug, *pair])
        assert at_desk.get(where).status_code == 404


def test_without_a_list_the_page_is_there_all_the_same(at_desk, study):
    where = address(study)
    CachedAnalysis.objects.all().delete()
    assert "It is not among the documents that differ most." in look(at_desk, where).text
    Label.objects.all().delete()
    assert "no label" in look(at_desk, where).text
