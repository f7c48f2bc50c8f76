"""A rehearsal is the study on a small scale; nothing of it counts, and all of it can be deleted."""

import pytest
from django.apps import apps
from django.db import IntegrityError, transaction

from accounts.models import User
from evaluation.pipeline import evaluate
from evaluation.study import other_studies
from judging.flow.admission import Arrival, admit
from judging.flow.offer import NoWork
from judging.models import Membership, PooledDocument, Role, Study, Unit
from judging.studies import team
from judging.studies.access import has_role
from judging.studies.conduct.stages import CannotRun, raise_payment
from judging.studies.configuration.cloning import config_of
from judging.studies.configuration.missing import missing
from judging.studies.rehearsal import NOT_COPIED, CannotRehearse, delete_rehearsal, rehearse
from judging.studies.unit_plans import discard_plan
from tests.factory import GRADED, NOON, OPTIONS, make_study
from tests.factory.completed import complete
from tests.judging.browsing import Browser, stopped_clock

pytestmark = pytest.mark.django_db


def rows() -> dict[str, int]:
    """How many rows every table has, but for the trail and the record."""
    kept = ("TrailEntry", "RecordEntry")
    models = [model for model in apps.get_models() if model.__name__ not in kept]
    return {model._meta.label: model._default_manager.count() for model in models}


@pytest.mark.parametrize("opened", [True, False])
def test_a_rehearsal_is_the_study_with_few_units(opened: bool) -> None:
    study = make_study(topics=3, documents=40, opened=opened, contact="rosa@example.org")
    rosa = User.objects.create_user("rosa")
    Membership.objects.create(study=study, user=rosa, role=Role.EDITOR)
    study.refresh_from_db()
    before = config_of(study)
    rehearsal = rehearse(study, rosa, topics=["401", "403"], units=2)
    after = config_of(rehearsal)
    assert rehearsal.stage == "open"
    assert (rehearsal.payment, rehearsal.crowd) == (0, "people")
    assert not rehearsal.only_from_platform
    assert rehearsal.mark == "rehearsal"
    assert rehearsal.file_name("qrels", "txt") == f"{rehearsal.slug}-rehearsal-qrels.txt"
    own = {*NOT_COPIED, "title", "topics"}
    assert {k: v for k, v in after.items() if k not in own} == {
        k: v for k, v in before.items() if k not in own
    }
    assert list(after["topics"]) == ["401", "403"]
    for name, table in after["topics"].items():
        pool = set(table.pop("documents"))
        assert pool < set(before["topics"][name].pop("documents"))
        assert {table["h_k"], table["n_k"]} < pool
        assert len(pool) == 2 + 2 * (study.unit_size - 2)
        assert table == before["topics"][name]
    assert Unit.objects.filter(study=rehearsal).count() == 2 * 2
    assert config_of(study) == before | {"topics": config_of(study)["topics"]}
    assert study.trail.get(action="made a rehearsal").by == rosa


def test_its_anchors_are_drawn_where_the_study_has_none() -> None:
    study = make_study(documents=40, opened=False)
    discard_plan(study.slug, None)
    study.topics.update(h_k="", n_k="", pool=[f"D401-{n:03}" for n in range(40)])
    rehearsal = rehearse(study, None, units=1)
    topic = rehearsal.topics.get()
    anchors = PooledDocument.objects.filter(study_topic=topic).exclude(role="other")
    assert {topic.h_k, topic.n_k} == set(anchors.values_list("doc_id", flat=True))
    assert Unit.objects.filter(study=rehearsal).count() == 1
    assert not missing(rehearsal)
    study.refresh_from_db()
    assert (study.stage, Unit.objects.filter(study=study).count()) == ("draft", 0)


def test_it_passes_the_checks_of_an_opening_or_is_not_made() -> None:
    study = make_study(topics=2, opened=False)
    study.topics.filter(topic__query_id="402").update(question="", options=[], answer="")
    before = rows()
    with pytest.raises(CannotRehearse, match="Topic 402 has no question"):
        rehearse(study, None)
    assert rows() == before
    assert rehearse(study, None, topics=["401"]).stage == "open"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topics": ["401", "999"]}, "topics: 999 is not of study"),
        ({"units": 0}, "units: 0; expected 1 to 20"),
        ({"units": 21}, "units: 21; expected 1 to 20"),
        ({"slug": "not a name"}, "slug"),
    ],
)
def test_what_cannot_be_rehearsed(options: dict, message: str) -> None:
    study = make_study()
    with pytest.raises(CannotRehearse, match=message):
        rehearse(study, None, **options)
    with pytest.raises(CannotRehearse, match="is a rehearsal itself"):
        rehearse(rehearse(study, None), None)


