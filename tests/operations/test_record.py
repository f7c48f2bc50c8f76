"""What was taken back, deleted and paid since a backup stays so when it is restored."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.models import User
from judging.flow.ending import withdraw
from judging.flow.team_actions import withdraw_unit
from judging.models import (
    Assignment,
    Judgment,
    Membership,
    Participant,
    Payment,
    PlatformAccount,
    RecordEntry,
    Role,
    Study,
    TrailEntry,
    Worker,
)
from judging.payments import decisions
from judging.states import Actor
from judging.studies.configuration.participants import add_participants, remove_participants
from judging.studies.configuration.removal import delete_study
from operations.backup import dumping, encryption, restoring
from operations.backup.manifests import name_at
from operations.backup.restoring import restore
from operations.backup.stores import BackupFault, Folder
from operations.management.commands.restore import STUDIES
from operations.record import replaying, tasks
from tests.cast import Person
from tests.factory import make_study
from tests.factory.completed import complete
from tests.judging.invariants import broken
from tests.operations.databases import database
from web import clock
from web.encryption import digests

OF_ALL = ("ada", "ben", "carl", "dora")


class Burnt:
    """A site that was saved, then changed, and lost; what of it is asked for later."""

    place: Folder
    keys: list[encryption.Identity]
    told: list[str]
    there: BaseDatabaseWrapper
    study: str
    gone: str
    codes: dict[str, str | None]
    manifest: str  # the name of the backup
    unplaced: list[str]


def payments(study: Study) -> dict[str, int]:
    rows = Payment.objects.of_study(study).values_list("assignment__worker__pseudonym", "pk")
    return dict(rows)


def before(burnt: Burnt) -> tuple[Study, Person, Person]:
    """Four have completed a unit, and two are at their documents."""
    study = make_study(topics=2, redundancy=5)
    burnt.study = study.slug
    for name in OF_ALL:
        complete(study, name, platform="prolific", external_id=f"{name}-there")
    add_participants(study, ["p1", "p2"], None)
    gone = make_study()
    complete(gone, "zoe")
    Study.objects.filter(pk=gone.pk).update(stage="closed", closed_at=clock.now())
    burnt.gone = gone.slug
    User.objects.create(username="owner")
    leaves = User.objects.create(username="leaves")
    Membership.objects.create(study=study, user=leaves, role=Role.VIEWER)
    stays = User.objects.create(username="stays")
    Membership.objects.create(study=study, user=stays, role=Role.VIEWER)
    return study, Person(study, "gus").come_to_documents(), Person(study, "hal").come_to_documents()


def since(burnt: Burnt, study: Study, gus: Person, hal: Person) -> None:
    owed = payments(study)
    owner = User.objects.get(username="owner")
    codes = dict(Assignment.objects.paid().values_list("worker__pseudonym", "completion_code"))
    withdraw(codes["ada"], clock.now(), Actor.WORKER)
    decisions.mark_paid(study, [owed["ben"]], None)
    decisions.approve(study, [owed["carl"]], None)
    decisions.mark_paid(study, [owed["carl"]], None)
    PlatformAccount.objects.get(external_id_hash=digests("dora-there")[0]).delete()
    remove_participants(study, ["p1"], None)
    delete_study(burnt.gone, None, burnt.gone)
    User.objects.get(username="leaves").delete()
    Membership.objects.get(user__username="stays").delete()
    for late in (gus, hal):
        late.judge_up_to(len(late.unit.order)).wait(20).finish()
    withdraw(str(hal.assignment.completion_code), clock.now(), Actor.WORKER)
    withdraw_unit(study, str(codes["dora"]), owner, clock.now())
    eve = complete(study, "eve")
    burnt.codes = {"gus": gus.assignment.completion_code, "eve": eve.assignment.completion_code}
    decisions.mark_paid(study, [payments(study)["eve"]], None)
    complete(make_study(), "ida")  # of a study that the backup does not have


@pytest.fixture(scope="module")
def burnt(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[Burnt]:
    """A site that has come back from yesterday's backup, and is there for all tests."""
    folder: Path = tmp_path_factory.mktemp("burnt")
    made = Burnt()
    made.place, made.told = Folder(folder / "store"), []
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "BACKUP_KEY", encryption.make_key(folder / "key"))
        patch.setattr(settings, "BACKUP_URL", made.place.root.as_uri())
        patch.setattr(settings, "VAR_DIR", folder)
        made.keys = encryption.read_keys(folder / "key")
        here = connections["default"]
        with database("burnt", connection.settings_dict["NAME"]):
            at_backup = before(made)
            made.manifest = dumping.make_backup(made.place).name
            since(made, *at_backup)
            tasks.write_all()
        with database("again"):
            restore(made.place, "newest", made.keys, made.told.append)
            made.unplaced = next(folder.glob("unplaced-*")).read_text().splitlines()
            made.there, connections["default"] = connections["default"], here
            yield made


