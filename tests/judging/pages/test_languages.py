"""Workers' pages speak the language of their study, all of them, and nothing else does."""

import gettext
import re
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import trans_real
from lxml import html

from accounts.models import User
from judging.models import Document, Study, Topic
from judging.pages.preview.pages import pages_of
from tests.factory import make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db
SPOKEN = (
    *("aria-label", "title", "placeholder", "alt"),
    *("data-text", "data-time", "data-off", "data-copied", "data-selected", "data-failed"),
)
UNSPOKEN = "//*[@id='preview'] | //code | //script | //head/*[not(self::title)]"
LETTERS = re.compile(r"[^\W\d_]")


class Marking(gettext.NullTranslations):
    """A language that says all in brackets, so that what it is never asked for shows."""

    def gettext(self, message: str) -> str:
        return f"⟦{message.split(trans_real.CONTEXT_SEPARATOR)[-1]}⟧"

    def ngettext(self, singular: str, plural: str, number: float) -> str:
        return self.gettext(singular if number == 1 else plural)

    def to_language(self) -> str:
        return "xx"

    def language(self) -> str:
        return "xx"


@pytest.fixture
def marking(monkeypatch: pytest.MonkeyPatch) -> str:
    """The tag of that language."""
    monkeypatch.setitem(trans_real._translations, "xx", Marking())
    return "xx"


def without_brackets(text: str) -> str:
    """What stands in no brackets, which may stand in others."""
    depth, outside = 0, []
    for char in text:
        depth += char == "⟦"
        if not depth:
            outside.append(char)
        depth -= char == "⟧"
    assert depth == 0
    return "".join(outside)


def not_marked(page: str) -> list[str]:
    """Words of a page that came from no message, but for codes and the preview's own bar."""
    tree = html.fromstring(without_brackets(page))
    for element in tree.xpath(UNSPOKEN):
        element.drop_tree()
    texts = [*tree.itertext()]
    for element in tree.iterdescendants():
        texts += [value for name, value in element.items() if name in SPOKEN]
    return [text.strip() for text in texts if LETTERS.search(text)]


def say_nothing(study: Study) -> None:
    """Take the letters out of a study's own texts: those are its researchers'."""
    study.topics.update(question="?", options=["1", "2", "3", "4"], answer="1", answer_sentence="2")
    Topic.objects.filter(collection=study.collection).update(
        title="5", description="6", narrative="7"
    )
    Document.objects.filter(collection=study.collection).update(title="8", cleaned="<p>9</p>")


PROLIFIC = {"platform": "prolific", "completion_code": "111", "entry": "platforms"}
STUDIES: dict[str, dict[str, Any]] = {
    "plain": {"consent": "1", "consent_by": "checkbox", "ethics_approval": "2"}
    | {"retention_days": 3, "withdraw_days": 4},
    "levels": {"scale": "graded", "levels": ["0", "1", "2"], "level_descriptions": ["3", "4", "5"]}
    | {"check_before_finish": True, "most_failed_finishes": 2, "record_pasting": True}
    | {"attempts": 3, "practice_minutes": 1.5}
    | {"most_workers": 9, "newcomers_an_hour": 2, "newcomers_a_day": 3},
    "Prolific": {**PROLIFIC, "further_units": "bonus", "submission_minutes": 90},
    "Prolific, screened out": PROLIFIC
    | {"attempts": 2, "screen_out_code": "333", "screen_out_reward": "0.30", "newcomers_a_day": 3},
    "SONA": {"platform": "sona", "completion_address": "https://a.org/?survey_code=X"}
    | {"newcomers_an_hour": 1, "attempts": 2},
    "Connect": {"platform": "connect", "completion_code": "111", "demo": True, "payment": 0},
}


@pytest.mark.parametrize("kind", STUDIES)
def test_every_word_comes_from_a_message(kind: str, marking: str, admin_client: Client) -> None:
    study = make_study(
        opened=False, title="0", unit_size=3, contact="+49 30 1", **{"payment": 1, **STUDIES[kind]}
    )
    Study.objects.filter(pk=study.pk).update(language=marking)
    say_nothing(study)
    for page in pages_of(study):
        address = f"/studies/{study.slug}/set-up/preview/{page.name}/"
        text = admin_client.get(address).content.decode()
        assert '<html lang="xx" dir="ltr"' in text
        assert not_marked(text) == [], page.name


@pytest.fixture
def german() -> Browser:
    """Somebody new in a German study."""
    return Browser(make_study(language="de", payment="2.5", currency="EUR", contact="Rosa"))


def test_german_from_welcome_to_what_is_refused(german: Browser, clock: Any) -> None:
    page = german.get(headers={"accept-language": "fr"})
    assert '<html lang="de" dir="ltr"' in page.html
    assert "2,50 € für jede Aufgabe" in page.words
    german.walk_to_documents()
    page = german.press("next", score="null", justification="")
    assert "„null“ ist keine Zahl." in page.words
    assert "Schreiben Sie in wenigen Worten, warum Sie diese Zahl vergeben haben." in page.words
    page = german.press("next", score="5", justification="x" * 2001)
    assert "Kürzen Sie Ihre Begründung auf 2.000 Zeichen; sie hat 2.001." in page.words
    page = german.press("next", score="0,5", justification="Gut.")
    assert "Dem vorigen Dokument gaben Sie 0,5" in page.words
    code = german.post("resume/", {"action": "resume", "code": "X"})
    assert "Das ist nicht der richtige Code." in code.words


def test_what_is_stored_knows_no_language(german: Browser, clock: Any) -> None:
    german.complete(clock)
    stored = german.get("me/data.json").response.json()
    assert {entry["state"] for entry in stored["sets"]} == {"completed"}
    assert "Abgeschlossen am" in german.get("me/").words


def test_researchers_read_english_whatever_their_browser_asks_for(german: Browser) -> None:
    client = Client(headers={"accept-language": "de"})
    client.force_login(User.objects.create_superuser("ada"))
    for address in ("/studies/", f"/studies/{german.study.slug}/monitor/", "/admin/"):
        assert b'<html lang="en' in client.get(address).content, address
    german.get()
    assert b'<html lang="en' in Client().get("/login/").content
    assert "There is no such page" in Client().get("/study/none/").content.decode()
