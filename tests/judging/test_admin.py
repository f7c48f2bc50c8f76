"""The admin: what may be changed there, what may not, and what it keeps a record of."""

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.collections.importing import lock_or_create
from judging.models import Collection, Document, Judgment, Label, Run, Study, Topic
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.settings import create_study
from tests.cast import Person, ada
from tests.database import Elsewhere
from tests.factory import make_study
from tests.factory.completed import complete
from tests.judging.races.overlapping import settle


def address(page: str, *keys: int, of: str = "study") -> str:
    return reverse(f"admin:judging_{of}_{page}", args=keys)


@pytest.fixture
def study(db) -> Study:
    return make_study()


def fields(client: Client, study: Study) -> dict[str, str]:
    """What the form of a study holds, as a browser would send it back."""
    page = client.get(address("change", study.pk))
    form = page.context["adminform"].form
    held = {name: form[name].value() for name in form.fields}
    inline = page.context["inline_admin_formsets"][0].formset.management_form
    held |= {inline.add_prefix(name): inline[name].value() for name in inline.fields}
    return {name: value for name, value in held.items() if value not in (None, False)}


def save(client: Client, study: Study, **changes: object) -> None:
    answer = client.post(address("change", study.pk), fields(client, study) | changes)
    assert answer.status_code == 302, answer.context["errors"]
    study.refresh_from_db()


def queries(client: Client, path: str) -> int:
    client.get(path)  # what is asked once, as content types are
    with CaptureQueriesContext(connection) as asked:
        assert client.get(path).status_code == 200
    return len(asked)


# --- the settings of a study --------------------------------------------------------------------
@pytest.fixture
def draft(db) -> Study:
    """Not planned yet."""
    planned = make_study(opened=False)
    return create_study("draft", planned.collection.slug, {"title": "A draft"})


def test_settings_of_a_draft_may_be_changed(admin_client, draft):
    save(admin_client, draft, title="Better", unit_size=5, redundancy=3)
    assert (draft.title, draft.unit_size, draft.redundancy) == ("Better", 5, 3)


def test_settings_are_checked_together_as_on_the_set_up(admin_client, draft):
    form = fields(admin_client, draft) | {"platform": "sona", "completion_code": "CDONE"}
    answer = admin_client.post(address("change", draft.pk), form)
    (fault,) = answer.context["adminform"].form.errors["completion_code"]
    assert fault.startswith("only Prolific and Connect take one")
    save(admin_client, draft, scale="graded", levels="no, never\nyes")
    assert draft.levels == ["no, never", "yes"]


def test_a_demo_study_pays_nothing(admin_client, db):
    study = make_study(demo=True, payment=0, opened=False)
    assert "payment" not in fields(admin_client, study)
    save(admin_client, study, payment=1, title="Better")
    assert (study.payment, study.title) == (0, "Better")


@pytest.mark.django_db(transaction=True)
def test_saving_does_not_undo_what_happened_meanwhile(admin_client):
    """The study closes, and its first worker comes, while somebody looks at its form."""
    study = make_study()
    form = fields(admin_client, study)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        changed = form | {"platform_fee": "0.15"}
        saving = Elsewhere(lambda: admin_client.post(address("change", study.pk), changed))
        settle(saving)
        close_study(study.slug)
        Study.objects.filter(pk=study.pk).update(crowd="people")
    assert saving.result().status_code == 302
    study.refresh_from_db()
    assert (study.stage, study.crowd, str(study.platform_fee)) == ("closed", "people", "0.1500")
    assert study.closed_at


@pytest.mark.django_db(transaction=True)
def test_a_setting_that_was_sent_before_the_study_opened_comes_too_late(admin_client):
    study = make_study(opened=False)
    form = fields(admin_client, study)
    with transaction.atomic():
        lock_or_create(study.collection.slug)
        Study.objects.select_for_update().get(pk=study.pk)
        changed = form | {"minimum_seconds": 0}
        saving = Elsewhere(lambda: admin_client.post(address("change", study.pk), changed))
        settle(saving)
        open_study(study.slug)
    saving.result()
    study.refresh_from_db()
    assert (study.stage, study.minimum_seconds) == ("open", 20)


