"""A study's own texts in the place of ours, a sentence for each level, and consent by a box."""

import re

import pytest

from judging.flow.admission import consent_version
from judging.models import Study, Worker
from judging.pages.default_texts import NAMES, default_text, plain_text
from judging.pages.forms import TICK_TO_AGREE
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.cloning import clone
from judging.studies.faults import BadStudy
from tests.factory import GRADED, make_study
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db

OWN = {
    "introduction": "We study <b>lamps</b>.\n\nWelcome & enjoy.",
    "practice_instructions": "Measure with your eyes.",
    "instructions": "Judge by the light.",
}
SENTENCES = ["No light at all.", "Some light.", "Much <light>.", "All the light."]
DESCRIBED = {**GRADED, "level_descriptions": SENTENCES}
BY_BOX = {"consent_by": "checkbox"}


def test_own_texts_stand_where_ours_would_and_are_escaped(clock):
    browser = Browser(make_study(**OWN))
    page = browser.get()
    assert "<p>We study &lt;b&gt;lamps&lt;/b&gt;.</p>" in page.html
    assert "<p>Welcome &amp; enjoy.</p>" in page.html
    assert "Thank you for your interest" not in page.words
    page = browser.press("continue")
    assert "Measure with your eyes." in page.words
    assert "you will see three lines" not in page.words
    assert "The numbers must rise with the lengths" in page.words, "the rule itself stays"
    page = browser.practise()
    assert page.step == "instructions"
    assert "Judge by the light." in page.words
    assert "imagine a document" not in page.words
    assert "Your answers are checked at the end." in page.words
    browser.press("continue")
    assert "Judge by the light." in browser.answer().words, "on the pages of documents as well"


def test_a_sentence_for_each_level_stands_with_its_button_and_in_the_instructions(clock):
    browser = Browser(make_study(**DESCRIBED))
    assert "Key: All the light." in browser.walk_to("instructions", clock).words
    browser.press("continue")
    page = browser.answer()
    radios = re.findall(r'<input type="radio"[^>]*>', page.html)
    assert len(radios) == len(SENTENCES)
    for radio, name, sentence in zip(radios, GRADED["levels"], SENTENCES, strict=True):
        for attribute, text in (("labelledby", name), ("describedby", sentence)):
            (id_,) = re.findall(rf'aria-{attribute}="([\w-]+)"', radio)
            (told,) = re.findall(rf'id="{id_}"[^>]*>([^<]*)<', page.html)
            assert told == text.replace("<", "&lt;").replace(">", "&gt;")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {**DESCRIBED, "level_descriptions": SENTENCES[:2]},
            "level_descriptions: 2 sentences for 4 levels; expected one for each, or none",
        ),
        (
            {"level_descriptions": ["Light."]},
            "level_descriptions: 1 sentence for 0 levels; expected one for each, or none",
        ),
        (
            {**DESCRIBED, "level_descriptions": [*SENTENCES[:3], " "]},
            "level_descriptions: sentence 4 has 0 characters; expected 1 to 300.",
        ),
        (
            {**DESCRIBED, "level_descriptions": "Light."},
            "level_descriptions: expected a list of texts, one for each level, lowest first.",
        ),
        (
            {"instructions": "x" * 20_001},
            "instructions: Ensure this value has at most 20000 characters (it has 20001).",
        ),
        ({"consent_by": "nod"}, "consent_by: nod; expected one of button, checkbox"),
    ],
)
def test_texts_that_cannot_be_are_refused(settings, said):
    with pytest.raises(BadStudy) as refusal:
        make_study(opened=False, **settings)
    assert said in str(refusal.value).splitlines()


def test_texts_may_be_written_until_workers_come(clock):
    study = make_study(opened=False, **DESCRIBED)
    change_settings(study.slug, OWN | BY_BOX, None)
    study.refresh_from_db()
    copy = clone(study, "copy", "Copy", None)
    assert [getattr(copy, name) for name in OWN] == list(OWN.values())
    assert (copy.level_descriptions, copy.consent_by) == (SENTENCES, "checkbox")
    Study.objects.filter(pk=study.pk).update(stage="open", opened_at=clock.now)
    for change in ({"instructions": ""}, {"level_descriptions": []}, {"consent_by": "button"}):
        with pytest.raises(BadStudy, match="workers have come under it"):
            change_settings(study.slug, change, None)


def test_the_version_agreed_to_tells_which_texts_a_worker_saw():
    plain = Study()
    texts = [Study(**{name: text}) for name, text in OWN.items()]
    others = [*texts, Study(level_descriptions=SENTENCES), Study(**BY_BOX)]
    assert len({consent_version(study) for study in (plain, *others)}) == 6


# --- agreeing by a box --------------------------------------------------------------------------
def test_nobody_begins_without_the_box(clock):
    study = make_study(**BY_BOX)
    browser = Browser(study)
    browser.get()
    page = browser.press("continue")
    assert (page.status, page.step) == (200, "welcome")
    assert str(TICK_TO_AGREE) in page.words
    assert not Worker.objects.exists()
    assert browser.press("continue", agreed="on").step == "practice"
    worker = Worker.objects.get()
    assert (worker.consented_at, worker.consent_version) == (clock.now, consent_version(study))


def test_who_has_agreed_is_not_asked_again(clock):
    browser = Browser(make_study(topics=2, **BY_BOX))
    browser.get()
    browser.press("continue", agreed="on")
    assert browser.press("leave").step == "left"
    assert browser.press("again").step == "practice"


def test_the_button_alone_stays_the_default(clock):
    browser = Browser(make_study())
    assert 'type="checkbox"' not in browser.get().html
    assert browser.press("continue").step == "practice"


# --- ours, to start from ------------------------------------------------------------------------
def test_ours_are_in_the_language_of_the_study():
    assert "Vielen Dank" in default_text(Study(language="de"), "introduction")


@pytest.mark.parametrize("scale", [{}, GRADED], ids=["magnitudes", "levels"])
@pytest.mark.parametrize("name", NAMES)
def test_our_texts_as_plain_text_lose_no_word(name, scale):
    html = default_text(Study(**scale), name)
    plain = plain_text(html)
    words = " ".join(re.sub(r"<[^>]+>", " ", html).split())
    assert " ".join(plain.replace("\n- ", "\n").split()) == words
    assert "\n\n" in plain or html.count("<p>") == 1
