"""Imports in the background: asked for, done, refused, interrupted, and never half done."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from secrets import token_hex
from uuid import uuid4

import pytest
from django.db import OperationalError, connection, transaction

from accounts.models import User
from judging.collections import bulk, documents
from judging.collections.access import NotYours
from judging.collections.importing import import_collection
from judging.collections.opinion_files import Reading
from judging.models import Collection, LabelSet, Run, StagedDocument, Study, Topic, TrailEntry
from tests.config.helpers import ROOT, environment, until
from tests.database import Elsewhere, at_once
from tests.judging.importing.files import Files, everything
from tests.workspace.leaving.conftest import rewritten
from web import clock
from web.background import work
from web.models import Lease
from workspace.imports import archives, importing, opinions, uploads
from workspace.imports.importing import BadImport, Chosen
from workspace.models import ImportJob, Upload
from workspace.tasks import IMPORTS, import_files

State = ImportJob.State
N_DOCUMENTS = 200  # of `large_archive`
TABLE = "worker,query_id,doc_id,label\na,401,D,yes\nb,401,D,no\n"


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
def test_files_become_a_collection_of_who_sent_them(rosa, files, upload_dir):
    job = importing.request_import(rosa, "home", four(rosa, files))
    assert (job.state, Collection.objects.count()) == (State.WAITING, 0)
    assert import_files() == 1
    job.refresh_from_db()
    assert (job.state, job.progress, job.fault) == (State.DONE, 1, "")
    assert job.result["topics"] == 1
    assert job.result["documents"] == 2
    assert job.result["labels"] == {"experts": 2}
    assert job.result["relevant_alone"] == []
    assert all(len(file["digest"]) == 64 for file in job.files)
    assert Collection.objects.get().owner == rosa
    assert Run.objects.get().tag == "three", "its file's own name"
    assert LabelSet.objects.get().name == "experts"
    assert not Upload.objects.exists()
    assert not list(upload_dir.iterdir())
    assert import_files() == 0


@pytest.mark.django_db
def test_a_fault_is_told_with_file_and_line_and_the_files_stay(rosa, files):
    chosen = four(rosa, files)
    bad = files.write("bad.run", "401 Q0 A 1 9 one\n401 Q0 B two 8 one\n")
    job = importing.request_import(rosa, "home", [*chosen, uploaded(rosa, bad)])
    import_files()
    job.refresh_from_db()
    assert (job.state, job.fault_file, job.fault_line) == (State.FAILED, "bad.run", 2)
    assert job.fault.startswith("bad.run, line 2: ")
    assert not Collection.objects.exists()
    assert Upload.objects.filter(job=None).count() == 5
    importing.request_import(rosa, "home", chosen)
    assert import_files() == 1
    assert Collection.objects.exists()


@pytest.mark.django_db
def test_topics_are_made_where_that_is_asked_for(rosa, files):
    job = importing.request_import(rosa, "home", [uploaded(rosa, files.run("one", "A"))])
    import_files()
    job.refresh_from_db()
    assert "have topics made without text, as an option below says" in job.fault
    again = [Chosen(Upload.objects.get().pk, "runs")]
    job = importing.request_import(rosa, "home", again, make_topics=True)
    import_files()
    job.refresh_from_db()
    assert job.result["made_topics"] == {"n": 1, "first": ["401"]}
    assert Topic.objects.get().query_id == "401"


@pytest.mark.django_db
def test_what_cannot_be_asked_for(rosa, otto, files):
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
        with pytest.raises(BadImport, match=problem):
            importing.request_import(rosa, slug, chosen)
    importing.request_import(rosa, "home", [whole])
    with pytest.raises(BadImport, match="being imported already"):
        importing.request_import(rosa, "home", [whole])
    with pytest.raises(uploads.Refused, match="being imported"):
        uploads.remove(rosa, whole.upload)
    assert not uploads.purge_old_uploads(ImportJob.objects.get().asked_at)


@pytest.mark.django_db
def test_only_its_owner_changes_a_collection(rosa, otto, files):
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
def test_an_import_that_ends_its_process_each_time_is_given_up(rosa, files):
    job = importing.request_import(rosa, "home", four(rosa, files))
    ImportJob.objects.update(state=State.RUNNING, tries=work.MAX_TRIES)
    import_files()
    job.refresh_from_db()
    assert (job.state, job.fault) == (State.FAILED, work.INTERRUPTED)


@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_leaves_nothing_and_another_does_it_again(
    files, upload_dir, settings, monkeypatch
):
    """Killed in the midst of the documents, when others see how far it is."""
    work_on = importing.import_collection_files
    staged_by_killed: list[int] = []

    def again(job, finish):
        staged_by_killed.append(StagedDocument.objects.count())
        work_on(job, finish)

    owner = User.objects.create_user("rosa")
    many = [f"D{n}" for n in range(4_000)]
    sent = [uploaded(owner, path) for path in (files.topics("401"), files.documents(*many))]
    job = importing.request_import(owner, "home", sent)
    database = connection.settings_dict["NAME"]
    script = (
        f"from config import settings; settings.DATABASES['default']['NAME'] = {database!r}\n"
        "import django, time; django.setup()\n"
        "from judging.collections import bulk, documents; bulk.BATCH = 1_000\n"
        "real = documents.clean_text\n"
        "def slow(*text): time.sleep(0.001); return real(*text)\n"
        "documents.clean_text = slow\n"
        "from web.background import leases\n"
        "leases.SECONDS, leases.RENEWAL_SECONDS = 4, 0.5\n"
        "from workspace.tasks import import_files; import_files()"
    )
    variables = environment(settings.VAR_DIR, UPLOAD_DIR=str(upload_dir))
    variables["DJANGO_SETTINGS_MODULE"] = "config.settings"
    worker = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, env=variables)
    try:

        def is_reading():
            assert worker.poll() is None
            job.refresh_from_db()
            is_midst = 0 < job.progress < 1 and job.reading == "documents"
            return is_midst and StagedDocument.objects.exists()

        until(is_reading, 60)
        assert import_files() == 0, "somebody is at it"
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
    job.refresh_from_db()
    assert (job.state, Collection.objects.count()) == (State.RUNNING, 0)
    assert documents.purge_staging(clock.now()) == 0, "it might be at work still"
    with transaction.atomic():
        assert documents.purge_staging(clock.now() + documents.STAGING_RETENTION) > 0
        transaction.set_rollback(True)
    assert StagedDocument.objects.exists()
    monkeypatch.setitem(IMPORTS, ImportJob.What.COLLECTION, again)
    until(lambda: import_files() == 1, 60)  # once the lease of the killed one is over
    assert staged_by_killed == [0], "purged before another try begins"
    assert not StagedDocument.objects.exists()
    job.refresh_from_db()
    assert (job.state, job.tries) == (State.DONE, 2)
    assert Collection.objects.get().documents.count() == 4_000


def large_archive(folder: Path) -> Path:
    """An archive that is mostly documents."""

    def add(archived: dict[str, bytes]) -> None:
        rows = archived["documents.jsonl"].splitlines(keepends=True)
        row = json.loads(rows[0])
        numbers = range(N_DOCUMENTS - len(rows))
        texts = (row | {"doc_id": f"more-{n}", "text": token_hex(2_000)} for n in numbers)
        rows += (f"{json.dumps(text)}\n".encode() for text in texts)
        archived["documents.jsonl"] = b"".join(rows)

    return rewritten(ROOT / "tests/fixtures/demo.zip", add, folder / "large.zip")


def open_transactions() -> list[str]:
    """The statements of transactions that are open in this database, but for the one that asks."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT query FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND (xact_start < now() - interval '0.2 seconds'"
            " OR state = 'idle in transaction')"
        )
        return [query for (query,) in cursor.fetchall()]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["collection", "opinions", "archive"])
