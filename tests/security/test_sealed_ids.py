"""Platforms' ids are sealed, and their people stand where they stood, whatever the keys."""

import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection

from judging.models import IdKeys, Participant, PlatformAccount, Study, Worker, sealed_ids
from judging.studies.retention import purge_accounts
from judging.studies.underway.opening import close_study
from operations.health.parts import ids
from operations.ids import left
from tests.cast import Person
from tests.database import at_once
from tests.factory import make_study
from tests.judging.browsing import Browser
from web.sealed_ids import CannotOpen, lookups

pytestmark = pytest.mark.django_db
LINK = "?PROLIFIC_PID=5f1e&STUDY_ID=there&SESSION_ID=sub-1"
OLD, NEW = "of yesterday" * 5, "of today" * 8


@pytest.fixture
def version_0_1() -> None:
    """A database in which version 0.1 may still be reading."""
    IdKeys.of_site()
    IdKeys.objects.update(seals=False)


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


def quietly(name: str) -> None:
    call_command(name, stdout=io.StringIO())


# --- what is stored -----------------------------------------------------------------------------
def test_no_id_can_be_read_in_the_database(study, clock) -> None:
    Participant.objects.create(study=study, external_id="of the list")
    begins(study)
    held = columns() + columns("judging_participant")
    for secret in ("5f1e", "sub-1", "there", "of the list"):
        assert secret not in held
    account = PlatformAccount.objects.get()
    assert (account.external_id, account.ids) == (
        "5f1e",
        {"STUDY_ID": "there", "SESSION_ID": "sub-1"},
    )
    assert Participant.objects.known_as("of the list").get().external_id == "of the list"


def test_an_id_opens_in_its_own_row_alone(clock) -> None:
    first, second = make_study(), make_study()
    for study in (first, second):
        begins(study)
    stolen = PlatformAccount.objects.get(study=first).sealed
    PlatformAccount.objects.filter(study=second).update(sealed=stolen)
    with pytest.raises(CannotOpen):
        _ = PlatformAccount.objects.get(study=second).external_id


def test_the_digest_of_an_id_is_no_id(study, clock) -> None:
    """Whoever has read the database is nobody by it."""
    begins(study)
    digest = PlatformAccount.objects.get().found_by
    assert digest in lookups("5f1e")
    assert not PlatformAccount.objects.known_as(digest).exists()


def test_the_admin_finds_an_id_by_the_whole_of_it(study, clock, admin_client) -> None:
    begins(study)
    Participant.objects.create(study=study, external_id="77aa")
    for table, whole in (("platformaccount", "5f1e"), ("participant", "77aa")):
        for term, number in ((whole, 1), (whole[:3], 0)):
            page = admin_client.get(f"/admin/judging/{table}/?q={term}")
            assert page.context["cl"].result_count == number, (table, term)
    row = Participant.objects.get()
    address = f"/admin/judging/participant/{row.pk}/change/"
    assert 'value="77aa"' in admin_client.get(address).content.decode()
    admin_client.post(address, {"study": study.pk, "external_id": "88bb"})
    assert Participant.objects.get().external_id == "88bb"


def test_a_process_with_other_keys_writes_nothing(study, clock, settings) -> None:
    begins(study)
    settings.PLATFORM_ID_LOOKUP_KEYS = [NEW]
    with pytest.raises(ImproperlyConfigured, match="PLATFORM_ID_LOOKUP_KEY_FALLBACKS"):
        Person(study, "dora", platform="prolific", external_id="5f1e").begin()
    assert PlatformAccount.objects.count() == 1


def test_an_id_that_no_key_opens_can_still_be_forgotten(study, clock, settings) -> None:
    begins(study)
    settings.PLATFORM_ID_KEYS = settings.PLATFORM_ID_LOOKUP_KEYS = [NEW]
    study.retention_days = 0
    study.save()
    closed_at = close_study(study.slug).closed_at
    assert purge_accounts(closed_at + timedelta(seconds=1)) == 1
    assert not PlatformAccount.objects.exists()


def test_the_state_of_the_site_tells_of_other_keys_and_of_an_unfinished_upgrade(
    study, clock, settings
) -> None:
    assert ids.keys().state == "ok"
    IdKeys.objects.update(seals=False)
    assert "finish_upgrade" in ids.keys().mend
    IdKeys.objects.update(seals=True)
    settings.PLATFORM_ID_KEYS = [NEW]
    assert ids.keys().state == "down"


