"""Sharing, renaming and deleting collections and what is in them."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from evaluation import pipeline
from evaluation.models import Evaluation
from judging.collections import changing
from judging.collections.access import NotYours
from judging.collections.changing import CannotChange
from judging.models import Collection, LabelSet, Run, Study, TrailEntry
from tests.factory import NOON, make_study
from tests.factory.completed import judged_study
from tests.factory.runs import add_runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def rosa() -> User:
    return User.objects.create_user("rosa")


@pytest.fixture
def otto() -> User:
    return User.objects.create_user("otto")


@pytest.fixture
def home(rosa: User) -> Collection:
    collection = Collection.objects.create(slug="home", owner=rosa)
    Run.objects.create(collection=collection, tag="one")
    LabelSet.objects.create(collection=collection, name="experts")
    return collection


def draft(home: Collection, **more: object) -> Study:
    return Study.objects.create(slug="draft", title="Draft", collection=home, **more)


def test_nobody_else_changes_it(home: Collection, otto: User) -> None:
    home.shared_with.add(otto)
    for change in (
        lambda: changing.rename(home, "other", otto),
        lambda: changing.share(home, "otto", otto),
        lambda: changing.unshare(home, "otto", otto),
        lambda: changing.delete_collection(home, otto, "home"),
        lambda: changing.rename_labels(home, "experts", "x", otto),
        lambda: changing.delete_labels(home, "experts", otto),
        lambda: changing.rename_run(home, "one", "x", otto),
        lambda: changing.delete_run(home, "one", otto),
    ):
        with pytest.raises(NotYours, match="only its owner"):
            change()


def test_a_colleague_reads_what_is_shared(home: Collection, rosa: User, otto: User) -> None:
    changing.share(home, "otto", rosa)
    assert home in Collection.objects.seen_by(otto)
    changing.unshare(home, "otto", rosa)
    assert home not in Collection.objects.seen_by(otto)
    for name, problem in (("nobody", "Nobody here is called nobody"), ("rosa", "owns")):
        with pytest.raises(CannotChange, match=problem):
            changing.share(home, name, rosa)


def test_names_change_and_drafts_follow(home: Collection, rosa: User) -> None:
    study = draft(home, labels="experts")
    changing.rename_labels(home, "experts", "students", rosa)
    changing.rename_run(home, "one", "two", rosa)
    changing.rename(home, "house", rosa)
    study.refresh_from_db()
    assert (study.labels, study.collection.slug) == ("students", "house")
    assert study.collection.revision == 1
    assert Run.objects.get().tag == "two"
    assert [entry.action for entry in TrailEntry.objects.order_by("id")] == [
        "renamed labels",
        "renamed a run",
        "renamed the collection",
    ]


def test_names_that_cannot_be(home: Collection, rosa: User) -> None:
    Collection.objects.create(slug="taken")
    for change, problem in (
        (lambda: changing.rename(home, "taken", rosa), "exists"),
        (lambda: changing.rename(home, "two words", rosa), "Use letters from a to z"),
        (lambda: changing.rename_run(home, "one", "a b", rosa), "without blanks"),
        (lambda: changing.rename_run(home, "one", "one", rosa), "taken"),
        (lambda: changing.rename_run(home, "none", "x", rosa), "no run none"),
        (lambda: changing.rename_labels(home, "experts", "", rosa), "cannot be a name"),
        (lambda: changing.delete_labels(home, "none", rosa), "no labels named none"),
    ):
        with pytest.raises(CannotChange, match=problem):
            change()


def test_a_collection_is_deleted_by_its_name_when_nothing_is_on_it(
    home: Collection, rosa: User
) -> None:
    study = draft(home)
    with pytest.raises(CannotChange, match="1 of other people on it"):
        changing.delete_collection(home, rosa, "home")
    study.delete()
    with pytest.raises(CannotChange, match="Type the name"):
        changing.delete_collection(home, rosa, "hom")
    assert changing.delete_collection(home, rosa, "home")["run"] == 1
    assert not Collection.objects.exists()


@pytest.mark.parametrize("stage", ["open", "paused", "closed"])
def test_what_a_study_that_opened_leans_on_stays(stage: str) -> None:
    study = make_study()
    add_runs(study, {"one": {"401": [("D401-003", 1.0)]}})
    closed_at = NOON if stage == "closed" else None
    Study.objects.filter(pk=study.pk).update(stage=stage, closed_at=closed_at)
    home = study.collection
    LabelSet.objects.get_or_create(collection=home, name=study.labels)
    for change in (
        lambda: changing.delete_run(home, "one", None),
        lambda: changing.rename_labels(home, study.labels, "x", None),
        lambda: changing.delete_labels(home, study.labels, None),
    ):
        with pytest.raises(CannotChange, match=f"study {study.slug}"):
            change()
    LabelSet.objects.create(collection=home, name="unused")
    changing.delete_labels(home, "unused", None)


def test_rankings_follow(rosa: User) -> None:
    study = judged_study()[0]
    pipeline.bring_up_to_date()
    tag = Run.objects.filter(collection=study.collection).first().tag
    changing.rename_run(study.collection, tag, "renamed", None)
    pipeline.bring_up_to_date()
    assert "renamed" in Evaluation.objects.filter(study=study).latest("id").tags


def test_the_page(home: Collection, rosa: User, otto: User, desk: Any) -> None:
    desk.force_login(rosa)
    address = "/collections/home/change/"
    assert "1 run, 1 label set" in desk.page(address)
    desk.post(address, {"action": "share", "username": "otto"})
    other = Client()
    other.force_login(otto)
    assert "Share, rename" not in other.get("/collections/home/").content.decode()
    assert other.get(address).status_code == 403
    assert other.post(address, {"action": "delete", "typed": "home"}).status_code == 403
    wrong = desk.post(address, {"action": "share", "username": "nobody"}).content.decode()
    assert "Nobody here is called nobody" in wrong
    assert 'value="nobody"' in wrong
    for sent in ({}, {"action": "rename-run"}, {"action": "explode"}):
        assert desk.post(address, sent).status_code == 200
    there = "/collections/house/change/"
    assert desk.post(address, {"action": "rename", "name": "house"}).url == there
    assert desk.get(address).status_code == 404
    assert desk.post(there, {"action": "delete", "typed": "house"}).url == "/collections/"