def test_no_transaction_is_open_while_files_are_read(
    what, files, upload_dir, tmp_path, monkeypatch
):
    """A transaction of hours would keep PostgreSQL from clearing up after the pages.

    Of an archive, only what is not documents is read in the transaction that moves them.
    """
    owner = User.objects.create_user("rosa")
    counts: list[int] = []
    seen: list[tuple[str, list[str], float]] = []
    staged_before_move: set[int] = set()
    real, at = importing.import_progress, threading.get_ident()

    def import_progress(job, of):
        progress = real(job, of)

        def look(count):
            progress(count)
            assert threading.get_ident() == at
            if connection.in_atomic_block:
                staged_before_move.add(StagedDocument.objects.count())
                return
            counts.append(count)
            if what == "archive" and len(counts) % 2:
                return  # which has many files
            time.sleep(0.25)
            job.refresh_from_db()
            watched = Elsewhere(open_transactions).result()
            seen.append((job.reading, watched, job.progress))

        return look

    for module in (importing, opinions, archives):
        monkeypatch.setattr(module, "import_progress", import_progress)
    monkeypatch.setattr(bulk, "BATCH", 100)
    if what == "collection":
        importing.request_import(owner, "home", four(owner, files))
    elif what == "archive":
        packed = uploaded(owner, str(large_archive(tmp_path)), "archive")
        archives.request_import(owner, packed.upload)
    else:
        table = uploaded(owner, files.write("table.csv", TABLE), "opinions")
        wanted = opinions.Target("elsewhere", "home")
        opinions.request_import(owner, table.upload, wanted, Reading(levels=["no", "yes"]))
    assert import_files() == 1
    assert ImportJob.objects.get().fault == ""
    assert len(seen) >= {"collection": 4, "opinions": 1, "archive": 8}[what]
    assert [queries for _, queries, _ in seen if queries] == []
    assert staged_before_move == ({N_DOCUMENTS} if what == "archive" else set())
    if what == "archive":
        shares = [share for _, _, share in seen]
        assert shares == sorted(shares)
        assert len({share for share in shares if 0 < share < 1}) >= 3
        assert Collection.objects.get().documents.count() == N_DOCUMENTS
    assert not StagedDocument.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_once_into_one_collection_are_both_whole(files):
    """Each has read its files before either moves them."""
    read = threading.Barrier(2)

    def bring(number, *ids):
        waited: list[int] = []

        def progress(_):
            if not waited:
                waited.append(read.wait(30))

        parts = {
            "documents": [files.documents(*ids, name=f"documents{number}")],
            "topics": [files.topics(number, name=f"topics{number}")],
        }
        import_collection("home", **parts, progress=progress)

    at_once(lambda: bring("401", "A", "B"), lambda: bring("402", "B", "C"))
    home = Collection.objects.get()
    assert sorted(home.topics.values_list("query_id", flat=True)) == ["401", "402"]
    assert sorted(home.documents.values_list("doc_id", flat=True)) == ["A", "B", "C"]
    assert not StagedDocument.objects.exists()