# --- the upgrade from version 0.1 ---------------------------------------------------------------
def test_beside_version_0_1_ids_are_kept_as_it_reads_them(version_0_1, study, clock) -> None:
    """What it asks is whether there is a row of this id; what it writes are the plain columns."""
    begins(study)
    assert "5f1e" in columns()
    account = PlatformAccount.objects.get()
    assert (account.found_by, account.sealed) == ("5f1e", "")
    PlatformAccount.objects.update(plain_ids={"SESSION_ID": "sub-2"})  # as it confirms one
    assert arrives(study, LINK.replace("sub-1", "sub-2")).page.step == "document"
    with pytest.raises(CommandError, match="finish_upgrade"):
        quietly("rotate_keys")


def test_the_same_person_before_amid_and_after_the_upgrade(
    version_0_1, study, clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealed_ids, "BATCH", 1)
    for number in range(3):
        Participant.objects.create(study=study, external_id=f"of the list {number}")
    begins(study)
    assert still_stands(study)
    IdKeys.finish_upgrade()
    assert still_stands(study), "its row is not sealed yet"
    assert Participant.objects.seal() == 1
    assert len({row.external_id for row in study.participants.all()}) == 3
    quietly("finish_upgrade")
    assert still_stands(study)
    assert left() == 0
    assert "5f1e" not in columns()
    assert "of the list" not in columns("judging_participant")
    assert Worker.objects.count() == 1


def test_a_straggler_of_version_0_1_is_found_and_sealed_by_running_it_again(
    version_0_1, study, clock
) -> None:
    quietly("finish_upgrade")
    worker = Person(study, "ada")
    worker.begin()
    PlatformAccount.objects.bulk_create([])
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO judging_platformaccount (worker_id, study_id, platform, external_id, ids,"
            " submission_over) VALUES (%s, %s, 'prolific', '5f1e', '{}', false)",
            [worker.worker.pk, study.pk],
        )
    assert PlatformAccount.objects.known_as("5f1e").get().external_id == "5f1e"
    assert left() == 1
    quietly("finish_upgrade")
    assert left() == 0
    assert PlatformAccount.objects.known_as("5f1e").get().external_id == "5f1e"


# --- new keys -----------------------------------------------------------------------------------
@pytest.fixture
def keys(settings) -> Any:
    """Give this process keys: the first is that which rotate_keys makes the present one."""

    def give(*several: str) -> None:
        settings.PLATFORM_ID_KEYS = [f"{key} to seal" for key in several]
        settings.PLATFORM_ID_LOOKUP_KEYS = [f"{key} to find" for key in several]

    IdKeys.objects.all().delete()
    give(OLD)
    return give


def test_the_same_person_before_amid_and_after_new_keys(
    study, clock, keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealed_ids, "BATCH", 1)
    begins(study)
    begins(study, LINK.replace("5f1e", "77aa").replace("sub-1", "sub-2"))
    keys(NEW, OLD)
    assert still_stands(study), "this process has the new key, and the old one as one of the past"
    keys(OLD, NEW)
    assert still_stands(study), "another one is not restarted with the new one first"
    keys(NEW, OLD)
    IdKeys.rotate()
    assert PlatformAccount.objects.seal() == 1
    assert still_stands(study)
    quietly("rotate_keys")
    assert still_stands(study)
    assert left() == 0
    keys(NEW)
    assert still_stands(study), "the old key is gone"
    assert {row.external_id for row in PlatformAccount.objects.all()} == {"5f1e", "77aa"}
    assert Worker.objects.count() == 2


def test_until_keys_are_rotated_everybody_writes_by_the_old_ones(study, clock, keys) -> None:
    """So that a process which is not restarted yet finds whom one that is has let in."""
    begins(study)
    keys(NEW, OLD)
    begins(study, LINK.replace("5f1e", "77aa").replace("sub-1", "sub-2"))
    keys(OLD)
    assert {row.external_id for row in PlatformAccount.objects.all()} == {"5f1e", "77aa"}


def test_what_no_key_opens_is_told_and_left_as_it_is(study, clock, keys) -> None:
    begins(study)
    before = columns()
    keys(NEW)
    with pytest.raises(ImproperlyConfigured):
        quietly("rotate_keys")
    IdKeys.objects.all().delete()
    with pytest.raises(CommandError, match="PLATFORM_ID_KEY"):
        quietly("rotate_keys")
    assert columns() == before


@pytest.mark.django_db(transaction=True)
def test_people_come_while_keys_are_rotated(keys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed_ids, "BATCH", 1)
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
    assert left() == 0
    ids = [row.external_id for row in PlatformAccount.objects.all()]
    assert sorted(ids) == [f"id-{n}" for n in range(9)], "each is one worker"
    assert Worker.objects.count() == 9
