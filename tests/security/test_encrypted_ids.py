"""Platforms' ids are encrypted, and their people stand where they stood, whatever the keys."""

import io
from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection

from judging.models import Participant, PlatformAccount, Study, Worker
from judging.studies.conduct.closing import close_study
from judging.studies.configuration.participants import add_participants
from judging.studies.retention import purge_accounts
from operations.health import database
from operations.management.commands import rotate_keys
from tests.cast import Person
from tests.database import at_once
from tests.factory import make_study
from tests.judging.browsing import Browser
from web import encryption
from web.encryption import CannotDecrypt, digests

pytestmark = pytest.mark.django_db
LINK = "?PROLIFIC_PID=pid-5f1e&STUDY_ID=there&SESSION_ID=sub-1"
OLD, NEW = "of yesterday" * 5, "of today" * 8


def columns(table: str = "judging_platformaccount") -> str:
    """All that a table holds, as whoever steals the database reads it."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT array_agg(t::text)::text FROM {table} t")
        return str(cursor.fetchone()[0])


def arrives(study: Study, link: str = LINK) -> Browser:
    browser = Browser(study)
    browser.get(link)
    return browser


def begins(study: Study, link: str = LINK) -> Browser:
    browser = arrives(study, link)
    browser.come_to_documents()
    return browser


def still_stands(study: Study) -> bool:
    """Whether somebody who comes with the same submission on a new device goes on there."""
    return arrives(study).page.step == "document"


def quietly(name: str) -> str:
    """What a command prints."""
    call_command(name, stdout=(output := io.StringIO()))
    return output.getvalue()


# --- what is stored -----------------------------------------------------------------------------
def test_no_id_can_be_read_in_the_database(study, clock):
    Participant.objects.create(study=study, external_id="of-the-list")
    begins(study)
    held = columns() + columns("judging_participant")
    for secret in ("pid-5f1e", "sub-1", "there", "of-the-list"):
        assert secret not in held
    account = PlatformAccount.objects.get()
    assert (account.external_id, account.ids) == (
        "pid-5f1e",
        {"STUDY_ID": "there", "SESSION_ID": "sub-1"},
    )
    assert Participant.objects.get().external_id == "of-the-list"


def test_an_id_opens_in_its_own_row_alone(study, clock):
    for n in (1, 2):
        begins(study, LINK.replace("pid-5f1e", f"id-{n}"))
        Participant.objects.create(study=study, external_id=f"listed-{n}")
    for model in (PlatformAccount, Participant):
        first, second = model.objects.order_by("pk")
        stored = model.objects.filter(pk=first.pk).values_list("external_id", flat=True)[0]
        model.objects.filter(pk=second.pk).update(external_id=stored)
        with pytest.raises(CannotDecrypt):
            _ = model.objects.get(pk=second.pk).external_id
        assert model.objects.get(pk=first.pk).external_id.endswith("-1")


def test_the_digest_of_an_id_is_no_id(study, clock):
    """Whoever has read the database is nobody by it."""
    begins(study)
    digest = PlatformAccount.objects.get().external_id_hash
    assert digests("pid-5f1e") == [digest]
    assert arrives(study, LINK.replace("pid-5f1e", digest)).page.step != "document"


def test_the_admin_finds_an_id_by_the_whole_of_it(study, clock, admin_client):
    begins(study)
    Participant.objects.create(study=study, external_id="77aa")
    for table, whole in (("platformaccount", "pid-5f1e"), ("participant", "77aa")):
        for term, number in ((whole, 1), (whole[:3], 0)):
            page = admin_client.get(f"/admin/judging/{table}/?q={term}")
            assert page.context["cl"].result_count == number, (table, term)
    row = Participant.objects.get()
    address = f"/admin/judging/participant/{row.pk}/change/"
    assert 'value="77aa"' in admin_client.get(address).content.decode()
    admin_client.post(address, {"study": study.pk, "external_id": "88bb"})
    assert Participant.objects.get().external_id == "88bb"


def test_a_process_with_other_keys_writes_nothing(study, clock, settings):
    begins(study)
    Participant.objects.create(study=study, external_id="of-the-list")
    settings.ENCRYPTION_KEYS = [NEW]
    with pytest.raises(ImproperlyConfigured, match="ENCRYPTION_KEY"):
        Person(study, "dora", platform="prolific", external_id="pid-5f1e").begin()
    with pytest.raises(ImproperlyConfigured, match="ENCRYPTION_KEY"):
        add_participants(study, ["of-the-list"], None)
    assert (PlatformAccount.objects.count(), Participant.objects.count()) == (1, 1)


def test_an_id_that_no_key_opens_can_still_be_forgotten(study, clock, settings):
    begins(study)
    settings.ENCRYPTION_KEYS = [NEW]
    study.retention_days = 0
    study.save()
    closed_at = close_study(study.slug).closed_at
    assert purge_accounts(closed_at + timedelta(seconds=1)) == 1
    assert not PlatformAccount.objects.exists()


def test_the_state_of_the_site_tells_of_other_keys(study, clock, settings):
    assert database.keys().state == "ok"
    begins(study)
    assert database.keys().state == "ok"
    settings.ENCRYPTION_KEYS = [NEW]
    assert database.keys().state == "down"


# --- new keys -----------------------------------------------------------------------------------
@pytest.fixture
def keys(settings):
    """Give this process keys; the first encrypts."""

    def give(*several):
        settings.ENCRYPTION_KEYS = list(several)

    give(OLD)
    return give


def test_the_same_person_before_amid_and_after_new_keys(study, clock, keys, monkeypatch):
    monkeypatch.setattr(rotate_keys, "BATCH", 1)
    begins(study)
    begins(study, LINK.replace("pid-5f1e", "77aa").replace("sub-1", "sub-2"))
    keys(OLD, NEW)
    assert still_stands(study), "this process has the new key already"
    keys(NEW, OLD)
    assert still_stands(study), "and writes by it now"
    other = make_study()
    begins(other)
    keys(OLD, NEW)
    assert still_stands(other), "another process does not write by it yet"
    keys(NEW, OLD)
    assert "2 rows" in quietly("rotate_keys")
    assert still_stands(study)
    assert "0 rows encrypted anew. The old keys may go." in quietly("rotate_keys")
    keys(NEW)
    assert still_stands(study), "the old key is gone"
    assert {row.external_id for row in PlatformAccount.objects.all()} == {"pid-5f1e", "77aa"}
    assert Worker.objects.count() == 3


def test_a_rotation_that_was_cut_goes_on(study, keys, monkeypatch):
    monkeypatch.setattr(rotate_keys, "BATCH", 2)
    for n in range(5):
        Participant.objects.create(study=study, external_id=f"id-{n}")
    keys(NEW, OLD)
    done: list[object] = []

    def cut(row):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(row)
        return encryption.reencrypt(row)

    monkeypatch.setattr(rotate_keys, "reencrypt", cut)
    with pytest.raises(KeyboardInterrupt):
        quietly("rotate_keys")
    monkeypatch.undo()
    assert "rows encrypted anew" in quietly("rotate_keys")
    assert "0 rows encrypted anew" in quietly("rotate_keys")
    keys(NEW)
    assert [row.external_id for row in Participant.objects.order_by("pk")] == [
        f"id-{n}" for n in range(5)
    ]


def test_a_process_that_lacks_the_new_key_makes_nobody_anew(clock, keys):
    """By the newest row, which is encrypted anew first, it notices."""
    study = make_study(redundancy=30)
    begins(study)
    begins(study, LINK.replace("pid-5f1e", "77aa").replace("sub-1", "sub-2"))
    keys(NEW, OLD)
    encryption.reencrypt(PlatformAccount.objects.latest("pk"))
    keys(OLD)
    with pytest.raises(ImproperlyConfigured):
        Person(study, "again", platform="prolific", external_id="77aa").begin()
    assert Worker.objects.count() == 2


def test_what_no_key_opens_is_told_and_left_as_it_is(study, clock, keys):
    begins(study)
    before = columns()
    keys(NEW)
    with pytest.raises(CommandError, match="No key opens 1, which must be made anew: prolific"):
        quietly("rotate_keys")
    assert columns() == before


@pytest.mark.django_db(transaction=True)
def test_people_come_while_keys_are_rotated(keys, monkeypatch):
    monkeypatch.setattr(rotate_keys, "BATCH", 1)
    study = make_study(redundancy=30)
    people = [
        Person(study, f"w{n}", platform="prolific", external_id=f"id-{n}", verified=True)
        for n in range(6)
    ]
    for person in people:
        person.begin()
    keys(NEW, OLD)
    again = [
        Person(study, f"again-{n}", platform="prolific", external_id=f"id-{n % 9}", verified=True)
        for n in range(18)
    ]
    at_once(lambda: quietly("rotate_keys"), *(person.begin for person in again))
    quietly("rotate_keys")
    assert "0 rows" in quietly("rotate_keys")
    ids = [row.external_id for row in PlatformAccount.objects.all()]
    assert sorted(ids) == [f"id-{n}" for n in range(9)], "each is one worker"
    assert Worker.objects.count() == 9
