"""Renaming and deleting a study."""

import pytest

from accounts.models import User
from judging.models import Assignment, Collection, Study, TrailEntry, UnitDocument
from judging.studies.conduct.closing import close_study
from judging.studies.configuration.removal import delete_study, related_counts, rename
from judging.studies.faults import BadStudy
from tests.cast import ada
from tests.factory import make_study


@pytest.fixture
def rosa(db) -> User:
    return User.objects.create_user("rosa")


def test_a_draft_and_a_closed_study_get_another_name(rosa):
    study = make_study()
    with pytest.raises(BadStudy, match="slug: workers have links to study"):
        rename(study.slug, rosa, slug="other")
    assert rename(study.slug, rosa, title="While open").title == "While open"
    close_study(study.slug)
    renamed = rename(study.slug, rosa, slug="other", title="Both")
    assert (renamed.slug, renamed.title) == ("other", "Both")
    assert TrailEntry.objects.filter(action="renamed").get().by == rosa


@pytest.mark.parametrize("slug", ["a b", "", "x" * 51, "taken"])
def test_a_name_that_cannot_be(rosa, slug):
    Study.objects.filter(pk=make_study().pk).update(slug="taken")
    study = make_study(opened=False)
    with pytest.raises(BadStudy, match=r"^slug: "):
        rename(study.slug, rosa, slug=slug, title="New")
    study.refresh_from_db()
    assert study.title != "New"


def test_a_draft_is_deleted_and_its_collection_stays(rosa):
    study = make_study(opened=False)
    assert delete_study(study.slug, rosa)["unit"] == 4
    assert not Study.objects.exists()
    assert not UnitDocument.objects.exists()
    assert Collection.objects.get().documents.count() == 14


def test_what_people_gave_is_deleted_by_typing_the_name(rosa):
    study = make_study()
    ada(study).complete()
    with pytest.raises(BadStudy, match="Close it first"):
        delete_study(study.slug, rosa, study.slug)
    close_study(study.slug)
    numbers = related_counts(study)
    assert (numbers["completed unit"], numbers["judgment"], numbers["worker"]) == (1, 8, 1)
    for typed in ("", "study"):
        with pytest.raises(BadStudy, match=f"typed: expected {study.slug}"):
            delete_study(study.slug, rosa, typed)
    assert delete_study(study.slug, rosa, study.slug) == numbers
    assert not Assignment.objects.exists()