def test_a_study_that_was_deleted_by_mistake_can_be_kept(burnt: Burnt, db) -> None:
    told: list[str] = []
    with database("kept"):
        restore(burnt.place, "newest", burnt.keys, told.append, STUDIES)
        assert Study.objects.filter(slug=burnt.gone).exists()
        assert not User.objects.filter(username="leaves").exists()


@pytest.fixture
def study(burnt: Burnt, db) -> Iterator[Study]:
    """The study, where the test is in the restored database."""
    here, connections["default"] = connections["default"], burnt.there
    try:
        yield Study.objects.get(slug=burnt.study)
    finally:
        connections["default"] = here


def attempt(name: str) -> Assignment:
    return Assignment.objects.get(worker__pseudonym=name)


pytestmark = pytest.mark.django_db


def test_what_was_withdrawn_is_not_there_and_the_pay_is(study: Study) -> None:
    assert attempt("ada").state == "withdrawn"
    assert not Judgment.objects.filter(assignment__worker__pseudonym="ada").exists()
    assert attempt("ada").payments.get().state == "owed"
    assert Judgment.objects.filter(assignment__worker__pseudonym="ben").exists()


def test_the_trail_says_who_withdrew(study: Study) -> None:
    """A unit of the backup, by its worker and by the owner, and one that was finished later."""
    rows = TrailEntry.objects.filter(study=study, action__startswith="withdr").order_by("pk")
    told = {
        (row.details["worker"], row.action, row.by.username if row.by else None) for row in rows
    }
    assert told == {
        ("ada", "withdrawn by worker", None),
        ("hal", "withdrawn by worker", None),
        ("dora", "withdrew", "owner"),
    }


def test_what_was_paid_is_not_paid_again(study: Study) -> None:
    states = dict(Payment.objects.values_list("assignment__worker__pseudonym", "state"))
    assert states["ben"] == states["carl"] == states["eve"] == "paid"
    assert states["dora"] == states["gus"] == states["hal"] == "owed"


@pytest.mark.parametrize("name", ["gus", "eve"])
def test_who_finished_after_the_backup_has_code_and_pay(
    study: Study, burnt: Burnt, name: str
) -> None:
    late = attempt(name)
    assert (late.state, late.completion_code) == ("withdrawn", burnt.codes[name])
    assert late.payments.get().amount == Decimal(1)
    assert not late.judgments.exists()
    assert late.unit.free or late.unit.assignments.completed().exists()


def test_who_finished_and_withdrew_after_the_backup_leaves_no_draft(study: Study) -> None:
    assert attempt("hal").state == "withdrawn"
    assert not attempt("hal").judgments.exists()
    assert not attempt("hal").visits.exists()


def test_what_was_deleted_is_gone(study: Study, burnt: Burnt) -> None:
    assert set(PlatformAccount.objects.values_list("worker__pseudonym", flat=True)) == {
        *("ada", "ben", "carl")
    }
    assert [each.external_id for each in Participant.objects.all()] == ["p2"]
    assert not Study.objects.filter(slug=burnt.gone).exists()
    assert [user.username for user in User.objects.all()] == ["owner", "stays"]
    assert not Membership.objects.exists()


def test_every_rule_holds_and_people_come_as_before(study: Study) -> None:
    assert broken() == []
    assert Worker.objects.filter(study=study, pseudonym="eve").exists()


def test_what_has_no_place_is_handed_to_the_operator(burnt: Burnt) -> None:
    assert len(burnt.unplaced) == 1
    assert '"pseudonym": "ida"' in burnt.unplaced[0]
    assert any("see to them" in said for said in burnt.told)


