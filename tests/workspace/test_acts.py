"""Acts by page, REST and command: what is done, asked and refused."""

import json
import sys
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import Token, User
from judging.acts.collections import ACTS as OF_COLLECTION
from judging.acts.studies import ACTS, RUNNING
from judging.models import Collection, Payment, Study
from tests.cast import ada
from tests.desks import with_token
from tests.factory import make_study
from tests.factory.completed import complete
from workspace.acts import BY_COMMAND
from workspace.running.run_page import BUTTONS, lines_of
from workspace.running.trail_sentences import SENTENCES

pytestmark = pytest.mark.django_db
# The addresses in REST of acts that are not POST to their own names.
LISTS = {
    "add-batch": "batches/",
    "add-participants": "participants/",
    "exclude": "exclusions/",
    "remove-participants": "participants/remove/",
}
# Acts that tests of their own try by each of their doors.
ELSEWHERE = {"add-member", "clone", "delete", "discard-plan", "draw-topics", "refuse-payment"}
DELETED = {
    "clear-participants": "participants/",
    "delete": "?typed={typed}",
    "take-back-exclusion": "exclusions/{worker}/",
}


@pytest.fixture
def study():
    return make_study(topics=2)


def act(subject: object, *words: str) -> None:
    call_command("act", str(subject), *words)


def by_command(study: Study, name: str, values: dict[str, Any]) -> None:
    texts = {key: v if isinstance(v, str) else json.dumps(v) for key, v in values.items()}
    act(study, name, *map("=".join, texts.items()))


def by_rest(study: Study, name: str, values: dict[str, Any]) -> None:
    Token.objects.all().delete()
    client, below = with_token(User.objects.get()), f"/api/v1/studies/{study.slug}/"
    if name in DELETED:
        response = client.delete(below + DELETED[name].format(**values))
    else:
        sent = {"final": True} if name == "close" else values
        address = below + LISTS.get(name, f"{name}/")
        response = client.post(address, sent, content_type="application/json")
    assert response.status_code in (200, 201, 204), response.content


def by_page(study: Study, name: str, values: dict[str, Any]) -> None:
    """By a button of the pages that run a study; acts that they have none for by REST."""
    button = next((key for key, of in BUTTONS.items() if of.act == name), None)
    if button is None:
        return by_rest(study, name, values)
    client = Client()
    client.force_login(User.objects.get())
    if documents := values.get("documents"):
        values = values | {"documents": lines_of(documents), "all_judgments": "on"}
    if values.get("all_judgments") is False:
        values = {}  # a box that is not ticked
    address = reverse(BUTTONS[button].page, args=[study.slug])
    assert f'name="action" value="{button}"' in client.get(address).content.decode()
    response = client.post(
        f"/studies/{study.slug}/recruit/", {"action": button, "sure": "yes", **values}
    )
    assert response.status_code == 302, response.content
    return None


# --- by each door ---------------------------------------------------------------------------------
@pytest.mark.parametrize("door", [by_command, by_rest, by_page])
def test_the_same_is_done_by_each_door(study, door):
    User.objects.create_superuser("rosa")
    judged, held = complete(study, "carl").assignment, ada(study)
    held.begin()
    code, payment = judged.completion_code, Payment.objects.get().pk
    begun = study.trail.count()
    steps: list[tuple[str, dict[str, Any], str]] = [
        ("pause", {}, "paused"),
        ("resume", {}, "resumed"),
        ("raise-payment", {"payment": "1.75"}, "raised payment"),
        (
            "add-batch",
            {"documents": {"401": ["D401-005"]}, "redundancy": 2, "seed": 3},
            "counted all",
        ),
        ("count-judgments", {"all_judgments": False}, "counted redundancy"),
        ("exclude", {"worker": "carl", "reason": "pasted"}, "excluded"),
        ("take-back-exclusion", {"worker": "carl"}, "took back exclusion"),
        ("release-unit", {"unit": str(held.assignment.unit)}, "released"),
        ("add-participants", {"ids": ["5f1e", "77aa"]}, "listed participants"),
        ("remove-participants", {"ids": ["5f1e"]}, "took participants off the list"),
        ("clear-participants", {}, "took participants off the list"),
        ("approve-payments", {"payments": [payment]}, "approved payments"),
        ("owe-again", {"payments": [payment]}, "owed payments again"),
        ("mark-paid", {"names": f"{code} FFFF"}, "marked payments as paid"),
        ("withdraw", {"code": code}, "withdrew"),
        ("close", {}, "closed"),
        ("archive", {}, "archived"),
        ("unarchive", {}, "unarchived"),
        ("rename", {"slug": "mine", "title": "Mine"}, "changed settings"),
    ]
    assert ACTS.keys() == {name for name, _, _ in steps} | ELSEWHERE
    assert {action for _, _, action in steps} - {"raised payment", "changed settings"} <= set(
        SENTENCES
    )
    for name, values, action in steps:
        door(study, name, values)
        study.refresh_from_db()
        assert study.trail.latest("pk").action == action, name
    assert study.trail.count() == begun + len(steps) + 2  # a batch and a new name make two each
    assert (study.slug, study.title, study.stage) == ("mine", "Mine", "closed")
    assert (str(study.payment), study.archived_at) == ("1.75", None)
    assert study.batches.get().chosen == {"401": ["D401-005"]}
    assert Payment.objects.get().state == "paid"
    judged.refresh_from_db()
    assert (judged.state, held.assignment.state) == ("withdrawn", "released")
    with pytest.raises((CommandError, AssertionError), match="data go with it"):
        door(study, "delete", {"typed": "yours"})
    door(study, "delete", {"typed": "mine"})
    assert not Study.objects.exists()


