"""What was agreed to, read again; and that it was changed since, where it was."""

import pytest

from judging.flow.admission import CONSENT_SETTINGS
from judging.pages.default_texts import default_text, plain_text
from judging.settings import BY_NAME
from judging.studies.configuration.changing import change_settings
from tests.factory import make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db
CHANGED = "This text was changed on"


def test_what_is_agreed_to_are_settings():
    assert set(CONSENT_SETTINGS) <= BY_NAME.keys()


@pytest.mark.parametrize("introduction", ["", "We look for mushrooms.\n\nPlease help."])
def test_all_of_welcome_can_be_read_again(introduction):
    study = make_study(introduction=introduction, consent="You are asked by Rosa.")
    words = Browser(study).get("about/").words
    text = introduction or plain_text(default_text(study, "introduction"))
    assert all(paragraph in words for paragraph in text.split("\n\n"))
    assert "You are asked by Rosa." in words


def test_who_agreed_before_a_change_reads_so(clock):
    study = make_study(contact="rosa@example.org")
    early, late = Browser(study), Browser(study)
    early.get()
    early.press("continue")
    clock.wait(24 * 3600)
    change_settings(study.slug, {"title": "Another title"}, None)
    assert CHANGED not in early.get("about/").words  # nobody agrees to a title
    change_settings(study.slug, {"contact": "ben@example.org"}, None)
    clock.wait(24 * 3600)
    late.get()
    late.press("continue")
    said = early.get("about/").words
    assert f"{CHANGED} {clock.now.day - 1} {clock.now:%B %Y}, after you agreed to it." in said
    assert CHANGED not in late.get("about/").words
    assert CHANGED not in Browser(study).get("about/").words
    change_settings(study.slug, {"contact": "rosa@example.org"}, None)
    assert CHANGED not in early.get("about/").words  # as it was when they agreed
