"""What a process keeps of a study is never older than its row."""

import pytest
from django.db import transaction

from judging.flow.reading import read_assignment
from judging.models import Study
from tests.cast import Person
from tests.factory import make_study
from tests.judging.browsing import Browser

# A setting: what the page of a document shows of it. Parts of the page are kept by study.
SHOWN = {
    "title": ("Another title", "Another title"),
    "instructions": ("Read slowly.", "Read slowly."),
    "contact": ("anna@example.org", "anna@example.org"),
    "ethics_approval": ("board 9", "board 9"),
    "payment": (7.25, "7.25"),
    "withdraw_days": (13, "13 days"),
    "most_failed_finishes": (1, "Your answers are checked at the end.\n"),
    "crowd": (Study.Crowd.ARTIFICIAL, "This is a simulation"),
    "record_pasting": (True, "hidden_seconds"),
}


def study_of(person: Person) -> Study:
    assignment = read_assignment("assignment.token = %s", person.assignment.token)
    return assignment.study


def test_a_change_is_read_at_once(judging):
    before = study_of(judging)
    for title in ("first", "second", "third"):  # in one transaction, as tests are
        Study.objects.filter(pk=before.pk).update(title=title)
        assert study_of(judging).title == title
    assert vars(study_of(judging)).keys() >= vars(Study.objects.get()).keys()


def test_a_change_that_is_rolled_back_is_forgotten(judging):
    before = study_of(judging).title
    with transaction.atomic():
        Study.objects.update(title="for a moment")
        assert study_of(judging).title == "for a moment"
        transaction.set_rollback(True)
    assert study_of(judging).title == before


def test_nobody_changes_what_others_read(judging):
    mine = study_of(judging)
    mine.title = "mine"
    assert study_of(judging).title != "mine"
    assert study_of(judging) == mine


def test_an_unchanged_study_is_not_read_again(judging, django_assert_num_queries):
    study_of(judging)
    token = judging.assignment.token
    with django_assert_num_queries(1):
        read_assignment("assignment.token = %s", token)


@pytest.mark.parametrize("setting", SHOWN)
def test_the_page_shows_what_has_changed(db, setting):
    study = make_study(minimum_seconds=0)
    browser = Browser(study)
    browser.walk_to_documents()
    address = f"/study/{study.slug}/1/"
    value, text = SHOWN[setting]
    pages = [browser.get(address).html for _ in range(2)]  # the second has parts of the first
    assert pages[0].count("<details") == pages[1].count("<details")
    Study.objects.filter(pk=study.pk).update(**{setting: value})
    after = browser.get(address).html
    assert text in after.replace("</li>", "\n")
    assert after.replace(text, "") != pages[0]
