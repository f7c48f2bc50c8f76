"""Labels that name relevant documents alone: most collections of the BEIR kind have such."""

import csv
import io
import itertools
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from judging.collections.content import relevant_only_sets
from judging.models import Label, LabelSet, Membership, Study, StudyTopic
from judging.studies.configuration.anchors import apply_proposals
from judging.studies.configuration.question_hints import find_giveaways
from tests.desks import words
from tests.factory import make_study


@pytest.fixture
def study(rosa):
    """A draft of three topics whose labels are all 1, without anchors, questions or plan."""
    study = make_study(topics=3, opened=False)
    study.units.all().delete()
    nothing: dict[str, Any] = {"h_k": "", "n_k": "", "question": "", "options": [], "answer": ""}
    StudyTopic.objects.update(**nothing)
    Label.objects.filter(level__lte=1).delete()
    Label.objects.update(level=1)
    Membership.objects.create(study=study, user=rosa, role="owner")
    home = study.collection
    home.owner = rosa
    home.save()
    study.refresh_from_db()
    return study


def at(study: Study, path: str) -> str:
    return f"/studies/{study.slug}/set-up/{path}"


# --- recognised -----------------------------------------------------------------------------------
def test_they_are_recognised_where_they_are_imported_and_looked_at(desk, study):
    LabelSet.objects.create(collection=study.collection, name="empty")
    assert relevant_only_sets(study.collection) == ["reference"]
    assert (
        words(desk.get(f"/collections/{study.collection.slug}/")).count(
            "names only relevant documents"
        )
        == 1
    )
    page = words(desk.get(at(study, "anchors/")))
    assert "“reference” names only relevant documents" in page
    Label.objects.filter(pk=Label.objects.earliest("pk").pk).update(level=0)
    assert relevant_only_sets(study.collection) == []
    assert "“reference” names only relevant documents" not in words(desk.get(at(study, "anchors/")))


# --- anchors: filled in by one click, read one after the other ------------------------------------
def test_one_click_fills_all_in_and_accepts_none(desk, study):
    page = words(desk.post(at(study, "take-anchors/"), follow=True))
    assert "Proposals are filled in for 3 topics: read them, one after the other." in page
    assert "3 topics to be read" in page
    assert [*study.topics.values_list("anchors_unread", flat=True)] == [True] * 3
    assert all(study.topics.values_list("n_k", flat=True))
    assert "nobody has read the anchors" in words(desk.get(at(study, "")))


def test_take_these_two_goes_on_to_the_next_that_is_to_be_read(desk, study, rosa):
    apply_proposals(study, rosa)
    StudyTopic.objects.filter(topic__query_id="402").update(anchors_unread=False)
    for number, following in (("401", "anchors/403/"), ("403", "questions/401/")):
        page = desk.get(at(study, f"anchors/{number}/"))
        assert "Nobody has read these two yet" in words(page)
        sent = {name: page.context[name] for name in ("h_k", "n_k")}
        version = page.context["form"]["version"].value()
        done = desk.post(at(study, f"anchors/{number}/"), {**sent, "version": version})
        assert done.url == at(study, following)
    assert not study.topics.filter(anchors_unread=True).exists()
    read = study.trail.filter(action="changed topics").order_by("pk").last()
    assert (read.by, [*read.details["topics"]]) == (rosa, ["403"])


def test_pairs_are_taken_one_after_the_other_without_being_filled_in_first(desk, study):
    """Also from the middle: the topics before it follow its last."""
    page = desk.get(at(study, "anchors/"))
    assert page.context["first"] == "401"
    for number, following in (
        ("402", "anchors/403/"),
        ("403", "anchors/401/"),
        ("401", "questions/401/"),
    ):
        page = desk.get(at(study, f"anchors/{number}/"))
        sent = {name: page.context[name] for name in ("h_k", "n_k")}
        assert all(sent.values())
        sent["version"] = page.context["form"]["version"].value()
        assert desk.post(at(study, f"anchors/{number}/"), sent).url == at(study, following)
    assert "Every topic has its anchors" in words(desk.get(at(study, "anchors/")))
    assert desk.get(at(study, "anchors/")).context["first"] == ""
    sent["version"] = Study.objects.get(pk=study.pk).version
    assert desk.post(at(study, "anchors/401/"), sent).url == at(study, "anchors/"), (
        "nothing is left"
    )