# --- by command -----------------------------------------------------------------------------------
def test_what_a_command_reads_and_writes(study, tmp_path, capsys):
    """The same words as the page's, and nobody in the trail."""
    User.objects.create_user("otto")
    code = complete(study, "carl").assignment.completion_code
    ids, codes = tmp_path / "ids", tmp_path / "codes"
    ids.write_text("5f1e\n77aa\n")
    codes.write_text(f"{code}\nFFFF\n")
    for words, output in (
        ("pause", "The study is paused."),
        ("raise-payment payment=1.75", "paid 1.75 USD"),
        ("resume", "The study goes on."),
        ("add-batch redundancy=1 number=1", "Batch 1 is added: 4 units."),
        ("add-batch redundancy=1 number=1", "Batch 1 is added: 4 units."),
        (f"add-participants ids=@{ids}", "2 on the list, 0 of them have come."),
        ("remove-participants ids=5f1e,77aa", "0 on the list"),
        (f"mark-paid names=@{codes}", "1 payment of 1 changed. Of no payment: FFFF."),
        ("add-member username=otto role=viewer", "otto is viewer of study"),
        ("close", "The study is closed."),
        ("rename title=Mine", "has the title Mine"),
        (f"delete typed={study}", "Deleted, 2 topics, "),
    ):
        act(study, *words.split())
        assert output in capsys.readouterr().out, words
        assert {entry.by for entry in study.trail.all()} <= {None}
    assert not Study.objects.exists()


def test_a_plan_is_discarded_by_command():
    draft = make_study(opened=False)
    act(draft, "discard-plan")
    assert not draft.units.exists()


def test_a_collection_by_command(study, capsys):
    collection, rosa = study.collection, User.objects.create_user("rosa")
    study.delete()
    collection.runs.create(tag="bm25")
    for words, output in (
        ("share username=rosa", "rosa sees the collection now."),
        ("free-texts free=true", "The texts are free to share."),
        ("rename-labels name=reference to=experts", "reference are called experts now."),
        ("rename-run name=bm25 to=first", "The run bm25 is called first now."),
        ("delete-run name=first", "The run first is deleted."),
        ("rename slug=home", "It is called home now."),
    ):
        act(f"collection/{collection.slug}", *words.split())
        assert output in capsys.readouterr().out
        collection.refresh_from_db()
    assert (collection.slug, collection.free_to_share) == ("home", True)
    assert collection.label_sets.get().name == "experts"
    assert not collection.runs.exists()
    assert list(collection.shared_with.all()) == [rosa]
    act("collection/home", "delete-labels", "name=experts")
    act("collection/home", "unshare", "username=rosa")
    act("collection/home", "delete", "typed=home")
    assert not Collection.objects.exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("{} dance", "dance: expected one of rename, "),
        ("nowhere pause", "There is no study nowhere."),
        ("collection/nowhere rename slug=x", "There is no collection nowhere."),
        ("{} resume", "must be paused"),
        ("{} pause loudly", "loudly: expected KEY=VALUE"),
        ("{} pause how=loudly", "how: no such field here; there are none"),
        ("{} withdraw", "code: This field is required."),
        ("{} withdraw code=NONE", "has this code"),
        ("{} add-batch redundancy=many", "redundancy: expected a whole number"),
        ("{} add-batch redundancy=0", "a whole number from 1 to 100 was expected"),
        ('{} add-batch redundancy=1 documents={{"499":[]}}', "has no topic 499"),
        ("{} exclude worker=nobody reason=pasted", "This study has no such worker."),
        ("{} raise-payment payment=0.5", "A unit is paid 1.00 now"),
        ("{} add-member username=nobody", "There is no user nobody."),
        ("{} add-participants ids=@/nowhere", "/nowhere: .*; expected a text in UTF-8"),
        ("{} mark-paid names=FFFF", "names no payment of study"),
        ("{} accept-anchors query_id=499 anchors_reason=read", "no such topic"),
        ("{} delete", "is open"),
        ("{} discard-plan", "is open"),
        ("{} rename slug=mine", "close it first"),
        ("{} prolific-publish", "Connect the study with Prolific first."),
    ],
)
def test_what_is_refused_by_command(study, words, why):
    entries = study.trail.count()
    with pytest.raises(CommandError, match=why):
        act(*words.format(study).split())
    study.refresh_from_db()
    assert (study.stage, study.trail.count()) == ("open", entries)


@pytest.mark.parametrize("answer", ["n", "y"])
def test_what_is_asked_in_a_terminal(study, answer, monkeypatch, capsys):
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda question: answer)
    code = complete(study, "carl").assignment.completion_code
    if answer == "y":
        act(study, "withdraw", f"code={code}")
    else:
        with pytest.raises(CommandError, match="Nothing was changed"):
            act(study, "withdraw", f"code={code}")
    assert "of worker carl. Its judgments are deleted" in capsys.readouterr().out
    assert study.trail.filter(action="withdrew").exists() == (answer == "y")


@pytest.mark.parametrize(
    ("subject", "acts"), [("", BY_COMMAND), ("s", BY_COMMAND), ("collection/c", OF_COLLECTION)]
)
def test_the_command_lists_each_act_with_its_values(subject, acts, capsys):
    call_command("act", *filter(None, [subject]))
    lines = capsys.readouterr().out.splitlines()
    assert {
        line.split()[0]: text.strip() for line, text in zip(*[iter(lines)] * 2, strict=True)
    } == {name: each.text for name, each in acts.items()}
    if acts is BY_COMMAND:
        assert "add-batch [documents] redundancy [all_judgments] [seed] [number]" in lines


@pytest.mark.parametrize("button", BUTTONS)
def test_a_form_of_the_page_has_values_of_its_act(button):
    name, form, _ = BUTTONS[button]
    assert set(form().fields) <= set(RUNNING[name].body().fields)
