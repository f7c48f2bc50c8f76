"""A note that something is wrong with a document: for the researcher, while the unit goes on."""

import pytest

from judging.models import DocumentNote, Judgment
from tests.judging.browsing import Browser
from tests.judging.invariants import broken

pytestmark = pytest.mark.django_db


def test_a_note_is_kept_and_the_unit_goes_on(judging):
    page = judging.press(
        "report", kind="broken", note=" ends in the middle ", score="5", justification="x"
    )
    assert (page.status, page.step, page.position) == (200, "document", 1)
    assert "The research team will read it." in page.words
    assert page.typed == ("5", "x")
    note = DocumentNote.objects.get()
    assert (note.position, note.kind, note.text) == (1, "broken", "ends in the middle")
    assert note.document_id == judging.assignment.order[0]
    assert Judgment.objects.get().answer is None
    assert judging.judge().position == 2


def test_the_last_note_of_a_page_counts_and_goes_with_the_judgments(judging):
    judging.press("report", kind="broken")
    judging.press("report", kind="other", note="it is fine after all")
    assert DocumentNote.objects.get().text == "it is fine after all"
    judging.press("leave")
    assert not DocumentNote.objects.exists()
    assert broken() == []


@pytest.mark.parametrize("kind", ["", "nonsense"])
def test_an_empty_note_is_asked_for(judging, kind):
    page = judging.press("report", kind=kind, note="  ")
    assert "Choose what is wrong." in page.words
    assert not DocumentNote.objects.exists()
    page = judging.press("report", kind=kind, note="half a note")
    assert page.form("report")["note"] == "half a note"
    assert DocumentNote.objects.get().kind == "other"


@pytest.mark.parametrize("action", ["next", "back", "finish"])
def test_a_note_that_was_not_sent_by_its_own_button_is_kept(judging, action):
    """Whatever becomes of the form it stands in, and it stands there when they come back."""
    judging.judge()
    typed = {"kind": "upsetting", "note": " half a no", "score": "", "justification": ""}
    page = judging.press("next", **typed)
    assert (page.position, page.form("report")["note"]) == (2, "half a no")
    assert page.form("report")["kind"] == "upsetting"
    judging.post("2/", page.sent("next", note="half a note") | {"action": action})
    note = DocumentNote.objects.get()
    assert (note.position, note.kind, note.text) == (2, "upsetting", "half a note")
    page = judging.get("2/")
    noted = page.form("report")
    assert (noted["note"], noted["kind"]) == ("half a note", "upsetting")
    page = judging.press("next", score="5", justification="x")
    assert page.form("report")["note"] == ""
    assert DocumentNote.objects.get() == note


def test_words_without_a_kind_are_of_another_kind(judging, clock):
    judging.judge(words="x")
    judging.press("back", note="it is not a text at all", kind="nonsense")
    note = DocumentNote.objects.get()
    assert (note.kind, note.text) == ("other", "it is not a text at all")
    clock.wait(60)
    judging.get("2/")
    judging.judge()  # the same note, sent once more
    assert DocumentNote.objects.get().at == note.at


def test_what_is_typed_stays_when_the_set_is_kept_longer(judging):
    page = judging.press("keep", kind="empty", note="hardly any")
    assert page.form("report")["note"] == "hardly any"
    assert page.form("report")["kind"] == "empty"
    assert DocumentNote.objects.get().text == "hardly any"


def test_the_study_reads_it(judging, clock, admin_client):
    judging.press("report", kind="upsetting", note="<b>blood</b>")
    monitor = f"/studies/{judging.study.slug}/monitor/"
    for address in (monitor, f"{monitor}topics/401/"):
        html = admin_client.get(address).content.decode()
        assert "It is upsetting" in html
        assert "&lt;b&gt;blood" in html


def test_nobody_notes_in_the_set_of_another(judging):
    other = Browser(judging.study)
    other.come_to_documents()
    judging.post("1/", {"page": other.token, "action": "report", "kind": "empty"})
    assert not DocumentNote.objects.exists()