# --- how much a page asks -----------------------------------------------------------------------
def test_the_page_of_a_study_asks_the_same_for_few_topics_and_for_many(admin_client, db):
    asked = {
        queries(admin_client, address("change", make_study(topics=topics).pk)) for topics in (2, 9)
    }
    assert len(asked) == 1


LISTS = "assignment checkfailure collection document platformaccount run study topic worker"


def test_a_list_asks_the_same_for_few_rows_and_for_many(admin_client, db):
    def counts() -> dict[str, int]:
        return {of: queries(admin_client, address("changelist", of=of)) for of in LISTS.split()}

    ada(make_study()).complete()
    few = counts()
    for _ in range(3):
        complete(make_study(), "ada")
    assert counts() == few


# --- withdrawing --------------------------------------------------------------------------------
def withdraw(client: Client, *people: Person) -> str:
    keys = [person.assignment.pk for person in people]
    chosen = {"action": "withdraw", "_selected_action": keys}
    answer = client.post(address("changelist", of="assignment"), chosen, follow=True)
    return "".join(str(message) for message in answer.context["messages"])


def test_withdrawing_is_recorded(admin_client, study, worker, another):
    code = worker.complete()
    another.begin()
    assert withdraw(admin_client, worker, another) == f"Withdrawn: {code}"
    assert not Judgment.objects.exists()
    entry = LogEntry.objects.get()
    assert (entry.object_id, entry.user.username) == (str(worker.assignment.pk), "admin")
    assert "judgments deleted" in entry.get_change_message()


def test_nothing_withdrawn_leaves_no_record(admin_client, study, worker):
    worker.begin()
    assert withdraw(admin_client, worker) == "Withdrawn: none of these is completed"
    assert not LogEntry.objects.exists()


# --- deleting a collection ----------------------------------------------------------------------
@pytest.fixture
def unused(db) -> Collection:
    """A collection that no study is on: its one study is gone."""
    study = make_study()
    home = study.collection
    Run.objects.create(collection=home, tag="one")
    study.delete()
    return home


def test_what_hangs_on_a_collection_is_said_before_it_is_deleted(admin_client, unused):
    other = make_study().collection
    page = admin_client.get(address("delete", unused.pk, of="collection"))
    said = " ".join(page.content.decode().split())
    for part in ("1 topic", "14 documents", "1 run", "14 labels"):
        assert part in said
    assert "D401-001" not in said  # thousands would stand here
    admin_client.post(address("delete", unused.pk, of="collection"), {"post": "yes"})
    assert Collection.objects.get() == other
    assert Topic.objects.count() == 1
    assert Document.objects.count() == Label.objects.count() == 14
    assert LogEntry.objects.get().object_repr == unused.slug


def test_a_collection_that_a_study_is_on_is_not_deleted(admin_client, db):
    home = make_study(opened=False).collection
    page = admin_client.get(address("delete", home.pk, of="collection"))
    assert page.status_code == 403 or "would require deleting" in page.content.decode()
    admin_client.post(address("delete", home.pk, of="collection"), {"post": "yes"})
    assert Collection.objects.get() == home
    assert Document.objects.count() == 14


def test_several_collections_at_once(admin_client, unused):
    used = make_study().collection
    path = address("changelist", of="collection")
    chosen = {"action": "delete_selected", "_selected_action": [unused.pk], "post": "yes"}
    both = chosen | {"_selected_action": [unused.pk, used.pk]}
    admin_client.post(path, both)
    assert Collection.objects.count() == 2
    admin_client.post(path, chosen)
    assert Collection.objects.get() == used
