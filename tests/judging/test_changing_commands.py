"""Commands that rename and delete, by the functions of pages and REST."""

import pytest
from django.core.management import CommandError, call_command

from judging.models import Collection, Study
from tests.cast import ada
from tests.factory import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study()


def refused(match: str, *command: str) -> None:
    with pytest.raises(CommandError, match=match):
        call_command(*command)


def test_a_study_is_renamed_and_deleted(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    slug = study.slug
    ada(study).complete()
    refused("no study nowhere", "rename_study", "nowhere", "--to", "x")
    refused("Name --to", "rename_study", slug)
    refused("close it first", "rename_study", slug, "--to", "mine")
    refused("is open", "delete_study", slug)
    refused("is open", "discard_plan", slug)
    call_command("close_study", slug)
    call_command("rename_study", slug, "--to", "mine", "--title", "Mine")
    study.refresh_from_db()
    assert (study.slug, study.title) == ("mine", "Mine")
    refused("people's data go with it", "delete_study", "mine")
    call_command("delete_study", "mine", "--typed", "mine")
    assert "1 completed unit, 8 judgments" in capsys.readouterr().out
    assert not Study.objects.exists()


def test_a_plan_is_discarded() -> None:
    draft = make_study(opened=False)
    assert draft.units.exists()
    call_command("discard_plan", draft.slug)
    assert not draft.units.exists()
    assert draft.trail.get(action="discarded the plan").by is None


def test_a_collection_is_renamed_and_deleted(study: Study) -> None:
    slug = study.collection.slug
    study.delete()
    labels = study.collection.label_sets.get(name="reference")
    run = study.collection.runs.create(tag="bm25")
    call_command("rename_collection", slug, "experts", "--labels", "reference")
    call_command("rename_collection", slug, "first", "--run", "bm25")
    labels.refresh_from_db()
    run.refresh_from_db()
    assert (labels.name, run.tag) == ("experts", "first")
    refused("no run bm25", "delete_collection", slug, "--run", "bm25")
    call_command("delete_collection", slug, "--run", "first")
    call_command("delete_collection", slug, "--labels", "experts")
    call_command("rename_collection", slug, "home")
    refused("no collection", "rename_collection", slug, "x")
    refused("Type the name", "delete_collection", "home")
    call_command("delete_collection", "home", "--typed", "home")
    assert not Collection.objects.exists()
