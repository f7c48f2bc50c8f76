"""A study's own texts in the place of ours, a sentence for each level, and consent by a box."""

import re

import pytest

from judging.flow.admission import CONSENT_SETTINGS, consent_version
from judging.models import Study, StudyTopic, Worker
from judging.pages.default_texts import NAMES, default_text, plain_text
from judging.pages.forms import TICK_TO_AGREE
from judging.settings import BY_NAME
from judging.studies.configuration.changing import change_settings, change_topic
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
    assert "say with numbers of your own choice" not in page.words
    assert 'type="checkbox"' not in page.html, "the button alone stays the default"
    page = browser.press("continue")
    assert "Measure with your eyes." in page.words
    assert "you will see three lines" not in page.words
    assert "The longer the line, the larger its number" in page.words, "the rule itself stays"
    page = browser.come_to("instructions")
    assert "Judge by the light." in page.words
    assert "imagine a document" not in page.words
    assert "Your answers are checked at the end." in page.words
    browser.press("continue")
    assert "Judge by the light." in browser.answer().words, "on the pages of documents as well"


def test_a_sentence_for_each_level_stands_with_its_button_and_in_the_instructions(clock):
    browser = Browser(make_study(**DESCRIBED))
    assert "Key: All the light." in browser.come_to("instructions").words
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
    ("given", "said"),
    [
        (SENTENCES[:2], "2 sentences for 4 levels; expected one for each, or none"),
        ([*SENTENCES[:3], " "], "sentence 4 has 0 characters; expected 1 to 300."),
        ("Light.", "expected a list of texts, one for each level, lowest first."),
    ],
)
def test_sentences_that_cannot_be_are_refused(given, said):
    with pytest.raises(BadStudy) as refusal:
        make_study(opened=False, **GRADED, level_descriptions=given)
    assert f"level_descriptions: {said}" in str(refusal.value).splitlines()


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


def test_the_version_agreed_to_tells_which_texts_and_terms_a_worker_saw():
    terms = {**OWN, "level_descriptions": SENTENCES, **BY_BOX, "record_pasting": True}
    terms |= dict.fromkeys(["consent", "contact", "ethics_approval", "ethics_exemption"], "x")
    terms |= {"retention_days": 30, "withdraw_days": 30, "language": "de"}
    assert terms.keys() == set(CONSENT_SETTINGS) <= BY_NAME.keys()
    others = [Study(**{name: value}) for name, value in terms.items()]
    versions = {consent_version(study) for study in (Study(), *others)}
    assert len(versions) == 1 + len(terms)


# --- agreeing by a box --------------------------------------------------------------------------
def test_nobody_begins_without_the_box_and_who_has_agreed_is_not_asked_again(clock):
    study = make_study(topics=2, **BY_BOX)
    browser = Browser(study)
    browser.get()
    page = browser.press("continue")
    assert (page.status, page.step) == (200, "welcome")
    assert str(TICK_TO_AGREE) in page.words
    assert not Worker.objects.exists()
    assert browser.press("continue", agreed="on").step == "practice"
    worker = Worker.objects.get()
    assert (worker.consented_at, worker.consent_version) == (clock.now, consent_version(study))
    assert browser.press("leave").step == "left"
    assert browser.press("again").step == "practice"


# --- ours, to start from ------------------------------------------------------------------------
def test_ours_are_in_the_language_of_the_study():
    assert "Sie lesen 8 Dokumente" in default_text(Study(language="de"), "introduction")


@pytest.mark.parametrize("scale", [{}, GRADED], ids=["magnitudes", "levels"])
@pytest.mark.parametrize("name", NAMES)
def test_our_texts_as_plain_text_lose_no_word(name, scale):
    html = default_text(Study(**scale), name)
    plain = plain_text(html)
    words = " ".join(re.sub(r"<[^>]+>", " ", html).split())
    assert " ".join(plain.replace("\n- ", "\n").split()) == words
    assert "\n\n" in plain or html.count("<p>") == 1


# --- hints ----------------------------------------------------------------------------------------
FIRST = "This is the first: give any number that leaves room above and below."
OFF_TOPIC = "give it a small number, in relation to the one before"


def shown(browser: Browser) -> tuple[bool, bool]:
    """Whether the form of a document gives the one hint, and the other."""
    form = browser.page.html.split('id="page-form"')[1]  # below the sheet of instructions
    return FIRST in form, OFF_TOPIC in form


@pytest.mark.parametrize("hints", [True, False])
def test_hints_stand_where_they_help_and_nowhere_without_the_setting(hints):
    browser = Browser(make_study(hints=hints))
    browser.come_to_documents()
    assert (OFF_TOPIC in browser.page.words) == hints  # in the instructions
    assert shown(browser) == (hints, False)
    for refused in ("0", "-3", "−0.5"):
        browser.judge(score=refused)
        assert shown(browser) == (hints, hints)
    for refused in ("", "many", "5cm"):
        browser.press("next", score=refused, justification="")
        assert shown(browser) == (hints, False)
    browser.judge()
    assert shown(browser) == (False, False)
    browser.judge(score="0")
    assert shown(browser) == (False, hints)
    browser.judge()
    assert shown(browser) == (False, False)


# --- the sentence that answers a question ---------------------------------------------------------
SENTENCE = "Lamps <b>burn</b> oil."


def test_who_answered_wrongly_reads_it_then_and_not_before(clock, db):
    study = make_study(question_tries=2)
    StudyTopic.objects.update(answer_sentence=SENTENCE)
    browser = Browser(study)
    page = browser.come_to("topic")
    assert "burn" not in page.html
    assert "burn" not in browser.answer(right=False).html, "the question is asked once more"
    page = browser.answer(right=False)
    assert page.step == "failed"
    assert "This sentence answers it: Lamps <b>burn</b> oil." in page.words
    assert "Which one?" in page.words
    assert "What about 401?" in page.words


def test_without_one_the_topic_stands_alone(clock, db):
    browser = Browser(make_study())
    browser.come_to("topic")
    page = browser.answer(right=False)
    assert "sentence answers" not in page.words
    assert "What about 401?" in page.words


def test_it_is_set_up_and_copied_like_the_rest_of_a_topic(db):
    study = make_study(opened=False)
    change_topic(study.slug, "401", {"answer_sentence": SENTENCE}, None)
    assert clone(study, "copy", "Copy", None).topics.get().answer_sentence == SENTENCE
    said = r"Topic 401: answer_sentence: At most 1000 characters; this has 1001\."
    with pytest.raises(BadStudy, match=said):
        change_topic(study.slug, "401", {"answer_sentence": "x" * 1001}, None)


# --- read again -----------------------------------------------------------------------------------
CHANGED = "This text was changed on"


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
