"""Values that are encrypted in the database, for their place."""

import io

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import transaction

from judging.models import Participant, PlatformAccount
from tests.cast import Person
from tests.factory import make_study
from web.encryption import CannotDecrypt, Ciphertext, EncryptedField, decrypt, encrypt

FIELDS = [field for model in apps.get_models() for field in EncryptedField.of(model)]


@pytest.fixture
def account(db):
    study = make_study()
    ids = {"SESSION_ID": "s-1"}
    Person(study, "ada", platform="prolific", external_id="pid-5f1e", ids=ids).begin()
    return PlatformAccount.objects.get()


def test_a_value_decrypts_in_its_place_by_any_key(settings):
    settings.ENCRYPTION_KEYS = ["old"]
    stored = encrypt("ümlaut", "table", "column", 7)
    settings.ENCRYPTION_KEYS = ["new", "old"]
    assert decrypt(stored, "table", "column", 7) == "ümlaut"
    assert not stored.is_current
    for place in (("table", "column", 8), ("table", "other", 7), ("table", "column"), ()):
        with pytest.raises(CannotDecrypt, match="not encrypted for"):
            decrypt(stored, *place)


def test_places_are_no_words_that_run_together():
    with pytest.raises(CannotDecrypt):
        decrypt(encrypt("a", "table", "b", "c"), "table", "b c")


def test_no_value_is_stored_alike_twice():
    assert encrypt("a", "b") != encrypt("a", "b")


def test_without_the_key_it_says_so(settings):
    stored = encrypt("a", "b")
    settings.ENCRYPTION_KEYS = ["another"]
    with pytest.raises(CannotDecrypt, match="ENCRYPTION_KEY"):
        decrypt(stored, "b")


@pytest.mark.parametrize("field", FIELDS, ids=str)
def test_each_is_bound_to_something_that_tells_rows_apart(field):
    """One of the names is unique, or they are so together."""
    meta = field.model._meta
    unique = {frozenset([f.attname]) for f in meta.concrete_fields if f.unique}
    unique |= {
        frozenset(meta.get_field(name).attname for name in each.fields)
        for each in meta.constraints
        if getattr(each, "condition", None) is None and getattr(each, "fields", ())
    }
    assert any(names <= set(field.row) for names in unique)


def test_a_row_without_the_key_can_be_saved_and_stays_encrypted(account, settings):
    account = PlatformAccount.objects.get()
    keys, settings.ENCRYPTION_KEYS = settings.ENCRYPTION_KEYS, ["another"]
    account.submission_over = True
    account.save()
    settings.ENCRYPTION_KEYS = keys
    assert PlatformAccount.objects.get().external_id == "pid-5f1e"


def test_a_value_changes_in_place_and_by_a_deferred_row(account):
    account.ids["SESSION_ID"] = "s-2"
    account.save()
    deferred = PlatformAccount.objects.defer("ids", "worker").get()
    assert deferred.ids == {"SESSION_ID": "s-2"}
    deferred.refresh_from_db()
    assert deferred.ids == {"SESSION_ID": "s-2"}


def test_no_plain_value_gets_into_a_query(account):
    for way in (
        lambda: PlatformAccount.objects.update(external_id="77aa"),
        lambda: PlatformAccount.objects.filter(external_id="pid-5f1e").exists(),
        lambda: PlatformAccount.objects.bulk_update([account], ["ids"]),
    ):
        with pytest.raises(TypeError, match="encrypted by row"), transaction.atomic():
            way()
    assert isinstance(PlatformAccount.objects.values_list("ids", flat=True)[0], Ciphertext)


def test_a_dump_has_no_value(account):
    Participant.objects.create(study=account.study, external_id="listed")
    output = io.StringIO()
    call_command("dumpdata", "judging.platformaccount", "judging.participant", stdout=output)
    assert "external_id_hash" in output.getvalue()
    for secret in ("pid-5f1e", "s-1", "listed"):
        assert secret not in output.getvalue()
