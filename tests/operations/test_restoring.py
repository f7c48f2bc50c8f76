"""A backup brings everything back, into an empty database, or says why it cannot."""

import dataclasses
import io
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, OperationalError, connection

from evaluation.models import CachedAnalysis, Verdict, WrittenReport
from judging.models import Study
from operations.backup import encryption, gate, manifests
from operations.backup.dumping import LEFT_OUT
from operations.backup.restoring import EARLIEST, POINT_IN_TIME, restore
from operations.backup.stores import BackupFault, Bucket, Folder
from operations.record import replaying
from tests.operations.conftest import Saved, rankings
from tests.operations.databases import COMPUTED, content
from web.encryption import name_of

pytestmark = pytest.mark.django_db


def quiet(step: str) -> None:
    """Nobody listens."""


def copied(saved: Saved, folder: Path) -> Folder:
    shutil.copytree(saved.place.root, folder / "copy")
    return Folder(folder / "copy")


def test_every_row_and_every_ranking_comes_back(saved: Saved, empty) -> None:
    restore(saved.place, "newest", saved.keys, quiet)
    here = content(*LEFT_OUT)
    differ = {table for table in here if here[table] != saved.content[table]}
    # Of what is computed anew the rankings say it; when a backup was made is noted once it is made.
    assert differ <= COMPUTED | {"judging_tick"}
    assert here.keys() == saved.content.keys()
    assert Verdict.objects.exists()
    assert WrittenReport.objects.exists()
    assert CachedAnalysis.objects.exists()
    assert rankings() == saved.rankings != []


def test_it_comes_back_from_a_bucket(saved: Saved, bucket: Bucket, empty) -> None:
    for name in saved.place.names("backups"):
        with saved.place.reading(name) as file, bucket.writing(name) as target:
            shutil.copyfileobj(file, target)
    restore(bucket, "newest", saved.keys, quiet)
    here = content(*LEFT_OUT)
    assert {table for table in here if here[table] != saved.content[table]} <= COMPUTED | {
        "judging_tick"
    }
    assert rankings() == saved.rankings


def test_a_wrong_key_opens_nothing_and_the_right_one_then_does(
    saved: Saved, empty, tmp_path: Path
) -> None:
    encryption.make_key(tmp_path / "other")
    for keys, fault in (
        ([], "--key-file"),
        (encryption.read_keys(tmp_path / "other"), "does not open"),
    ):
        with pytest.raises(BackupFault, match=fault):
            restore(saved.place, saved.manifest.name, keys, quiet)
    restore(saved.place, saved.manifest.name, saved.keys, quiet)
    assert Study.objects.exists()


def test_a_key_that_is_typed_opens_it(saved: Saved, empty, settings, monkeypatch) -> None:
    settings.BACKUP_URL = saved.place.root.as_uri()
    monkeypatch.setattr("sys.stdin", io.StringIO("# no key"))
    with pytest.raises(CommandError, match="Standard input has no secret key"):
        call_command("restore", "newest", key_file="-")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"# a key\n{saved.keys[0]}\n"))
    said = io.StringIO()
    call_command("restore", "newest", key_file="-", stdout=said, stderr=io.StringIO())
    assert said.getvalue() == "restored: the site may start\n"
    assert Study.objects.exists()


@pytest.mark.parametrize("spoil", [lambda held: held[:-100], lambda held: held[:-1] + b"\0\0"])
def test_what_is_cut_or_changed_fills_nothing(saved: Saved, empty, tmp_path: Path, spoil) -> None:
    place = copied(saved, tmp_path)
    file = place.root / saved.manifest.file
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(BackupFault, match="Take another backup"):
        restore(place, "newest", saved.keys, quiet)
    with gate.passing():
        assert content() == {}


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"postgresql": 99}, "of PostgreSQL 99, and this is"),
        ({"migrations": {"judging": ["0999_later"]}}, "does not know judging.0999_later"),
    ],
)
def test_what_newer_servers_or_newer_code_made_is_refused(
    saved: Saved, empty, tmp_path: Path, changed, fault: str
) -> None:
    place = copied(saved, tmp_path)
    newer = dataclasses.replace(saved.manifest, **changed)
    (place.root / f"backups/{newer.name}.json").write_bytes(newer.to_json())
    with pytest.raises(BackupFault, match=fault):
        restore(place, "newest", saved.keys, quiet)
    assert content() == {}


