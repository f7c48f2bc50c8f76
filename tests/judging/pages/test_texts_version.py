"""The version that is stored with a unit rises when a text changes that its worker has read."""

import re
from hashlib import sha256

import pytest

from judging.flow.admission import consent_version, texts_version
from judging.models import Assignment, Study
from judging.models.wording import TEXTS_VERSION
from tests.factory import GRADED, make_study
from tests.judging.browsing import Browser
from tests.judging.pages.states import SETTINGS
from tests.judging.pages.test_length_of_texts import words

pytestmark = pytest.mark.django_db
# Of what the pages say by version. Only the last may change, and only until it is released.
DIGESTS = {1: "cb6812b01b46fd15"}
# What is drawn at random, or is the foot of the page.
OTHERS = "//main//*[self::article or @class='foot'] | //fieldset//label"
TOPIC = re.compile(r"\b40\d\b")
LINES = [50, 120, 220]


def read_by_workers(study: Study) -> list[str]:
    """What pages say from Welcome to the first document, but for the latter."""
    browser = Browser(study)
    pages = [browser.get(), browser.press("continue", agreed="on")]
    Assignment.objects.filter(study=study).update(lines=LINES)
    pages.append(browser.press("continue"))
    browser.measure_lines()
    pages += [browser.page, browser.press("continue"), browser.answer()]
    for page in pages:
        for other in page.tree.xpath(OTHERS):
            other.drop_tree()
    return [TOPIC.sub("", " ".join(words(page, folded=True))) for page in pages]


def test_texts_do_not_change_without_their_version() -> None:
    said = [
        read_by_workers(make_study(**SETTINGS[name]))
        for name in ("four topics", "platform", "limits")
    ]
    said.append(read_by_workers(make_study(**GRADED)))
    digest = sha256(repr(said).encode()).hexdigest()[:16]
    assert digest == DIGESTS[TEXTS_VERSION], "raise TEXTS_VERSION, and add this digest under it"
    assert max(DIGESTS) == TEXTS_VERSION


def test_a_unit_has_the_version_of_the_texts_of_its_beginning(monkeypatch) -> None:
    study = make_study(topics=2)
    browser = Browser(study)
    browser.get()
    browser.press("continue")
    first = browser.assignment
    assert first.texts_version == f"{TEXTS_VERSION}-{consent_version(study)}"
    browser.press("leave")
    Study.objects.filter(pk=study.pk).update(contact="ben@example.org")
    monkeypatch.setattr("judging.flow.admission.TEXTS_VERSION", TEXTS_VERSION + 1)
    browser.press("again")
    study.refresh_from_db()
    second = browser.assignment
    assert second.pk != first.pk
    assert second.texts_version == f"{TEXTS_VERSION + 1}-{consent_version(study)}"
    assert second.texts_version == texts_version(study)
    first.refresh_from_db()
    assert first.texts_version != second.texts_version
