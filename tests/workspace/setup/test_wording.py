"""The step of a study's own texts: ours beside each, to start from, with nothing lost or saved."""

import re

import pytest

from accounts.models import User
from judging.models import Membership, Study
from judging.pages.default_texts import NAMES
from tests.factory import GRADED, make_study


@pytest.fixture
def draft(rosa: User) -> Study:
    study = make_study(opened=False)
    Membership.objects.create(study=study, user=rosa, role="owner")
    study.refresh_from_db()
    return study


def at(study: Study, step: str) -> str:
    return f"/studies/{study.slug}/setup/{step}/"


def words(response) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_ours_stands_beside_each_field(desk, draft):
    told = words(desk.get(at(draft, "texts")))
    assert "Thank you for your interest in this study." in told
    assert "a line that looks twice as long gets twice the number" in told
    assert "imagine a document that would be highly relevant" in told


def test_who_starts_from_ours_loses_nothing_that_was_typed_and_saves_nothing(desk, draft):
    sent = {"version": draft.version, "introduction": "Mine <i>", "instructions": ""}
    page = desk.post(at(draft, "texts"), {**sent, "start": "instructions"})
    form = page.context["form"]
    assert form["introduction"].value() == "Mine <i>"
    assert "\n\n- Any number above zero will do" in form["instructions"].value()
    assert "It is not saved yet" in words(page)
    draft.refresh_from_db()
    assert [getattr(draft, name) for name in NAMES] == ["", "", ""]
    page = desk.post(at(draft, "texts"), {**sent, "start": "introduction"})
    assert page.context["form"]["introduction"].value().startswith("Mine <i>\n\nThank you for")
    typed = {name: form[name].value() or "" for name in (*NAMES, "version")}
    assert desk.post(at(draft, "texts"), typed).url == at(draft, "recruiting")
    draft.refresh_from_db()
    assert draft.instructions.startswith("First you see what somebody wants to know")
    assert draft.introduction == "Mine <i>"
    assert "2 of your own" in words(desk.get(at(draft, "texts")))


def test_once_the_study_is_open_nothing_is_offered_to_start_from(desk, draft):
    Study.objects.filter(pk=draft.pk).update(stage="open", opened_at="2026-01-01T00:00Z")
    assert 'name="start"' not in desk.get(at(draft, "texts")).content.decode()


def test_levels_get_their_sentences_beside_their_names(desk, draft):
    form = desk.get(at(draft, "settings")).context["form"]
    sent = {field.name: field.value() for field in form if field.value() not in (None, "", False)}
    graded = {**sent, "scale": "graded", "levels": "\n".join(GRADED["levels"])}
    page = desk.post(at(draft, "settings"), {**graded, "level_descriptions": "None.\nAll."})
    assert "expected a sentence for each level, or none" in words(page)
    described = {**graded, "level_descriptions": "None.\nSome.\nMuch.\nAll."}
    assert desk.post(at(draft, "settings"), described).status_code == 302
    draft.refresh_from_db()
    assert draft.level_descriptions == ["None.", "Some.", "Much.", "All."]


def test_consent_starts_from_ours_and_what_it_leaves_open_is_asked_for(desk, draft):
    sent = {"version": draft.version, "contact": "Rosa", "consent": "", "consent_by": "button"}
    page = desk.post(at(draft, "consent"), {**sent, "start": "consent"})
    form = page.context["form"]
    assert form["contact"].value() == "Rosa"
    assert "The study is run by [name and institution]." in form["consent"].value()
    typed = {field.name: field.value() for field in form if field.value() not in (None, False)}
    assert desk.post(at(draft, "consent"), typed | {"version": draft.version}).status_code == 302
    assert "still says “[name and institution]”" in words(desk.get(f"/studies/{draft.slug}/setup/"))