@pytest.mark.django_db
def test_staging_that_a_crash_emptied_is_not_taken_for_few_documents(files):
    """PostgreSQL empties unlogged tables when it crashes; behind a pooler nothing else tells."""

    def forget(count):
        StagedDocument.objects.all().delete()

    parts = {
        "documents": [files.documents("A"), files.documents("B", name="more")],
        "runs": [files.run("one", "A")],
    }
    with pytest.raises(OperationalError, match="import the files again"):
        import_collection("home", topics=[files.topics("401")], **parts, progress=forget)
    assert not any(everything().values())


@pytest.mark.django_db(transaction=True)
def test_an_import_whose_lease_is_lost_brings_nothing(files, upload_dir, monkeypatch):
    """Its process stood still; another has begun it again, and ends it."""
    owner = User.objects.create_user("rosa")
    job = importing.request_import(owner, "home", four(owner, files))
    work_on = importing.import_collection_files

    def lose(job, finish):
        def late(result):
            Elsewhere(lambda: Lease.objects.update(holder=uuid4())).result()
            finish(result)

        work_on(job, late)

    with monkeypatch.context() as meanwhile:
        meanwhile.setitem(IMPORTS, ImportJob.What.COLLECTION, lose)
        import_files()
    job.refresh_from_db()
    assert (job.state, Collection.objects.count(), Upload.objects.count()) == (State.RUNNING, 0, 4)
    Lease.objects.all().delete()
    assert import_files() == 1
    job.refresh_from_db()
    assert (job.state, job.tries) == (State.DONE, 2)
