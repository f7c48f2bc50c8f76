"""Imports beside the setting up of studies: one order of locks, and nothing changes unseen."""

import pytest
from django.db import transaction

from judging.collections.importing import import_collection, lock_or_create
from judging.collections.opinions import CannotImport, import_opinions
from judging.models import Document, StagedDocument, Study
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.removal import rename
from judging.studies.configuration.settings import BadStudy, create_study
from judging.studies.configuration.versions import EditConflict
from judging.studies.unit_plans import discard_plan, plan
from magnitudes.files.containers.archives import open_members
from magnitudes.files.labels.opinions import read_opinions
from magnitudes.files.labels.scales import Scale
from tests.database import Elsewhere
from tests.factory import make_study
from tests.judging.importing.files import Files
from tests.judging.races.overlapping import settle

pytestmark = pytest.mark.django_db(transaction=True)
LEVELS = ["no", "yes"]


def documents_of(study: Study, files: Files) -> list[str]:
    ids = study.collection.documents.values_list("doc_id", flat=True)
    return [files.documents(*ids, text="ANOTHER TEXT")]


def texts() -> set[str]:
    return set(Document.objects.values_list("text", flat=True))


def test_a_study_that_opens_while_files_are_moved_opens_after_it(files):
    """Its workers read the texts that the import brings, from the first to the last."""
    study = make_study(opened=False)
    opened: list[Elsewhere] = []

    def open_and_read() -> set[str]:
        open_study(study.slug)
        return texts()

    def open_in_the_midst(_: object) -> None:
        opened.append(Elsewhere(open_and_read))
        settle(*opened)

    paths = documents_of(study, files)
    import_collection(study.collection.slug, documents=paths, finish=open_in_the_midst)
    assert opened[0].result() == texts() == {"ANOTHER TEXT"}


def test_a_study_that_opens_while_files_are_read_keeps_its_texts(files):
    """It waits for no file; the import then finds it open."""
    study = make_study(opened=False)
    before = texts()
    opened: list[Study] = []

    def open_in_the_midst(_: int) -> None:
        if not opened:
            opened.append(Elsewhere(lambda: open_study(study.slug)).result())

    paths = documents_of(study, files)
    with pytest.raises(CannotImport, match="a study on this collection has opened"):
        import_collection(study.collection.slug, documents=paths, progress=open_in_the_midst)
    assert [each.stage for each in opened] == ["open"]
    assert texts() == before
    assert not StagedDocument.objects.exists()


def test_an_import_that_begins_while_a_study_opens_sees_it_open(files):
    study = make_study(opened=False)
    home, paths = study.collection.slug, documents_of(study, files)
    with transaction.atomic():
        open_study(study.slug)
        brought = Elsewhere(lambda: import_collection(home, documents=paths))
        settle(brought)
    with pytest.raises(CannotImport, match="a study on this collection has opened"):
        brought.result()


@pytest.mark.parametrize("verb", ["create_study", "plan", "open_study"])
def test_setting_up_a_study_and_importing_opinions_never_wait_for_each_other(files, verb):
    """Both need the collection and the study; neither may hold one while it waits for both."""
    study = make_study(opened=False)
    home = study.collection.slug
    labels = files.write("labels.csv", "worker,query_id,doc_id,label\na,401,D,yes\n")
    read = read_opinions(open_members([labels]), Scale(LEVELS))
    actions = {
        "create_study": lambda: create_study(study.slug, home, {"title": "t"}, replace=True),
        "plan": lambda: plan(study),
        "open_study": lambda: open_study(study.slug),
    }
    with transaction.atomic():
        lock_or_create(home)
        doing = Elsewhere(actions[verb])
        settle(doing)
        with pytest.raises(CannotImport, match="is judged here"):
            import_opinions(study.slug, home, read, LEVELS)
    doing.result()


def test_a_draft_that_is_replaced_on_another_collection_while_it_is_opened(db):
    study, other = make_study(opened=False), make_study(opened=False).collection
    with transaction.atomic():
        lock_or_create(study.collection.slug)
        opening = Elsewhere(lambda: open_study(study.slug))
        settle(opening)
        create_study(study.slug, other.slug, {"title": "moved"}, replace=True)
    with pytest.raises(BadStudy, match="has no units"):
        opening.result()
    assert Study.objects.get(slug=study.slug).stage == "draft"


def test_of_two_editors_at_once_one_saves_and_the_other_is_refused(db):
    """The second waits for the first, and then sees another version than they began with."""
    study = make_study(opened=False)
    study.refresh_from_db()

    def save(redundancy: int) -> None:
        discard_plan(study.slug, None)
        change_settings(study.slug, {"title": f"Mine: {redundancy}"}, None, study.version + 1)

    with transaction.atomic():
        Study.objects.locked().get(pk=study.pk)
        saving = [Elsewhere(lambda value=value: save(value)) for value in (3, 4)]
        settle(*saving)
    for each in saving:
        each.join()
    assert [type(each.answer) for each in saving if each.answer] == [EditConflict]
    assert Study.objects.get().version == study.version + 2


@pytest.mark.parametrize("first", ["rename", "create"])
@pytest.mark.parametrize("second", ["rename", "create"])
def test_of_two_who_want_a_name_one_gets_it_and_the_other_is_told(first, second):
    """On different collections nothing else has them wait for each other."""

    def want(study: Study, verb: str) -> Study:
        if verb == "rename":
            return rename(study.slug, None, slug="wanted")
        return create_study("wanted", study.collection.slug, {"title": "Another"})

    one, other = make_study(opened=False), make_study(opened=False)
    with transaction.atomic():
        won = want(one, first)
        late = Elsewhere(lambda: want(other, second))
        settle(late)
    with pytest.raises(BadStudy, match=r"There is a study wanted already\."):
        late.result()
    assert Study.objects.get(slug="wanted") == won