def test_its_team_is_that_of_the_study() -> None:
    study = make_study()
    rosa, otto = User.objects.create_user("rosa"), User.objects.create_user("otto")
    Membership.objects.create(study=study, user=rosa, role=Role.EDITOR)
    rehearsal = rehearse(study, rosa)
    assert has_role(rosa, rehearsal, Role.EDITOR)
    assert not has_role(rosa, rehearsal, Role.OWNER)
    assert list(Study.objects.seen_by(rosa).order_by("pk")) == [study, rehearsal]
    assert not Study.objects.seen_by(otto)
    Membership.objects.create(study=study, user=otto, role=Role.OWNER)
    assert rehearsal in Study.objects.seen_by(otto)
    for change in (
        lambda: team.invite(otto, NOON, rehearsal, Role.VIEWER),
        lambda: team.add(rehearsal, otto, Role.VIEWER, by=None),
        lambda: team.change(rehearsal, rosa, Role.VIEWER),
    ):
        with pytest.raises(team.CannotChange, match=f"its team is that of study {study}"):
            change()
    assert not rehearsal.memberships.exists()
    team.change(study, rosa, None)
    assert not Study.objects.seen_by(rosa)


def test_nothing_of_it_counts_and_all_of_it_goes() -> None:
    study = make_study(documents=20)
    complete(study, "ada")
    evaluate(study)
    rosa = User.objects.create_user("rosa")
    Membership.objects.create(study=study, user=rosa, role=Role.OWNER)
    before, others = rows(), other_studies.versions(study)
    rehearsal = rehearse(study, rosa)
    assert complete(rehearsal, "ada").assignment.completion_code
    evaluate(rehearsal)
    assert other_studies.versions(study) == others == []
    assert not Study.objects.without_rehearsals().filter(pk=rehearsal.pk)
    delete_rehearsal(rehearsal, rosa)
    assert rows() == before
    gone = study.trail.get(action="deleted a rehearsal")
    assert gone.details == {"rehearsal": rehearsal.slug, "workers": 1}
    with pytest.raises(CannotRehearse, match="is no rehearsal"):
        delete_rehearsal(study, rosa)


def test_it_is_compared_with_what_its_team_may_see_alone() -> None:
    study, other = make_study(), make_study()
    Study.objects.filter(pk=other.pk).update(collection=study.collection)
    rosa = User.objects.create_user("rosa")
    Membership.objects.create(study=study, user=rosa, role=Role.OWNER)
    rehearsal = rehearse(study, rosa)
    assert other not in other_studies.seen_by_team_of(rehearsal)


@pytest.mark.parametrize("settings", [{}, GRADED], ids=["magnitudes", "levels"])
def test_its_people_are_informed(settings: dict) -> None:
    study = make_study(payment=3, entry="platforms", **settings)
    rehearsal = rehearse(study, None, units=1)
    with stopped_clock() as clock:
        browser = Browser(rehearsal)
        welcome = browser.get()
        assert "This is a rehearsal." in welcome.main_text
        assert "Nothing is paid." in welcome.main_text
        assert "3.00" not in welcome.text
        assert "None is planned" in " ".join(welcome.main_text.split())
        browser.come_to_documents()
        assert "This is a rehearsal. Nothing is paid" in browser.page.text
        done = browser.judge_all(clock)
    assert (done.step, done.code != "") == ("done", True)
    assert "This was a rehearsal: nothing is paid." in done.main_text
    assert OPTIONS[0] == rehearsal.topics.get().answer


def test_it_never_pays_and_no_artificial_workers_come() -> None:
    rehearsal = rehearse(make_study(), None)
    with pytest.raises(CannotRun, match="is a rehearsal: it pays nothing"):
        raise_payment(rehearsal, "1", None)
    with pytest.raises(IntegrityError, match="rehearsal_pays_nothing"), transaction.atomic():
        Study.objects.filter(pk=rehearsal.pk).update(payment=1)
    _, no_work = admit(rehearsal, Arrival("robot", simulated=True), NOON)
    assert no_work == NoWork.OTHERS