# --- questions ------------------------------------------------------------------------------------
def upload(desk: Client, study: Study, text: str) -> Any:
    version = Study.objects.get(pk=study.pk).version
    file = SimpleUploadedFile("q.csv", text.encode())
    return desk.post(at(study, "questions/"), {"file": file, "version": version})


def test_a_table_without_anchors_is_taken(desk, study):
    rows = "".join(f"{number},Which?,a,b,c,d,b\n" for number in (401, 402, 403))
    head = "query_id,question,option_1,option_2,option_3,option_4,answer\n"
    assert upload(desk, study, head + rows).status_code == 302
    assert [*study.topics.values_list("answer", flat=True)] == ["b"] * 3
    assert [*study.topics.values_list("n_k", flat=True)] == [""] * 3


def test_a_column_whose_name_is_misspelt_is_still_refused(desk, study):
    head = "query_id,question,option_1,option_2,option_3,option_4,answer,hk\n"
    page = upload(desk, study, f"{head}401,Which?,a,b,c,d,b,X\n")
    assert "hk" in str(page.context["form"].errors["file"])


def test_the_template_has_topics_and_a_proposal_and_is_taken_as_it_is(desk, study):
    file = desk.get(at(study, "questions.csv"))
    assert file["Content-Disposition"].startswith("attachment")
    text = file.content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["query_id"] for row in rows] == ["401", "402", "403"]
    assert [row["title"] for row in rows] == ["topic 401", "topic 402", "topic 403"]
    assert {row["answer"] for row in rows} == {""}, "three titles leave no four options"
    for n in range(2):
        topic = study.collection.topics.create(query_id=f"9{n}", title=f"topic 9{n}")
        StudyTopic.objects.create(study=study, topic=topic)
    text = desk.get(at(study, "questions.csv")).content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        options = [row[f"option_{n}"] for n in range(1, 5)]
        assert row["answer"] == row["title"]
        assert row["answer"] in options
        assert len(set(options)) == 4
    assert len({[row[f"option_{n}"] for n in range(1, 5)].index(row["answer"]) for row in rows}) > 1
    assert upload(desk, study, text).status_code == 302
    assert study.topics.filter(answer="").count() == 0


def test_proposed_questions_are_read_and_taken_one_after_the_other(desk, study):
    assert desk.get(at(study, "questions/401/")).context["form"]["question"].value() == ""
    for n in range(2):
        topic = study.collection.topics.create(query_id=f"9{n}", title=f"topic 9{n}")
        StudyTopic.objects.create(study=study, topic=topic)
    numbers = ["90", "91", "401", "402", "403"]
    assert desk.get(at(study, "questions/")).context["first"] == "90"
    for number, following in itertools.pairwise(numbers):
        page = desk.get(at(study, f"questions/{number}/"))
        assert "This question is proposed, and not saved yet" in words(page)
        sent = {field.name: field.value() for field in page.context["form"]}
        sent["answer_sentence"] = ""
        done = desk.post(at(study, f"questions/{number}/"), sent)
        assert done.url == at(study, f"questions/{following}/")
    sent = {field.name: field.value() for field in desk.get(done.url).context["form"]}
    done = desk.post(at(study, "questions/403/"), sent | {"answer_sentence": ""})
    assert done.url == at(study, "settings/"), "after the last the next step"
    for topic in study.topics.select_related("topic"):
        assert topic.answer == topic.topic.title
        assert not find_giveaways(topic.options, topic.answer, topic.topic.title)


# --- counted as 0 ---------------------------------------------------------------------------------
