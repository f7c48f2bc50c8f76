"""A rehearsal from its page: made, handed out, read, ended and deleted."""

import re
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from judging.models import Comment, Role, Study
from judging.monitoring.rehearsed import duration, people
from judging.studies.rehearsal import rehearse
from tests.cast import carl
from tests.desks import desk_of
from tests.factory import NOON, later, make_study
from tests.factory.completed import complete
from tests.judging.browsing import Browser, stopped_clock

pytestmark = pytest.mark.django_db


def page(client: Client, study: Study) -> str:
    response = client.get(f"/studies/{study.slug}/set-up/rehearsal/")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_made_handed_out_ended_and_deleted():
    study = make_study(topics=2)
    client = desk_of(study, Role.EDITOR)
    assert "Try the study out with a few people" in page(client, study)
    made = client.post(f"/studies/{study.slug}/set-up/rehearsal/", {"topics": "402", "units": "1"})
    rehearsal = study.rehearsals.get()
    assert made.url == f"/studies/{rehearsal.slug}/set-up/rehearsal/"
    assert "1 rehearsal of this study" in page(client, study)
    link = re.search(r"http://testserver(/study/[\w-]+/)", page(client, rehearsal))
    assert Client().get(link[1]).status_code == 200
    client.post(made.url, {"action": "end"})
    rehearsal.refresh_from_db()
    assert rehearsal.stage == "closed"
    assert "nobody new comes in" in page(client, rehearsal)
    asked = client.post(made.url, {"action": "delete"}).content.decode()
    assert "What 0 people judged and wrote" in asked
    assert study.rehearsals.exists()
    sure = {"action": "delete", "sure": "yes"}
    assert client.post(made.url, sure).url == f"/studies/{study.slug}/set-up/rehearsal/"
    assert not study.rehearsals.exists()
    assert client.get(made.url).status_code == 404


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"units": "1"}, "Choose at least one topic."),
        ({"topics": "401", "units": "99"}, "At most 20."),
        ({"topics": "402", "units": "1"}, "Topic 402 has no question"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_chosen_stays(sent, told):
    study = make_study(topics=2, opened=False)
    study.topics.filter(topic__query_id="402").update(question="", options=[], answer="")
    client = desk_of(study, Role.EDITOR)
    answer = client.post(f"/studies/{study.slug}/set-up/rehearsal/", sent).content.decode()
    assert told in answer
    assert f'value="{sent["units"]}"' in answer
    assert (answer.count("checked") == 1) == ("topics" in sent)
    assert not study.rehearsals.exists()


def test_what_its_people_did_and_said():
    study = make_study(payment=2, documents=20)
    rehearsal = rehearse(study, None, units=3)
    complete(rehearsal, "ben", at=NOON, seconds=45)
    carl(rehearsal).finish()
    with stopped_clock() as clock:
        browser = Browser(rehearsal)
        browser.get()
        browser.come_to_documents()
        browser.judge_all(clock)
        answer = browser.press("comment", comment=" The lines are <b>odd</b>. ")
        assert "Your comment has been passed on." in answer.main_text
        browser.press("comment", comment="The lines are <b>odd</b>.")
    assert Comment.objects.get().text == "The lines are <b>odd</b>."
    client = desk_of(study, Role.VIEWER)
    assert '<td class="number">3</td><td class="number">2 of 3</td>' in page(client, study)
    shown = page(client, rehearsal)
    assert "A unit took " in shown
    assert "3 people have come: 2 of 3 units are done" in shown
    assert "The lines are &lt;b&gt;odd&lt;/b&gt;." in shown
    assert "(d) seconds on every document" in shown
    assert "It says what was asked for." in shown
    assert "End the rehearsal" not in shown  # a viewer's page
    took = duration(study, people(rehearsal, later(9999)))
    assert took.sets == 2
    assert took.hourly == round(Decimal(2) / (Decimal(took.minutes) / 60), 2)


def test_nobody_comments_on_a_study():
    study = make_study()
    with stopped_clock() as clock:
        browser = Browser(study)
        browser.get()
        browser.come_to_documents()
        browser.judge_all(clock)
        assert "What should be changed" not in browser.page.main_text
        browser.post(browser.address, {"action": "comment", "comment": "x"})
    assert not Comment.objects.exists()


def test_more_people_take_no_more_queries():
    study = make_study(documents=32)
    rehearsal = rehearse(study, None, units=4)
    client = desk_of(study, Role.VIEWER)
    counts = []
    for name in ("ada", "ben", "cleo"):
        complete(rehearsal, name)
        page(client, rehearsal)
        with CaptureQueriesContext(connection) as queries:
            page(client, rehearsal)
        counts.append(len(queries))
    assert len(set(counts)) == 1, counts
