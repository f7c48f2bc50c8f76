"""The sentence that answers a topic's question: shown after a wrong answer, and never before."""

import pytest

from judging.models import StudyTopic
from judging.studies.configuration.changing import change_topic
from judging.studies.configuration.cloning import clone
from judging.studies.faults import BadStudy
from tests.factory import make_study
from tests.judging.browsing import Browser

SENTENCE = "Lamps <b>burn</b> oil."


def test_who_answered_wrongly_reads_it_then_and_not_before(clock, db):
    study = make_study(question_tries=2)
    StudyTopic.objects.update(answer_sentence=SENTENCE)
    browser = Browser(study)
    page = browser.walk_to("topic", clock)
    assert "burn" not in page.html
    assert "burn" not in browser.answer(right=False).html, "the question is asked once more"
    page = browser.answer(right=False)
    assert page.step == "failed"
    assert "This sentence answers it: Lamps <b>burn</b> oil." in page.words
    assert "Which one?" in page.words
    assert "What about 401?" in page.words


def test_without_one_the_topic_stands_alone(clock, db):
    browser = Browser(make_study())
    browser.walk_to("topic", clock)
    page = browser.answer(right=False)
    assert "sentence answers" not in page.words
    assert "What about 401?" in page.words


def test_it_is_set_up_and_copied_like_the_rest_of_a_topic(db):
    study = make_study(opened=False)
    change_topic(study.slug, "401", {"answer_sentence": SENTENCE}, None)
    assert clone(study, "copy", "Copy", None).topics.get().answer_sentence == SENTENCE
    with pytest.raises(BadStudy, match=r"Topic 401: answer_sentence: .*at most 1000 characters"):
        change_topic(study.slug, "401", {"answer_sentence": "x" * 1001}, None)