def test_a_database_that_holds_anything_is_left_alone(saved: Saved, empty) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE mine AS SELECT 1 AS one")
    with pytest.raises(BackupFault, match="is not empty"):
        restore(saved.place, "newest", saved.keys, quiet)
    assert list(content()) == ["mine"]


def test_nobody_gets_in_before_all_is_done_and_what_was_cut_off_goes_on(
    saved: Saved, empty
) -> None:
    """It is left after each of its steps, as by a kill, and once more begun from there."""

    class Killed(Exception):
        pass

    for step in ("reading", "filling", "bringing", "computing"):

        def until(said: str, step: str = step) -> None:
            if said.startswith(step):
                raise Killed

        with pytest.raises(Killed):
            restore(saved.place, "newest", saved.keys, until)
        connection.close()
        with pytest.raises(OperationalError, match="being restored"):
            Study.objects.exists()
    restore(saved.place, "newest", saved.keys, quiet)
    connection.close()
    assert Study.objects.exists()


def test_what_has_not_come_back_whole_is_refused_the_second_time_as_well(
    saved: Saved, empty, tmp_path: Path
) -> None:
    place = copied(saved, tmp_path)
    rows = saved.manifest.rows | {"judging_judgment": saved.manifest.rows["judging_judgment"] + 1}
    more = dataclasses.replace(saved.manifest, rows=rows)
    (place.root / f"backups/{more.name}.json").write_bytes(more.to_json())
    for _ in range(2):
        with pytest.raises(BackupFault, match="judging_judgment: "):
            restore(place, "newest", saved.keys, quiet)
    connection.close()
    with pytest.raises(OperationalError, match="being restored"):
        Study.objects.exists()


def test_a_step_is_written_down_or_the_one_before_is(empty) -> None:
    gate.shut()
    gate.save_state("yesterday", is_filled=False)
    with pytest.raises(IntegrityError):
        gate.save_state("yesterday", is_filled=None)
    assert gate.state() == ("yesterday", False)


def test_a_site_that_people_use_is_not_shut_to_replay_the_record(
    place: Folder, empty, monkeypatch
) -> None:
    monkeypatch.setattr(gate, "others", lambda: 1)
    with pytest.raises(BackupFault, match="1 others are connected"):
        restore(place, POINT_IN_TIME, [], quiet)
    assert gate.state() is None


def test_keys_of_the_past_are_asked_for(saved: Saved, empty, settings) -> None:
    then = settings.ENCRYPTION_KEYS
    settings.ENCRYPTION_KEYS, settings.SECRET_KEY_FALLBACKS = ["another"], [settings.SECRET_KEY]
    settings.SECRET_KEY = "another, too"
    told: list[str] = []
    restore(saved.place, "newest", saved.keys, told.append)
    assert told[0].startswith(f"ENCRYPTION_KEY was the key {name_of(then[0])} ")
    assert not [said for said in told[1:] if "_KEY" in said]


def test_a_name_that_is_none_is_answered_with_those_there_are(saved: Saved, empty) -> None:
    with pytest.raises(BackupFault, match=saved.manifest.name):
        restore(saved.place, "yesterday", saved.keys, quiet)


def test_an_empty_store_has_no_newest(place: Folder) -> None:
    assert manifests.newest(place) is None


def test_what_somebody_put_there_is_no_backup(place: Folder) -> None:
    for name in ("backups/notes.json", "record/notes.jsonl"):
        with place.writing(name) as file:
            file.write(b"{}")
    assert manifests.newest(place) is None
    with pytest.raises(BackupFault, match=r"record/notes\.jsonl: no file of the record"):
        list(replaying.read(place, EARLIEST, []))
