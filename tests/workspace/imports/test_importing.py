"""Imports in the background: asked for, done, refused, interrupted, and never half done."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, connections

from accounts.models import User
from judging.collections.access import NotYours
from judging.collections.importing import import_collection
from judging.models import Collection, LabelSet, Run, Study, Topic, TrailEntry
from tests.config.helpers import ROOT, environment, until
from tests.database import Elsewhere
from tests.judging.importing.files import Files, everything
from web.background import work
from web.models import Lease
from workspace.imports import importing, uploads
from workspace.imports.importing import CannotAsk, Chosen
from workspace.models import ImportJob, Upload
from workspace.tasks import IMPORTS, import_files

State = ImportJob.State


def uploaded(owner: User, path: str, kind: str = "", labels: str = "reference") -> Chosen:
    """A file of these tests, sent whole."""
    data = Path(path).read_bytes()
    upload = uploads.receive(owner, Path(path).name, len(data), [data])
    return Chosen(upload.pk, kind or upload.kind, labels)


def four(owner: User, files: Files) -> list[Chosen]:
    """Topics, documents, labels and a run that does not name itself."""
    three = files.write("three.run.tsv", "401\tA\t1\n401\tB\t2\n")
    return [
        uploaded(owner, files.topics("401")),
        uploaded(owner, files.documents("A", "B")),
        uploaded(owner, files.qrels(), labels="experts"),
        uploaded(owner, three),
    ]


@pytest.mark.django_db
def test_files_become_a_collection_of_who_sent_them(
    rosa: User, files: Files, upload_dir: Path
) -> None:
    job = importing.ask(rosa, "home", four(rosa, files))
    assert (job.state, Collection.objects.count()) == (State.WAITING, 0)
    assert import_files() == 1
    job.refresh_from_db()
    assert (job.state, job.progress, job.fault) == (State.DONE, 1, "")
    assert job.result["topics"] == 1
    assert job.result["documents"] == 2
    assert job.result["labels"] == {"experts": 2}
    assert all(len(file["digest"]) == 64 for file in job.files)
    assert Collection.objects.get().owner == rosa
    assert Run.objects.get().tag == "three", "its file's own name"
    assert LabelSet.objects.get().name == "experts"
    assert not Upload.objects.exists()
    assert not list(upload_dir.iterdir())
    assert import_files() == 0


@pytest.mark.django_db
def test_a_fault_is_told_with_file_and_line_and_the_files_stay(rosa: User, files: Files) -> None:
    chosen = four(rosa, files)
    bad = files.write("bad.run", "401 Q0 A 1 9 one\n401 Q0 B two 8 one\n")
    job = importing.ask(rosa, "home", [*chosen, uploaded(rosa, bad)])
    import_files()
    job.refresh_from_db()
    assert (job.state, job.fault_file, job.fault_line) == (State.FAILED, "bad.run", 2)
    assert job.fault.startswith("bad.run, line 2: ")
    assert not Collection.objects.exists()
    assert Upload.objects.filter(job=None).count() == 5
    importing.ask(rosa, "home", chosen)
    assert import_files() == 1
    assert Collection.objects.exists()


@pytest.mark.django_db
def test_topics_are_made_where_that_is_asked_for(rosa: User, files: Files) -> None:
    job = importing.ask(rosa, "home", [uploaded(rosa, files.run("one", "A"))])
    import_files()
    job.refresh_from_db()
    assert "have topics made without text, as an option below says" in job.fault
    again = [Chosen(Upload.objects.get().pk, "runs")]
    job = importing.ask(rosa, "home", again, make_topics=True)
    import_files()
    job.refresh_from_db()
    assert job.result["made_topics"] == {"n": 1, "first": ["401"]}
    assert Topic.objects.get().query_id == "401"


@pytest.mark.django_db
def test_what_cannot_be_asked_for(rosa: User, otto: User, files: Files) -> None:
    import_collection("ottos", topics=[files.topics("401")], by=otto)
    Collection.objects.get().shared_with.add(rosa)
    import_collection("hidden", topics=[files.topics("401")])
    whole = uploaded(rosa, files.run("one", "A"))
    foreign = uploaded(otto, files.run("two", "A"))
    partial = Chosen(uploads.begin(rosa, "half.run", 10).pk, "runs")
    for slug, chosen, problem in (
        ("home", [], "No file is chosen"),
        ("home", [partial], "not whole yet: 0%"),
        ("home", [foreign], "no upload .* of yours"),
        ("home", [Chosen(uuid4(), "runs")], "no upload .* of yours"),
        ("home", [whole, whole], "chosen twice"),
        ("home", [Chosen(whole.upload, "poems")], "'poems': expected one of topics"),
        ("home", [Chosen(whole.upload, "labels", "")], "name of labels"),
        ("two words", [whole], "cannot be the name of a collection"),
        ("ottos", [whole], "only its owner adds files"),
        ("hidden", [whole], "name hidden is taken: choose another"),
    ):
        with pytest.raises(CannotAsk, match=problem):
            importing.ask(rosa, slug, chosen)
    importing.ask(rosa, "home", [whole])
    with pytest.raises(CannotAsk, match="being imported already"):
        importing.ask(rosa, "home", [whole])
    with pytest.raises(uploads.Refused, match="being imported"):
        uploads.remove(rosa, whole.upload)
    assert not uploads.forget_old(ImportJob.objects.get().asked_at)


@pytest.mark.django_db
def test_only_its_owner_changes_a_collection(rosa: User, otto: User, files: Files) -> None:
    import_collection("home", topics=[files.topics("401")], by=rosa)
    before = everything()
    with pytest.raises(NotYours, match="name home is taken"):
        import_collection("home", topics=[files.topics("402")], by=otto)
    Collection.objects.get().shared_with.add(otto)
    with pytest.raises(NotYours, match="only its owner changes it"):
        import_collection("home", topics=[files.topics("402")], by=otto)
    assert everything() == before
    study = Study.objects.create(slug="s", title="S", collection=Collection.objects.get())
    import_collection("home", topics=[files.topics("402")])
    entry = TrailEntry.objects.get(study=study)
    assert (entry.by, entry.action) == (None, "imported into the collection")
    assert entry.details["topics"] == 1


@pytest.mark.django_db
def test_an_import_that_ends_its_process_each_time_is_given_up(rosa: User, files: Files) -> None:
    job = importing.ask(rosa, "home", four(rosa, files))
    ImportJob.objects.update(state=State.RUNNING, tries=work.TRIES)
    import_files()
    job.refresh_from_db()
    assert (job.state, job.fault) == (State.FAILED, work.INTERRUPTED)


@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_leaves_nothing_and_another_does_it_again(
    files: Files, upload_dir: Path, settings
) -> None:
    """Killed in the midst of the documents, when others see how far it is."""
    owner = User.objects.create_user("rosa")
    many = [f"D{n}" for n in range(4_000)]
    job = importing.ask(
        owner,
        "home",
        [uploaded(owner, files.topics("401")), uploaded(owner, files.documents(*many))],
    )
    script = (
        "import django, time; django.setup()\n"
        "from judging.collections import documents\n"
        "real = documents.cleaned\n"
        "def slow(*text): time.sleep(0.001); return real(*text)\n"
        "documents.cleaned = slow\n"
        "from web.background import leases\n"
        "leases.SECONDS, leases.RENEWED = 4, 0.5\n"
        "from workspace.tasks import import_files; import_files()"
    )
    variables = environment(settings.VAR_DIR, UPLOAD_DIR=str(upload_dir))
    database = connection.settings_dict["NAME"]
    script = (
        f"from config import settings; settings.DATABASES['default']['NAME'] = {database!r}\n"
        + script
    )
    variables["DJANGO_SETTINGS_MODULE"] = "config.settings"
    worker = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, env=variables)
    try:

        def is_reading() -> bool:
            assert worker.poll() is None
            job.refresh_from_db()
            return 0 < job.progress < 1 and job.reading == "documents"

        until(is_reading, 60)
        assert import_files() == 0, "somebody is at it"
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
    job.refresh_from_db()
    assert (job.state, Collection.objects.count()) == (State.RUNNING, 0)
    until(lambda: import_files() == 1, 60)  # once the lease of the killed one is over
    job.refresh_from_db()
    assert (job.state, job.tries) == (State.DONE, 2)
    assert Collection.objects.get().documents.count() == 4_000


@pytest.mark.django_db(transaction=True)
def test_an_import_that_v0_1_is_at_is_left_to_it_and_it_leaves_ours(
    files: Files, upload_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """v0.1 claims an import by a lock of its session, and knows no leases."""
    owner = User.objects.create_user("rosa")
    job = importing.ask(owner, "home", four(owner, files))
    old = connections.create_connection("default")

    def is_free_to_old() -> bool:
        with old.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", importing._key(job))
            return bool(cursor.fetchone()[0])

    try:
        assert is_free_to_old()
        assert import_files() == 0
        job.refresh_from_db()
        assert (job.state, job.tries) == (State.WAITING, 0), "it is not counted as a try"
        with old.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock_all()")
        seen = []
        work_on = importing.import_collection_files

        def look_meanwhile(job: ImportJob) -> dict[str, Any]:
            seen.append(is_free_to_old())
            return work_on(job)

        monkeypatch.setitem(IMPORTS, ImportJob.What.COLLECTION, look_meanwhile)
        assert import_files() == 1
        assert seen == [False]
        assert is_free_to_old()
    finally:
        old.close()
    job.refresh_from_db()
    assert job.state == State.DONE


@pytest.mark.django_db(transaction=True)
def test_an_import_whose_lease_is_lost_brings_nothing(
    files: Files, upload_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process stood still; another has begun it again, and ends it."""
    owner = User.objects.create_user("rosa")
    job = importing.ask(owner, "home", four(owner, files))
    work_on = importing.import_collection_files

    def lose(job: ImportJob) -> dict[str, Any]:
        done = work_on(job)
        Elsewhere(lambda: Lease.objects.update(holder=uuid4())).result()
        return done

    with monkeypatch.context() as meanwhile:
        meanwhile.setitem(IMPORTS, ImportJob.What.COLLECTION, lose)
        import_files()
    job.refresh_from_db()
    assert (job.state, Collection.objects.count(), Upload.objects.count()) == (State.RUNNING, 0, 4)
    Lease.objects.all().delete()
    assert import_files() == 1
    job.refresh_from_db()
    assert (job.state, job.tries) == (State.DONE, 2)
