"""Imports beside the setting up of studies: one order of locks, and nothing changes unseen."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic

import pytest
from django.db import connection, transaction

from judging.collections.importing import import_collection, lock_or_create
from judging.collections.opinions import CannotImport, import_opinions
from judging.models import Document, StagedDocument, Study
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.settings import BadStudy, create_study
from judging.studies.configuration.versions import EditConflict
from judging.studies.unit_plans import discard_plan, plan
from tests.factory import make_study
from trec.containers.archives import open_members
from trec.labels.opinions import read_opinions
from trec.labels.scales import Scale

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 30  # seconds, for a machine that is busy
LEVELS = ["no", "yes"]


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def alone(action: Callable) -> Callable:
    """The action, on a connection of its own thread, which is closed afterwards."""

    def run():
        try:
            return action()
        finally:
            connection.close()

    return run


def settle(*running: Future) -> None:
    """Come back when every action has ended, or waits for a lock."""

    def watch() -> None:
        until = monotonic() + PATIENCE
        while monotonic() < until:
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
                waiting = cursor.fetchone()[0]
            if waiting >= sum(not future.done() for future in running):
                return
        raise AssertionError("neither done nor waiting")

    with ThreadPoolExecutor(1) as watcher:
        watcher.submit(alone(watch)).result()


def documents_of(study: Study, folder, text: str) -> list:
    doc = "<DOC>\n<DOCNO>{}</DOCNO>\n<TEXT>{}</TEXT>\n</DOC>\n"
    ids = study.collection.documents.values_list("doc_id", flat=True)
    path = folder / "documents"
    path.write_text("".join(doc.format(doc_id, text) for doc_id in ids))
    return [path]


def test_a_study_that_opens_while_files_are_moved_opens_after_it(tmp_path, threads):
    """Its workers read the texts that the import brings, from the first to the last."""
    study = make_study(opened=False)
    opened: list[Future] = []

    def open_and_read() -> set[str]:
        open_study(study.slug)
        return set(Document.objects.values_list("text", flat=True))

    def open_in_the_midst(_: object) -> None:
        opened.append(threads.submit(alone(open_and_read)))
        settle(*opened)

    paths = documents_of(study, tmp_path, "ANOTHER TEXT")
    import_collection(study.collection.slug, documents=paths, finish=open_in_the_midst)
    assert opened[0].result(PATIENCE) == {"ANOTHER TEXT"}
    assert set(Document.objects.values_list("text", flat=True)) == {"ANOTHER TEXT"}


def test_a_study_that_opens_while_files_are_read_keeps_its_texts(tmp_path, threads):
    """It waits for no file; the import then finds it open."""
    study = make_study(opened=False)
    before = set(Document.objects.values_list("text", flat=True))
    opened: list[Study] = []

    def open_in_the_midst(_: int) -> None:
        if not opened:
            opened.append(threads.submit(alone(lambda: open_study(study.slug))).result(PATIENCE))

    paths = documents_of(study, tmp_path, "ANOTHER TEXT")
    with pytest.raises(CannotImport, match="a study on this collection has opened"):
        import_collection(study.collection.slug, documents=paths, progress=open_in_the_midst)
    assert [each.stage for each in opened] == ["open"]
    assert set(Document.objects.values_list("text", flat=True)) == before
    assert not StagedDocument.objects.exists()


def test_an_import_that_begins_while_a_study_opens_sees_it_open(tmp_path, threads):
    study = make_study(opened=False)
    paths = documents_of(study, tmp_path, "ANOTHER TEXT")
    with transaction.atomic():
        open_study(study.slug)
        brought = threads.submit(
            alone(lambda: import_collection(study.collection.slug, documents=paths))
        )
        settle(brought)
    with pytest.raises(CannotImport, match="a study on this collection has opened"):
        brought.result(PATIENCE)


def opinions(folder):
    (folder / "labels.csv").write_text("worker,query_id,doc_id,label\na,401,D,yes\n")
    return read_opinions(open_members([folder / "labels.csv"]), Scale(LEVELS))


@pytest.mark.parametrize("verb", ["create_study", "plan", "open_study"])
def test_setting_up_a_study_and_importing_opinions_never_wait_for_each_other(
    tmp_path, threads, verb
):
    """Both need the collection and the study; neither may hold one while it waits for both."""
    study = make_study(opened=False)
    home, read = study.collection.slug, opinions(tmp_path)
    actions = {
        "create_study": lambda: create_study(study.slug, home, {"title": "t"}, replace=True),
        "plan": lambda: plan(study),
        "open_study": lambda: open_study(study.slug),
    }
    with transaction.atomic():
        lock_or_create(home)
        doing = threads.submit(alone(actions[verb]))
        settle(doing)
        with pytest.raises(CannotImport, match="is judged here"):
            import_opinions(study.slug, home, read, LEVELS)
    doing.result(PATIENCE)


def test_a_draft_that_is_replaced_on_another_collection_while_it_is_opened(threads):
    study, other = make_study(opened=False), make_study(opened=False).collection
    with transaction.atomic():
        lock_or_create(study.collection.slug)
        opening = threads.submit(alone(lambda: open_study(study.slug)))
        settle(opening)
        create_study(study.slug, other.slug, {"title": "moved"}, replace=True)
    with pytest.raises(BadStudy, match="has no units"):
        opening.result(PATIENCE)
    assert Study.objects.get(slug=study.slug).stage == "draft"


def test_of_two_editors_at_once_one_saves_and_the_other_is_refused(threads):
    """The second waits for the first, and then sees another version than they began with."""
    study = make_study(opened=False)
    study.refresh_from_db()

    def save(redundancy: int) -> None:
        discard_plan(study.slug, None)
        change_settings(study.slug, {"title": f"Mine: {redundancy}"}, None, study.version + 1)

    with transaction.atomic():
        Study.objects.locked().get(pk=study.pk)
        saving = [threads.submit(alone(lambda value=value: save(value))) for value in (3, 4)]
        settle(*saving)
    ended = [future.exception(PATIENCE) for future in saving]
    assert [type(fault) for fault in ended if fault] == [EditConflict]
    assert Study.objects.get().version == study.version + 2


def test_of_two_who_make_a_study_of_one_name_at_once_one_is_refused(threads):
    """On different collections nothing else has them wait for each other."""
    one, other = make_study(opened=False), make_study(opened=False)

    def make() -> Study:
        return create_study("new", one.collection.slug, {"title": "A"})

    with transaction.atomic():
        create_study("new", other.collection.slug, {"title": "B"})
        making = threads.submit(alone(make))
        settle(making)
    assert "There is a study new already" in str(making.exception(PATIENCE))
    assert Study.objects.get(slug="new").title == "B"