def test_to_replay_once_more_changes_nothing(study: Study, burnt: Burnt) -> None:
    known = RecordEntry.objects.count()
    at = clock.now().replace(year=2000)
    assert replaying.replay(burnt.place, at, burnt.keys) == replaying.Replayed()
    assert RecordEntry.objects.count() == known


def test_unplaced_entries_are_reported_again_after_a_kill(
    study: Study, burnt: Burnt, monkeypatch
) -> None:
    """Before it was written down it is not known; and it is written down once."""
    key = json.loads(burnt.unplaced[0])["key"]
    RecordEntry.objects.filter(key=key).delete()
    at = clock.now().replace(year=2000)
    (unplaced,) = replaying.replay(burnt.place, at, burnt.keys).unplaced
    assert str(unplaced[0].key) == key
    assert not RecordEntry.objects.filter(key=key).exists()
    monkeypatch.setattr(settings, "VAR_DIR", burnt.place.root.parent)
    for _ in range(2):
        replayed = replaying.Replayed(unplaced=[unplaced])
        restoring.report(burnt.manifest, replayed, lambda step: None)
        assert RecordEntry.objects.filter(key=key).exists()
        RecordEntry.objects.filter(key=key).delete()
    (file,) = burnt.place.root.parent.glob("unplaced-*")
    assert file.read_text().splitlines() == burnt.unplaced
    assert file.stat().st_mode & 0o077 == 0
    replaying.store_known([unplaced[0]])


def test_the_record_names_nobody_and_is_closed_without_the_key(burnt: Burnt) -> None:
    at = clock.now().replace(year=2000)
    replayed = str([tasks.as_dict(entry) for entry in replaying.read(burnt.place, at, burnt.keys)])
    assert '"ada"' in replayed.replace("'", '"')
    assert "-there" not in replayed
    assert '"p1"' not in replayed
    with pytest.raises(BackupFault, match="--key-file"):
        list(replaying.read(burnt.place, at, []))


def test_one_deletion_of_many_is_one_entry_and_what_is_undone_leaves_none() -> None:
    study = make_study()
    add_participants(study, [f"p{number}" for number in range(30)], None)
    keys = list(Participant.objects.values_list("pk", flat=True))
    Participant.objects.all().delete()
    (entry,) = RecordEntry.objects.filter(details__table="judging.Participant")
    assert sorted(entry.details["keys"]) == sorted(keys)
    study.delete()
    assert set(RecordEntry.objects.values_list("details__table", flat=True)) == {
        *("judging.Participant", "judging.Study")
    }


def line(at: datetime) -> bytes:
    entry = RecordEntry(at=at, kind="deleted", details={"table": "judging.Study", "keys": [1]})
    return json.dumps(tasks.as_dict(entry)).encode() + b"\n"


def test_later_entries_are_read_to_the_line_that_is_none(tmp_path: Path) -> None:
    """A draft is what a kill leaves; a file is younger than its entries."""
    place, now = Folder(tmp_path), clock.now()
    since = now - timedelta(hours=2)
    for at, ending, content in (
        (now, "-a.jsonl", line(since - timedelta(hours=1)) + line(now) + b"no entry"),
        (now, "-b.jsonl.draft", b"half"),
        (since - timedelta(hours=1), "-c.jsonl", b"of no interest"),
    ):
        with place.writing(f"record/{name_at(at)}{ending}") as file:
            file.write(content)
    entries = replaying.read(place, since, [])
    assert next(entries).at == now
    with pytest.raises(BackupFault, match=r"a\.jsonl, line 3: no entry of the record"):
        next(entries)


def test_a_store_that_fails_is_logged_and_the_entry_stays(tmp_path: Path, settings, caplog) -> None:
    RecordEntry.objects.create(kind="deleted", details={})
    settings.BACKUP_URL = (tmp_path / "store").as_uri()
    (tmp_path / "store").write_text("no folder")
    assert tasks.write_record() == 0
    assert "The record cannot be written: " in caplog.text
    (tmp_path / "store").unlink()
    assert tasks.write_record() == RecordEntry.objects.filter(written_at__isnull=False).count() == 1
    assert tasks.write_record() == 0
