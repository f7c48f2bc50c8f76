"""Plans made in the background: asked for, their progress, caps and races."""

from functools import partial
from typing import Any

import pytest
from django.db import connections

from accounts.models import User
from judging.models import PlanJob, Study, Unit, UnitDocument
from judging.studies import plan_jobs, unit_plans
from judging.studies.conduct.opening import open_study
from judging.studies.faults import BadStudy
from judging.studies.plan_jobs import make_plans, request_plan
from judging.studies.unit_plans import CannotPlan, discard_plan, plan
from tests.api.conftest import client_of
from tests.database import at_once
from tests.factory import make_study
from web.background import work

pytestmark = pytest.mark.django_db


def draft(**settings: Any) -> Study:
    """With a plan of 8 units a topic, of redundancy 4."""
    return make_study(opened=False, **{"redundancy": 4, **settings})


def state() -> tuple[str, str]:
    job = PlanJob.objects.get()
    return job.state, job.fault


# --- the cap ------------------------------------------------------------------------------------
def test_a_plan_with_too_many_units_is_refused_before_it_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two topics of 14 documents: 2 · ceil(12 · 500 / 6) = 2,000 units."""
    study = draft(topics=2)
    monkeypatch.setattr(unit_plans, "MAX_UNITS", 2 * 8)
    assert plan(study).units == 2 * 8
    Study.objects.update(redundancy=500)
    monkeypatch.setattr(unit_plans, "MAX_UNITS", 1_999)
    monkeypatch.setattr(unit_plans, "_store_units", lambda *given: pytest.fail("drawn"))
    with pytest.raises(CannotPlan) as refusal:
        plan(study)
    said = str(refusal.value)
    assert said.startswith("2,000 units are asked for; a plan has at most 1,999. ")
    for setting in ("redundancy, now 500", "pool_depth, now 10", "unit_size, now 8"):
        assert setting in said
    assert Unit.objects.count() == 2 * 8, "the plan that there was stays"


# --- in the background --------------------------------------------------------------------------
def test_a_plan_is_asked_for_and_made() -> None:
    study, rita = draft(), User.objects.create_user("rita")
    job = request_plan(study, rita, seed=7)
    assert (job.state, job.waits, Unit.objects.filter(study__plan_seed=7).count()) == (
        *("waiting", True),
        0,
    )
    assert make_plans() == 1
    job.refresh_from_db()
    assert (job.state, job.progress, job.tries) == ("done", 1.0, 1)
    assert job.result.items() >= {"seed": 7, "documents": 14, "units": 8, "workers": 8}.items()
    assert job.result["warnings"] == []
    study.refresh_from_db()
    assert (study.plan_seed, study.units.count()) == (7, 8)
    assert study.trail.latest("pk").by == rita
    assert make_plans() == 0


def test_what_cannot_be_planned_at_all_is_refused_at_once() -> None:
    study = draft()
    for options, said in (
        ({"depth": 0}, "pool_depth: a whole number from 1 to 100,000 was expected, not 0"),
        ({"seed": -1}, "plan_seed: a whole number from 0 to "),
    ):
        with pytest.raises(CannotPlan, match=said):
            request_plan(study, None, **options)
    open_study(study.slug)
    study.refresh_from_db()
    with pytest.raises(CannotPlan, match="is open: its pool and units are frozen"):
        request_plan(study, None)
    assert not PlanJob.objects.exists()


def test_a_plan_that_fails_stores_its_error() -> None:
    study = draft()
    Study.objects.update(unit_size=40)
    request_plan(study, None)
    make_plans()
    assert state()[0] == "failed"
    assert "Topic 401 has 14 documents in its pool, but a unit holds 40" in state()[1]
    assert Unit.objects.count() == 8


def test_a_plan_that_was_interrupted_is_made_anew_but_not_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request_plan(draft(), None)
    with monkeypatch.context() as killed:
        killed.setattr(plan_jobs, "plan", lambda *given, **more: (_ for _ in ()).throw(SystemExit))
        for _ in range(work.MAX_TRIES):
            with pytest.raises(SystemExit):
                make_plans()
            assert state() == ("computing", "")
    assert make_plans() == 1
    assert state() == ("failed", work.INTERRUPTED)


def test_a_plan_that_is_discarded_before_it_is_made_is_not_made() -> None:
    study = draft()
    request_plan(study, None)
    discard_plan(study.slug, None)
    assert make_plans() == 0
    assert not Unit.objects.exists()


# --- races --------------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
def test_of_two_who_ask_at_once_one_wins_and_two_workers_make_its_plan_once() -> None:
    for _ in range(3):
        study = draft()

        def ask(seed: int, study: Study = study) -> str:
            try:
                request_plan(study, None, seed=seed)
            except CannotPlan as fault:
                return str(fault)
            return ""

        said = at_once(*(partial(ask, seed) for seed in range(4)))
        refused = f"Study {study} is being planned already: wait until that is done."
        assert sorted(said) == ["", *[refused] * 3]
        assert sum(at_once(make_plans, make_plans, make_plans)) == 1
        assert study.units.count() == 8
        assert UnitDocument.objects.filter(unit__study=study).count() == 64
        assert ask(9) == "", "one that is done can be asked for again"
        make_plans()


@pytest.mark.django_db(transaction=True)
def test_a_study_that_opens_while_it_is_planned_has_a_whole_plan() -> None:
    """Either it opens with the old plan and the job fails, or it waits for the new one."""
    for _ in range(3):
        study = draft()
        before = set(study.units.values_list("pk", flat=True))
        PlanJob.objects.all().delete()

        def ask_and_make(study: Study = study) -> str:
            try:
                request_plan(study, None, seed=3)
            except CannotPlan as fault:
                return str(fault)
            make_plans()
            return PlanJob.objects.get().state

        def open_it(study: Study = study) -> str:
            try:
                open_study(study.slug)
            except BadStudy as fault:
                return str(fault)
            return ""

        job, opened = at_once(ask_and_make, open_it)
        study.refresh_from_db()
        units = set(study.units.values_list("pk", flat=True))
        assert len(units) == 8
        if opened:
            assert opened == f"Study {study} is being planned: open it when that is done."
            assert (study.stage, job) == ("draft", "done")
        else:
            assert study.stage == "open"
            was_planned = job == "done"
            assert (units != before) == was_planned


@pytest.mark.django_db(transaction=True)
def test_others_see_how_far_a_plan_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """While its own transaction is under way."""
    request_plan(make_study(topics=4, redundancy=4, opened=False), None)
    monkeypatch.setattr(work, "PROGRESS_SECONDS", -1)
    seen = []
    store = unit_plans._store

    def store_and_look(*given: Any) -> None:
        store(*given)
        beside = connections.create_connection("default")
        with beside.cursor() as cursor:
            cursor.execute("SELECT state, progress FROM judging_planjob")
            seen.append(cursor.fetchone())
        beside.close()

    monkeypatch.setattr(unit_plans, "_store", store_and_look)
    make_plans()
    assert seen == [("computing", share) for share in (0.0, 0.25, 0.5, 0.75)]
    assert state() == ("done", "")


# --- pages and REST -----------------------------------------------------------------------------


def words(desk: Any, study: Study) -> str:
    return desk.words(f"/studies/{study.slug}/set-up/")


def test_the_page_shows_how_far_it_is(desk: Any) -> None:
    study = draft()
    discard_plan(study.slug, None)
    address = f"/studies/{study.slug}/set-up/"
    assert "Plan its units" in words(desk, study)
    assert desk.post(f"{address}plan-units/").url == address
    page = words(desk, study)
    assert "The units are being planned" in page
    assert "Waits for its turn." in page
    assert 'data-live="1"' in page
    assert "Plan units</button>" not in page
    desk.post(f"{address}plan-units/")
    assert "is being planned already" in words(desk, study)
    PlanJob.objects.update(state="computing", progress=0.4)
    assert '<progress max="1" value="0.400"' in words(desk, study)
    PlanJob.objects.update(state="waiting", progress=0)
    make_plans()
    page = words(desk, study)
    assert "Plan again, with another draw" in page
    assert "data-live" not in page


def test_the_page_says_why_nothing_was_planned(desk: Any) -> None:
    study = draft()
    discard_plan(study.slug, None)
    Study.objects.update(unit_size=40)
    desk.post(f"/studies/{study.slug}/set-up/plan-units/")
    make_plans()
    page = words(desk, study)
    assert "Nothing was planned:" in page
    assert "Topic 401 has 14 documents in its pool" in page
    assert "Plan units</button>" in page, "it can be asked for again"


def test_rest_answers_202_and_says_where_to_look() -> None:
    study, api = draft(), client_of("rosa", is_superuser=True)
    address = f"/api/v1/studies/{study.slug}/plan/"
    assert api.get(address).status_code == 404
    asked = api.post(address, {"seed": 7}, "application/json")
    assert (asked.status_code, asked.json()["state"], asked.json()["result"]) == (
        *(202, "waiting"),
        None,
    )
    again = api.post(address, {"seed": 8}, "application/json")
    assert (again.status_code, "already" in again.json()["detail"]) == (409, True)
    make_plans()
    done = api.get(address).json()
    assert (done["state"], done["result"]["units"], done["result"]["seed"]) == ("done", 8, 7)
    wrong = api.post(address, {"depth": 100_001}, "application/json")
    assert wrong.status_code == 400
    assert "a whole number from 1 to 100,000 was expected, not 100001" in wrong.content.decode()
